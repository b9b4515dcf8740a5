from judgeprobe.noticing import noticing
from judgeprobe.records import Intervention, Rejection
from judgeprobe.taxonomy import load_taxonomy

TAXONOMY = load_taxonomy("claim-calibration")


def verdict(changed, claims_more):
    axes = {slot.name: slot.axis for slot in TAXONOMY.slots}
    return {"claims_more": claims_more, "slot_changed": changed, "axis_changed": axes.get(changed)}


def accepted(number, slot, verifier):
    entry = TAXONOMY.slot(slot)
    return Intervention(
        id=str(number), base_id="b", slot=slot, axis=entry.axis, arm=entry.arm, evidence="e",
        original="o", edited="e", generator="g", family="f", length_change=0.0,
        direction_source="construction", verifier=verifier,
    )  # fmt: skip


def refused(slot, verifier):
    return Rejection(
        base_id="b", slot=slot, stage="verify", gate="slot_changed", reason="r", text="t",
        verifier=verifier,
    )  # fmt: skip


def test_accepted_and_refused_edits_with_a_verdict_count() -> None:
    rows = noticing(
        [
            accepted(1, "domain_extension", verdict("domain_extension", True)),
            accepted(2, "population_widening", verdict("population_widening", False)),
            accepted(3, "hedging_removal", verdict("hedging_removal", True)),
            accepted(4, "reordering", verdict("reordering", False)),
            accepted(5, "reordering", None),
        ],
        [
            refused("domain_extension", verdict("hedging_removal", True)),
            refused("domain_extension", verdict("several", True)),
            refused("quantifier_strengthening", None),
            refused("elaboration", verdict("domain_extension", True)),
        ],
        TAXONOMY.slots,
    )
    scope, strength, control = rows
    assert (scope.axis, scope.pairs, scope.noticed, scope.share) == ("scope", 4, 3, 0.75)
    # "several" names no axis; of the two that do, one is ours.
    assert (scope.named, scope.agrees, scope.agreement) == (2, 1, 0.5)
    assert (strength.pairs, strength.noticed, strength.agreement) == (1, 1, 1.0)
    assert (control.pairs, control.noticed, control.share) == (2, 1, 0.5)
    assert control.agreement is None


def test_an_axis_without_a_verdict_has_no_share() -> None:
    for row in noticing([], [], TAXONOMY.slots):
        assert (row.pairs, row.share, row.agreement) == (0, None, None)
