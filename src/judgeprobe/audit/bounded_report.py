"""How does a person read a bounded-scale audit? Tables and sentences made from the result alone."""

from typing import Any

from judgeprobe.audit.page import number

__all__ = ["bounded_sentences", "bounded_tables"]

Table = tuple[str, list[str], list[list[str]]]


def bounded_tables(result: dict[str, Any]) -> list[Table]:
    """Every table, in reading order: title, columns, rows."""
    return [_endpoint(result), _exposure(result), _fields(result), _manipulation(result)]


def _endpoint(result: dict[str, Any]) -> Table:
    whole = {"n": result["endpoint"]["n_items"], **result["endpoint"]}
    parts = [
        ("all items", whole),
        ("items with a pinned response", result["split"]["pinned"]),
        ("other items", result["split"]["free"]),
    ]
    rows = [
        [
            name,
            str(each["n"]),
            number(each["estimate"]),
            number(each.get("low")),
            number(each.get("high")),
            number(each["p"], 5),
            number(each["smallest_p"], 5),
            str(each["nonzero"]),
        ]
        for name, each in parts
    ]
    columns = ["endpoint", "items", "estimate", "low", "high", "p", "smallest p", "nonzero"]
    return "Difference in differences", columns, rows


def _exposure(result: dict[str, Any]) -> Table:
    rows = [
        [
            each["response"],
            each["arm"],
            str(each["n"]),
            number(each["mean"]),
            number(each["to_low"]),
            number(each["to_high"]),
            str(each["at_low"]),
            str(each["at_high"]),
        ]
        for each in result["exposure"]
    ]
    columns = ["response", "arm", "items", "mean", "to low", "to high", "at low", "at high"]
    return "Exposure to the bounds", columns, rows


def _fields(result: dict[str, Any]) -> Table:
    rows = [
        [
            each["field"],
            number(each["estimate"]),
            number(each["p"], 5),
            *(number(value) for value in each["shifts"].values()),
            number(each["positive_share_of_movement"]),
            str(each["pinned_items"]),
            *(number(value) for value in each["to_bound"].values()),
            number(each["reconstructed_share"]),
        ]
        for each in result["fields"]
    ]
    names = list(result["fields"][0]["shifts"])
    columns = [
        "field", "estimate", "p", *(f"shift of {name}" for name in names), "share of movement",
        "pinned", *(f"{name} to bound" for name in names), "reconstructed share",
    ]  # fmt: skip
    return "Fields beside their exposure", columns, rows


def _manipulation(result: dict[str, Any]) -> Table:
    rows = [
        [
            each["response"],
            f"{each['arm']} - {each['against']}",
            number(each["estimate"]),
            number(each["p"], 5),
            number(each["smallest_p"], 5),
            str(each["nonzero"]),
        ]
        for each in result["manipulation"]
    ]
    columns = ["response", "arms", "shift", "p", "smallest p", "nonzero"]
    return "Did the condition reach the rating?", columns, rows


def bounded_sentences(result: dict[str, Any]) -> list[str]:
    """What the numbers say, one sentence each."""
    again, room, fragile = result["reconstructed"], result["headroom"], result["fragility"]
    told = []
    if again["share"] is not None:
        told.append(
            f"With no preference, the shift of {again['from']} clipped onto {again['onto']} gives "
            f"{number(again['estimate'])} ({again['share']:.0%} of the endpoint; rounded to "
            f"ratings {again['rounded_share']:.0%}). The rest bounds nothing."
        )
    else:
        told.append(f"No share is given: {again['reason']}.")
    told.append(
        f"Headroom: {number(room['up'])} points up, {number(room['down'])} down; the difference is "
        f"twice the separation of {number(room['separation'])}."
    )
    to_zero, past = fragile["changes_to_zero"], fragile["changes_past_zero"]
    told.append(
        f"Single rating changes to zero: {'–' if to_zero is None else to_zero}; past zero: "
        f"{'–' if past is None else past}."
    )
    told += _masking(result)
    power = result["power"]
    if power["minimum_effect"] is not None:
        told.append(
            f"An effect of {number(power['minimum_effect'])} has power {power['wanted']:g} in "
            "simulation."
        )
    if power["power"] is not None:
        told.append(f"Power at {power['effect']:g}: {number(power['power'])}.")
    if power["reason"]:
        told.append(f"Power: {power['reason']}.")
    return told + _companions(result)


def _masking(result: dict[str, Any]) -> list[str]:
    return [
        f"{each['response']}: {each['at_bound_moved']} of {each['at_bound']} at the {each['bound']}"
        f" bound moved inwards, {each['away_moved']} of {each['away']} others moved that way "
        f"(Fisher p {number(each['p'], 4)})."
        for each in result["masking"]
        if each["p"] is not None
    ]


def _companions(result: dict[str, Any]) -> list[str]:
    told = []
    if result["gradient"] is not None:
        for name in ("endpoint", "common_shift"):
            found = result["gradient"][name]
            told.append(
                f"Evidence gradient, {name.replace('_', ' ')}: rho {number(found['rho'])}, p "
                f"{number(found['p'])} over {found['n']} clusters {found['reason']}".rstrip()
                + "."
            )
    ordinal = result["ordinal"]
    if ordinal is not None and ordinal["reason"]:
        told.append(f"Ordinal companion: {ordinal['reason']}.")
    elif ordinal is not None:
        told.append(
            f"Ordinal companion, on its own assumptions ({'; '.join(ordinal['assumptions'])}): "
            f"{number(ordinal['interaction'])} latent standard deviations "
            f"({number(ordinal['low'])} to {number(ordinal['high'])})."
        )
    return told
