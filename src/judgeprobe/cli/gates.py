"""`judgeprobe gates`: how often does each mechanical gate err on labelled pairs?"""

from pathlib import Path
from typing import Annotated

import typer

from judgeprobe.cli.common import JsonOption, QuietOption, note, print_json, print_table, verb

__all__ = ["gates"]


@verb
def gates(
    fixture: Annotated[
        Path, typer.Option("--fixture", metavar="FILE", help="Labelled pairs (JSONL).")
    ],
    taxonomy: Annotated[
        str, typer.Option("--taxonomy", help="A shipped taxonomy, or a path of your own.")
    ] = "claim-calibration",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Measure each gate's false-accept and false-reject rate on labelled pairs."""
    from judgeprobe.build.rates import GateRate, gate_rates, read_gate_pairs
    from judgeprobe.taxonomy import load_taxonomy

    loaded = load_taxonomy(taxonomy)
    rates = gate_rates(read_gate_pairs(fixture, loaded), loaded)
    rows = [*rates.gates, rates.together]

    def entry(rate: GateRate) -> dict[str, object]:
        return {
            "gate": rate.gate,
            "must_refuse": rate.must_refuse,
            "false_accepts": list(rate.accepted),
            "false_accept_rate": rate.false_accept,
            "must_pass": rate.must_pass,
            "false_rejects": list(rate.refused),
            "false_reject_rate": rate.false_reject,
        }

    if as_json:
        print_json(
            {
                "taxonomy": loaded.hash,
                "pairs": rates.pairs,
                "gates": [entry(rate) for rate in rates.gates],
                "together": entry(rates.together),
            }
        )
        return
    print_table(
        f"Gates on {rates.pairs} labelled pairs",
        ["gate", "must refuse", "false accepts", "rate", "must pass", "false rejects", "rate "],
        [
            [
                rate.gate,
                str(rate.must_refuse),
                str(len(rate.accepted)),
                _share(rate.false_accept),
                str(rate.must_pass),
                str(len(rate.refused)),
                _share(rate.false_reject),
            ]
            for rate in rows
        ],
    )
    if not quiet:
        for rate in rates.gates:
            for row in rate.accepted:
                note(f"row {row}: {rate.gate} passes it and must not")
            for row in rate.refused:
                note(f"row {row}: refused and must pass ({rates.reasons[row]})")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
