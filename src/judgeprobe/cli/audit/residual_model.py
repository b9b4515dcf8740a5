"""`judgeprobe audit residual-model`: the audit on a draw whose truth is known."""

from pathlib import Path
from typing import Annotated, Any

import typer

from judgeprobe.cli.common import JsonOption, SeedOption, print_json, print_table, verb

__all__ = ["residual_model"]


@verb
def residual_model(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL",
            help="gaussian, quadratic, xor, piecewise, two-measured, two-missing or two-xor.",
        ),
    ],
    rho: Annotated[
        float, typer.Option("--rho", help="Correlation of construct and artifact (gaussian).")
    ] = 0.0,
    beta: Annotated[
        float, typer.Option("--beta", help="Loading of the score on the artifact.")
    ] = 1.2,
    noise: Annotated[float, typer.Option("--noise", min=0, help="SD of the score's noise.")] = 0.3,
    rows: Annotated[int, typer.Option("--rows", min=100, help="Rows drawn.")] = 4000,
    label_noise: Annotated[
        str | None,
        typer.Option(
            "--label-noise",
            metavar="KIND:RATE",
            help="symmetric, class_dependent, score_correlated or artifact_directed.",
        ),
    ] = None,
    resamples: Annotated[int, typer.Option("--resamples", min=20, help="Bootstrap draws.")] = 200,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="CSV", help="Write the draw, to be audited like any file."),
    ] = None,
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """What the residualization audit sees, and does not see, where the truth is known."""
    import dataclasses

    import numpy as np

    from judgeprobe.audit.page import number
    from judgeprobe.audit.residual import ResidualSettings
    from judgeprobe.audit.residual_extras import audit_model
    from judgeprobe.files import write_csv
    from judgeprobe.stats.residual_types import Gates

    rng = np.random.default_rng(seed)
    drawn = _draw(model, rng, rho=rho, beta=beta, noise=noise, rows=rows)
    if label_noise is not None:
        drawn = dataclasses.replace(drawn, labels=_noisy(drawn, label_noise, rng))
    if data is not None:
        names = [f"phi_{index}" for index in range(drawn.features.shape[1])]
        table = np.column_stack([drawn.scores, drawn.labels, drawn.features]).tolist()
        cells = [[row[0], int(row[1]), *row[2:]] for row in table]
        write_csv(data, ["score", "label", *names], cells)
    settings = ResidualSettings(gates=Gates(resamples=resamples), seed=seed)
    result = {"model": model, "rho": rho, "beta": beta, **audit_model(drawn, settings)}
    if as_json:
        print_json(result)
        return
    truth = result["truth"]
    print_table(
        f"{model}, rho {rho}, beta {beta}: alignment with the known construct",
        ["population", "raw", "adjusted"],
        [
            ["all rows", number(truth["full"]["raw"]), number(truth["full"]["adjusted"])],
            [
                "declared slice",
                number(truth["declared_slice"]["raw"]),
                number(truth["declared_slice"]["adjusted"]),
            ],
        ],
    )
    print(f"The committed procedure says: {result['outcome']}.")


def _draw(model: str, rng: Any, *, rho: float, beta: float, noise: float, rows: int) -> Any:
    from judgeprobe.errors import InputError
    from judgeprobe.stats.residual_models import controlled_model, two_artifacts

    known = ("gaussian", "quadratic", "xor", "piecewise", "two-measured", "two-missing", "two-xor")
    if model not in known:
        raise InputError(f"there is no model {model!r}", remedy=f"use {', '.join(known)}")
    if model.startswith("two-"):
        second: Any = model.removeprefix("two-")
        return two_artifacts(rng, n=rows, second=second, noise=noise)
    shape: Any = "linear" if model == "gaussian" else model
    return controlled_model(rng, n=rows, rho=rho, beta=beta, noise=noise, shape=shape)


def _noisy(drawn: Any, written: str, rng: Any) -> Any:
    from judgeprobe.errors import InputError
    from judgeprobe.stats.residual_models import noisy_labels

    kinds = ("symmetric", "class_dependent", "score_correlated", "artifact_directed")
    kind, _, rate = written.partition(":")
    try:
        share = float(rate)
    except ValueError:
        share = -1.0
    if kind not in kinds or not 0 <= share <= 0.5:
        raise InputError(
            f"{written!r} is no label noise",
            remedy=f"write KIND:RATE, such as symmetric:0.3; kinds are {', '.join(kinds)}",
        )
    named: Any = kind
    return noisy_labels(drawn, named, share, rng)
