"""How is a GGUF file asked, as any other judge is?

`LocalModel` starts a child process with an OpenAI-compatible endpoint on a loopback port
(`judgeprobe.llm.engine`), which ends when this process does, however it ends. Calls go through the
same client as every other model's. The grade is a function of the prompt alone: order,
interruption and parallel callers do not change it (tests/llm/test_local.py).
"""

import asyncio
import contextlib
import dataclasses
import importlib.metadata
import importlib.util
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import IO, Any, Self

from judgeprobe.errors import CallError, InputError
from judgeprobe.llm.replies import requested_of
from judgeprobe.llm.request import Request
from judgeprobe.llm.weights import find_weights, licence_of
from judgeprobe.records import Reply

__all__ = ["LocalModel", "is_local", "local_server"]

CONTEXT = 2048
_START_SECONDS = 180.0
_MOST_ENGINES = 4


def is_local(model: str) -> bool:
    """Whether a model name means a GGUF file on this machine."""
    return model.startswith("local/")


class LocalModel:
    """A GGUF file that answers on loopback while it is started.

    Args:
        model: `local/gemma-3-270m`, or `local/` and the path of a .gguf file.
        engines: How many calls run at once; one a processor (at most 4) where None.

    Raises:
        InputError: The model is not known, or its file is missing or no GGUF file.
    """

    def __init__(self, model: str, *, engines: int | None = None) -> None:
        self.model = model
        self.weights = find_weights(model)
        self.engines = engines or min(_processors(), _MOST_ENGINES)
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._url = ""
        self._starting = threading.Lock()
        self.reuse = False

    @property
    def identity(self) -> str:
        """What the cache key holds beside the name: the file's hash. Needs no started model."""
        return f"sha256:{self.weights.sha256}"

    @property
    def licence(self) -> str | None:
        """The terms of the weights, where they are known."""
        return licence_of(self.model)

    @property
    def url(self) -> str:
        """Base URL of the running endpoint.

        Raises:
            RuntimeError: The model is not started.
        """
        if not self._url:
            raise RuntimeError(f"{self.model} is not started")
        return self._url

    def start(self) -> None:
        """Load the model and wait until it answers; does nothing where it already runs.

        Raises:
            InputError: The extra `local` is missing, or the file is damaged.
            StorageError: The cache folder cannot be written.
        """
        with self._starting:
            if self._process is None or self._process.poll() is not None:
                self._start()

    def _start(self) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise InputError(
                f"`{self.model}` needs xllamacpp",
                remedy="install the extra: pip install 'judgeprobe[local]'",
            )
        path = self.weights.ready()
        config = {
            "path": str(path.resolve()),
            "engines": self.engines,
            "context": CONTEXT,
            "served_name": self.weights.served_name,
            "fingerprint": f"xllamacpp {importlib.metadata.version('xllamacpp')}",
        }
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop
        self._process = subprocess.Popen(
            [sys.executable, "-m", "judgeprobe.llm.engine"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=_child_environment(),
            # Ctrl-C is for us: calls on their way may end.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(config).encode() + b"\n")
            self._process.stdin.flush()
        started = self._first_line(self._process)
        if "url" not in started:
            why = self._why(started)
            self.stop()
            raise InputError(
                f"the model cannot be loaded ({why})",
                file=path,
                remedy="the file may be truncated or damaged: get it again",
            )
        self._url = started["url"]
        self.reuse = started["reuse"]

    def stop(self) -> None:
        """End the child process."""
        process, self._process, self._url = self._process, None, ""
        if process is not None:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
        if self._log is not None:
            self._log.close()
            self._log = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def call(self, request: Request) -> Reply:
        """Ask the running model, starting it first where it is not.

        Where the request sets no `max_tokens`, a prompt is continued by one token if its
        log-probabilities are wanted, else by 16 (OpenAI's own default for completions).

        Raises:
            CallError: It gave no reply; a prompt longer than its context is one.
            InputError: It cannot be started.
        """
        from judgeprobe.llm.client import call

        if not self._url or self._process is None or self._process.poll() is not None:
            await asyncio.to_thread(self.start)
        if request.prompt is not None and request.max_tokens is None:
            most = 16 if request.top_logprobs is None else 1
            request = dataclasses.replace(request, max_tokens=most)
        route = "text-completion-openai" if request.prompt is not None else "openai"
        reply = await call(
            dataclasses.replace(
                request,
                model=f"{route}/{self.weights.name}",
                base_url=self.url,
                identity=self.identity,
            ),
            api_key="local",
        )
        if reply.served.model != self.weights.served_name:
            raise CallError(f"{self.model} was answered by {reply.served.model}")
        requested = requested_of(dataclasses.replace(request, identity=self.identity))
        return reply.model_copy(update={"requested": requested, "cost": 0.0})

    def _first_line(self, process: subprocess.Popen[bytes]) -> dict[str, Any]:
        assert process.stdout is not None
        lines: queue.Queue[bytes] = queue.Queue()
        stdout = process.stdout
        threading.Thread(target=lambda: lines.put(stdout.readline()), daemon=True).start()
        try:
            line = lines.get(timeout=_START_SECONDS)
        except queue.Empty:
            return {"error": f"it did not answer within {_START_SECONDS:.0f} s"}
        return dict(json.loads(line)) if line.strip() else {}

    def _why(self, started: dict[str, Any]) -> str:
        """One line on why the child did not start: llama.cpp's own error where it left one."""
        said = ""
        if self._log is not None:
            self._log.seek(0)
            lines = self._log.read().decode("utf-8", "replace").splitlines()
            errors = [line for line in lines if "error" in line.lower() or "fail" in line.lower()]
            said = errors[0].strip() if errors else ""
        return (said or started.get("error") or "the process ended without a word")[:300]


def local_server(model: str, *, engines: int | None = None) -> LocalModel:
    """A GGUF file that answers inside a `with` block."""
    return LocalModel(model, engines=engines)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _child_environment() -> dict[str, str]:
    """This process's environment, with the way to this package and without any key."""
    from judgeprobe.llm.secrets import is_secret_name

    env = {name: value for name, value in os.environ.items() if not is_secret_name(name)}
    package = str(Path(__file__).resolve().parents[2])
    env["PYTHONPATH"] = os.pathsep.join(filter(None, (package, env.get("PYTHONPATH"))))
    return env
