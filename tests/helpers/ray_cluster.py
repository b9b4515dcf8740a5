"""Which cluster do the tests of the sweep on Ray run on?

A Ray cluster of two nodes on this machine, at the loopback addresses 127.0.0.2 and 127.0.0.3, so
that all its traffic stays on loopback. (At 127.0.0.1 the driver would not find it: Ray takes that
address for the machine's own outward one.)

    with TwoNodes() as cluster:
        subprocess.run([..., "sweep", study, "--engine", "ray", "--address", cluster.address])
        cluster.kill_worker(rng)
        cluster.kill_node()
"""

import contextlib
import os
import random
import signal
import socket
from pathlib import Path
from typing import Any, Self

__all__ = ["TwoNodes", "command", "descendants", "processor_seconds"]

HEAD, SECOND = "127.0.0.2", "127.0.0.3"
# A dead node is noticed within about five seconds, not fifteen.
_NOTICE = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_failure_threshold": 5,
    "health_check_timeout_ms": 2000,
}
# A node gives its agents 15 seconds to start and aborts, which happens on a machine that is busy.
_STARTS = 6


class TwoNodes:
    """A cluster of two nodes.

    Args:
        processors: Of each node, as Ray is told.
        temporary: Where Ray keeps its sockets and logs; the path must be short.
    """

    def __init__(self, *, processors: int = 2, temporary: Path | None = None) -> None:
        self._processors = processors
        self._temporary = temporary
        self._cluster: Any = None
        self._second: Any = None

    def __enter__(self) -> Self:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        for attempt in range(1, _STARTS + 1):
            try:
                self._start()
            except Exception:
                self._clear()
                if attempt == _STARTS:
                    raise
            else:
                break
        return self

    def _start(self) -> None:
        from ray.cluster_utils import Cluster

        self._cluster = Cluster()
        more = {"temp_dir": str(self._temporary)} if self._temporary else {}
        self._add(
            HEAD,
            include_dashboard=False,
            include_log_monitor=False,
            no_monitor=True,
            _system_config=_NOTICE,
            **more,
        )
        self._add_second()

    def __exit__(self, *_: object) -> None:
        self._clear()

    def _clear(self) -> None:
        self._cluster.shutdown()
        # What a node that did not come up has left; `shutdown` does not know of it.
        for number in self.processes():
            if "/ray/" in command(number):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)

    def _add(self, address: str, **options: Any) -> Any:
        return self._cluster.add_node(
            wait=True,
            num_cpus=self._processors,
            node_ip_address=address,
            object_store_memory=80_000_000,
            **_ports(address),
            **options,
        )

    @property
    def address(self) -> str:
        """For `--address`."""
        return str(self._cluster.address)

    def kill_worker(self, rng: random.Random) -> bool:
        """Kill one worker's process; whether there was one."""
        found = self.workers()
        if found:
            os.kill(rng.choice(found), signal.SIGKILL)
        return bool(found)

    def workers(self) -> list[int]:
        """Processes of judgeprobe's workers."""
        return [number for number in self.processes() if command(number).startswith("ray::Worker")]

    def processes(self) -> list[int]:
        """Every process of the cluster."""
        return descendants(os.getpid())

    def kill_node(self) -> None:
        """Kill the second node, its workers with it, and put a new one in its place."""
        self._cluster.remove_node(self._second, allow_graceful=False)
        self._add_second()

    def _add_second(self) -> None:
        for attempt in range(1, _STARTS + 1):
            try:
                self._second = self._add(SECOND)
            except Exception:
                if attempt == _STARTS:
                    raise
            else:
                return


def _ports(address: str) -> dict[str, int]:
    """Free ports for a node's agents, so that the node need not wait until they have found some."""
    names = ("metrics_agent_port", "metrics_export_port", "runtime_env_agent_port")
    sockets = [socket.create_server((address, 0)) for _ in (*names, "dashboard_agent_listen_port")]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return dict(zip((*names, "dashboard_agent_listen_port"), ports, strict=True))


def descendants(top: int) -> list[int]:
    """Processes that a process started, directly or not."""
    parents: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, new = [], [top]
    while new:
        new = [child for parent in new for child in parents.get(parent, [])]
        found += new
    return found


def processor_seconds(processes: list[int]) -> float:
    """Processor time that some processes have used so far."""
    total = 0
    for number in processes:
        try:
            fields = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
        except (OSError, IndexError):
            continue
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def command(number: int) -> str:
    """The command line of a process, or ""."""
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
