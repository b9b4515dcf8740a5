"""How does a person read a bounded-scale audit? Tables and sentences made from the result alone."""

from typing import Any

from judgeprobe.audit.interval_chart import Bar, Chart, interval_chart
from judgeprobe.audit.page import Page, Table, number, p_value, sources

__all__ = ["bounded_page"]


def bounded_page(result: dict[str, Any]) -> Page:
    """The audit as a page."""
    scale, arms, responses = result["scale"], result["arms"], result["responses"]
    whole = result["endpoint"]
    return Page(
        title=f"Bounded-scale audit of {result['file']}",
        lead=f"{arms['treated']} minus {arms['control']}, of {responses['positive']} less that of "
        f"{responses['other']}; ratings {scale['low']:g} to {scale['high']:g} in steps of "
        f"{scale['step']:g}; {whole['n_items']} items in {whole['n_clusters']} clusters.",
        headline=_headline(result),
        warn=result["pinned"]["n_items"] > 0,
        facts=tuple(_sentences(result)),
        chart=_chart(result),
        tables=(_endpoint(result), _exposure(result), _fields(result), _manipulation(result)),
        notes=tuple(
            f"{reason.replace('_', ' ').capitalize()}, left out: {count}."
            for reason, count in result["excluded"].items()
            if count
        ),
        limits=(
            "The endpoint without censoring: no such estimate is made, and the part that the "
            "construction does not give bounds nothing.",
            "That a low share means a preference, or a high one that there is none: the "
            "construction assumes the common shift that is in question.",
            "An absence, from a null endpoint: read the interval and the minimum effect.",
            "Significance over many fields: nothing here is adjusted over them.",
        ),
        source=sources(result),
    )


def _headline(result: dict[str, Any]) -> str:
    whole, again = result["endpoint"], result["reconstructed"]
    told = f"Endpoint {number(whole['estimate'])}"
    if whole["low"] is not None:
        told += f" ({number(whole['low'])} to {number(whole['high'])})"
    told += (
        f", p {p_value(whole['p'])}; the smallest p that {whole['nonzero']} nonzero clusters can "
        f"give is {p_value(whole['smallest_p'])}."
    )
    if again["share"] is None:
        return told
    return f"{told} The bounds and a common shift alone give {_part(again)}."


def _part(again: dict[str, Any]) -> str:
    """What the construction gives, and how much of the endpoint that is."""
    told = number(again["estimate"])
    if again["share"] < 0:
        return f"{told}, the other way"
    return f"{told}, {again['share']:.0%} of it"


def _chart(result: dict[str, Any]) -> Chart | None:
    whole, split = result["endpoint"], result["split"]
    again = result["reconstructed"]
    bars = [
        Bar("all items", whole["estimate"], whole["low"], whole["high"], again["estimate"]),
        Bar("items with a pinned response", split["pinned"]["estimate"]),
        Bar("other items", split["free"]["estimate"]),
        *(
            Bar(f"shift of {each['response']}, {each['arm']}", each["estimate"])
            for each in result["manipulation"]
        ),
    ]
    return interval_chart(
        "Endpoint, its parts and the shifts it is made of",
        "rating points",
        bars,
        reference=0.0,
        legend="Dots: observed, with the BCa interval of the endpoint. Hollow: what the bounds and "
        "a common shift alone give.",
    )


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
            p_value(each["p"]),
            p_value(each["smallest_p"]),
            str(each["nonzero"]),
        ]
        for name, each in parts
    ]
    columns = ["endpoint", "items", "estimate", "low", "high", "p", "smallest p", "nonzero"]
    return Table("Difference in differences", columns, rows)


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
    return Table("Exposure to the bounds", columns, rows)


def _fields(result: dict[str, Any]) -> Table:
    rows = [
        [
            f"{each['field']} (people)" if each["people"] else each["field"],
            str(each["n"]),
            number(each["estimate"]),
            p_value(each["p"]),
            *(number(value) for value in each["shifts"].values()),
            number(each["positive_share_of_movement"]),
            str(each["pinned_items"]),
            *(number(value) for value in each["to_bound"].values()),
            number(each["reconstructed_estimate"]),
            number(each["reconstructed_share"]),
        ]
        for each in result["fields"]
    ]
    names = list(result["fields"][0]["shifts"])
    columns = [
        "field", "items", "estimate", "p", *(f"shift of {name}" for name in names),
        "share of movement", "pinned", *(f"{name} to bound" for name in names),
        "bounds alone", "share",
    ]  # fmt: skip
    return Table("Fields beside their exposure", columns, rows)


def _manipulation(result: dict[str, Any]) -> Table:
    rows = [
        [
            each["response"],
            f"{each['arm']} - {each['against']}",
            number(each["estimate"]),
            p_value(each["p"]),
            p_value(each["smallest_p"]),
            str(each["nonzero"]),
        ]
        for each in result["manipulation"]
    ]
    columns = ["response", "arms", "shift", "p", "smallest p", "nonzero"]
    return Table("Did the condition reach the rating?", columns, rows)


def _sentences(result: dict[str, Any]) -> list[str]:
    """What the numbers say, one sentence each."""
    again, room, fragile = result["reconstructed"], result["headroom"], result["fragility"]
    told = [_reached(result)]
    if again["share"] is not None:
        told.append(
            f"That construction has no preference: the shift of {again['from']} clipped onto "
            f"{again['onto']}. Rounded to ratings it gives {number(again['rounded_estimate'])}; "
            f"had {again['onto']} not moved at all, {number(again['full_clip_estimate'])}. What it "
            "leaves over bounds nothing."
        )
    else:
        told.append(f"No share is given: {again['reason']}.")
    told.append(
        f"Headroom: {number(room['up'])} points up, {number(room['down'])} down; the difference is "
        f"twice the separation of {number(room['separation'])}."
    )
    to_zero, past = fragile["changes_to_zero"], fragile["changes_past_zero"]
    told.append(
        f"Fewest single rating changes that bring the endpoint to zero: "
        f"{'–' if to_zero is None else to_zero}; past zero: {'–' if past is None else past}"
        f"{' (' + fragile['reason'] + ')' if fragile['reason'] else ''}."
    )
    told += _masking(result)
    power = result["power"]
    if power["minimum_effect"] is not None:
        told.append(
            f"Minimum detectable effect: {number(power['minimum_effect'])} points, with power "
            f"{power['wanted']:g} in simulation."
        )
    if power["power"] is not None:
        told.append(f"Power at {power['effect']:g}: {number(power['power'])}.")
    if power["reason"]:
        told.append(f"Power: {power['reason']}.")
    return told + _companions(result)


def _reached(result: dict[str, Any]) -> str:
    """The manipulation check of the treated arm, in words."""
    arm = result["arms"]["treated"]
    here = [each for each in result["manipulation"] if each["arm"] == arm]
    told = " and ".join(f"{each['response']} by {number(each['estimate'])}" for each in here)
    told = f"Under {arm} the mean rating moved: {told}"
    if all(each["nonzero"] == 0 for each in here):
        return f"{told}: the condition did not reach it, and no preference could show."
    signs = {each["estimate"] > 0 for each in here if abs(each["estimate"]) > 1e-9}
    if len(signs) == 1 and all(abs(each["estimate"]) > 1e-9 for each in here):
        return f"{told}: both the same way, as a common shift would."
    return f"{told}."


def _masking(result: dict[str, Any]) -> list[str]:
    return [
        f"{each['response']}: {each['at_bound_moved']} of {each['at_bound']} at the {each['bound']}"
        f" bound moved inwards, {each['away_moved']} of {each['away']} others moved that way "
        f"(Fisher p {p_value(each['p'])})."
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
                f"{p_value(found['p'])} over {found['n']} clusters{_shrinks(found)}."
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


def _shrinks(found: dict[str, Any]) -> str:
    if found["reason"]:
        return f": {found['reason']}"
    if found["shrinks_if"] is None:
        return ""
    return f"; if it shrank where evidence is clearer, rho would be {found['shrinks_if']}"
