"""How often does each gate err on pairs that people labelled?

A fixture row names the gate that must refuse the pair, or none. A gate's false-accept rate is the
share of the pairs it must refuse that it passes; its false-reject rate is the share of the pairs it
must pass that it refuses. A gate that a row names under `also` may refuse it as well and is counted
on neither side. Every gate is run on every pair, whatever the ones before it said.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import Field

from judgeprobe.build.gates import GATES, Pair, run_gates, seen_key
from judgeprobe.errors import InputError
from judgeprobe.files import read_jsonl
from judgeprobe.records import GateResult, Record
from judgeprobe.taxonomy import Taxonomy

__all__ = ["GatePair", "GateRate", "Rates", "gate_rates", "read_gate_pairs"]


class GatePair(Record):
    """A labelled pair.

    Attributes:
        gate: The gate that must refuse it, or None where all must pass it.
        also: Gates that may refuse it too.
        seen: Texts that are already interventions of the claim.
        note: Why it is labelled so.
    """

    original: str
    edited: str
    slot: str
    gate: str | None
    note: str = ""
    also: tuple[str, ...] = ()
    seen: tuple[str, ...] = ()
    evidence: str = Field("", description="Evidence, where an abbreviation is defined there.")


@dataclass(frozen=True)
class GateRate:
    """One gate's errors.

    Attributes:
        must_refuse: Pairs labelled with this gate.
        accepted: Rows (from 1) of those that it passed: false accepts.
        must_pass: Pairs that it must pass.
        refused: Rows of those that it refused: false rejects.
    """

    gate: str
    must_refuse: int
    accepted: tuple[int, ...]
    must_pass: int
    refused: tuple[int, ...]

    @property
    def false_accept(self) -> float | None:
        """Share of the pairs it must refuse that it passed; None where there are none."""
        return len(self.accepted) / self.must_refuse if self.must_refuse else None

    @property
    def false_reject(self) -> float | None:
        """Share of the pairs it must pass that it refused; None where there are none."""
        return len(self.refused) / self.must_pass if self.must_pass else None


@dataclass(frozen=True)
class Rates:
    """All gates' errors, and those of the gates together.

    Attributes:
        together: As one gate that refuses what any of them refuses; `must_refuse` are the pairs
            labelled with any gate, `must_pass` those labelled with none.
    """

    pairs: int
    gates: tuple[GateRate, ...]
    together: GateRate
    reasons: dict[int, str] = field(default_factory=dict)


def read_gate_pairs(path: Path, taxonomy: Taxonomy) -> list[GatePair]:
    """The rows of a fixture.

    Raises:
        InputError: A row is no labelled pair, or names a gate or slot that does not exist.
    """
    pairs = read_jsonl(path, GatePair)
    if not pairs:
        raise InputError("holds no pair", file=path, remedy="give one labelled pair a line")
    known = {gate.name for gate in GATES}
    slots = {slot.name for slot in taxonomy.slots}
    for row, pair in enumerate(pairs, start=1):
        for name in (*([pair.gate] if pair.gate else []), *pair.also):
            if name not in known:
                raise InputError(
                    f"there is no gate `{name}`",
                    file=path,
                    row=row,
                    remedy="use one of " + ", ".join(gate.name for gate in GATES),
                )
        if pair.slot not in slots:
            raise InputError(
                f"the taxonomy {taxonomy.name} has no slot `{pair.slot}`", file=path, row=row
            )
    return pairs


def gate_rates(pairs: list[GatePair], taxonomy: Taxonomy) -> Rates:
    """Every gate's error rates on labelled pairs."""
    results = [_run(pair, taxonomy) for pair in pairs]
    gates = tuple(_rate(gate.name, pairs, results) for gate in GATES)
    refused = [not all(r.passed for r in result.values()) for result in results]
    wanted = [pair.gate is not None for pair in pairs]
    together = GateRate(
        gate="together",
        must_refuse=sum(wanted),
        accepted=_rows(w and not r for w, r in zip(wanted, refused, strict=True)),
        must_pass=len(pairs) - sum(wanted),
        refused=_rows(r and not w for w, r in zip(wanted, refused, strict=True)),
    )
    reasons = {
        row: "; ".join(f"{name}: {r.detail}" for name, r in result.items() if not r.passed)
        for row, result in enumerate(results, start=1)
    }
    return Rates(len(pairs), gates, together, reasons)


def _run(pair: GatePair, taxonomy: Taxonomy) -> dict[str, GateResult]:
    case = Pair("fixture", pair.evidence, pair.original, pair.edited)
    seen = {seen_key("fixture", text) for text in pair.seen}
    return run_gates(case, taxonomy.slot(pair.slot), taxonomy, seen, every=True)


def _rate(name: str, pairs: list[GatePair], results: list[dict[str, GateResult]]) -> GateRate:
    passed = [result[name].passed for result in results]
    must_refuse = [pair.gate == name for pair in pairs]
    must_pass = [pair.gate != name and name not in pair.also for pair in pairs]
    return GateRate(
        gate=name,
        must_refuse=sum(must_refuse),
        accepted=_rows(w and p for w, p in zip(must_refuse, passed, strict=True)),
        must_pass=sum(must_pass),
        refused=_rows(w and not p for w, p in zip(must_pass, passed, strict=True)),
    )


def _rows(flags: Iterable[bool]) -> tuple[int, ...]:
    return tuple(row for row, flag in enumerate(flags, start=1) if flag)
