import json
import random
from collections import Counter

import pytest
from tests.helpers.annotation import intervention, make_study, sheets, write_html_copy

from judgeprobe.annotate.agreement import agreement_report, read_label_table
from judgeprobe.annotate.export import export
from judgeprobe.annotate.keys import keys_dir, read_keys
from judgeprobe.annotate.run import import_labels, study_status
from judgeprobe.errors import InputError, MixedArtifactsError
from judgeprobe.files import read_json, read_jsonl, write_jsonl
from judgeprobe.records import Direction, Label


def plain(unit_id, direction, facts=True):
    return {
        "unit_id": unit_id,
        "direction": direction,
        "spans": [],
        "supported": "It changed.",
        "same_facts": facts,
    }


def labelled(folder, items, say, **options):
    """A study labelled by three people; `say(item, row, n)` gives direction, edited or original."""
    study = make_study(folder / "study", items, secret="77" * 32)
    export(study, annotators=3, size=options.pop("size", 1000), forms=["html"], **options)
    by_id = {item.id: item for item in items}
    files = []
    for key in read_keys(study):
        for n, sheet in enumerate(sheets(study, key)):
            rows = [row for row in key.rows if row.annotator == sheet.annotator]
            answers = []
            for row in rows:
                said = say(by_id[row.intervention_id], row, n)
                if said is None:
                    continue
                direction, facts = said if isinstance(said, tuple) else (said, True)
                if direction in ("edited", "original"):
                    direction = "a" if direction == row.first else "b"
                answers.append(plain(row.unit_id, direction, facts))
            files.append(write_html_copy(folder / f"{sheet.stem}.json", sheet, answers))
    return study, files


def test_a_study_from_labels_to_directions(tmp_path):
    items = [intervention(n, slot=n, base=n // 12) for n in range(120)]

    def say(item, row, n):
        number = int(item.id, 16)
        if item.slot == "elaboration":  # nobody agrees
            return ("edited", "original", "neither")[(n + number) % 3]
        if item.slot == "hedging_removal" and number < 12:
            return "edited", False
        if item.slot == "reordering" and number < 24:
            return "cannot_tell"
        intended = "edited" if item.arm == "construct" else "neither"
        if item.slot == "domain_extension" and n == 2:
            return "neither"
        return "original" if number == 1 else intended

    study, files = labelled(tmp_path, items, say)
    _, report = import_labels(study, files)
    directions = {d.intervention_id: d for d in read_jsonl(study.directions_path, Direction)}
    assert list(directions) == [item.id for item in items]
    statuses = Counter((item.slot, directions[item.id].status) for item in items)
    assert statuses["elaboration", "no majority"] == 10
    assert statuses["hedging_removal", "facts differ"] == 1
    assert statuses["reordering", "cannot tell"] == 2
    assert statuses["population_widening", "against intent"] == 1
    # Two of three agree on it: a third of the pairs of labels, below the bar.
    assert statuses["domain_extension", "slot not measurable"] == 10
    content = read_json(study.annotation_path)
    assert content == json.loads(json.dumps(report.content, allow_nan=False))
    reasons = Counter()
    for one in content["excluded"]:
        reasons[one["reason"]] += one["n"]
    expected = Counter(d.status for d in directions.values() if d.status != "enters")
    assert reasons == expected
    assert content["enters"] == 120 - sum(expected.values())
    assert content["three_way_splits"] == 10
    assert content["cannot_tell"]["units"] == 2
    assert content["cannot_tell"]["rate"] == pytest.approx(6 / 360)
    assert content["facts_differ"] == 1
    per_slot = {one["slot"]: one for one in content["yield"]}
    assert per_slot["domain_extension"]["matches_intent"] == 10
    assert per_slot["domain_extension"]["enters"] == 0
    assert per_slot["domain_extension"]["pairwise"] == pytest.approx(1 / 3)
    assert per_slot["format_shift"]["degenerate"]
    assert content["unanimous"]["n"] == 120 - 10 - 10
    manifest = read_json(study.manifest_path)["stages"]["annotate"]
    assert manifest["taxonomy"] == study.taxonomy.hash
    assert set(manifest["outputs"]) == {"directions.jsonl", "annotation.json"}


def test_importing_again_writes_the_same_bytes_in_any_order_of_files(tmp_path):
    items = [intervention(n, slot=n, base=n // 12) for n in range(24)]
    rng = random.Random(3)
    study, files = labelled(
        tmp_path, items, lambda *_: rng.choice(("edited", "original", "neither"))
    )
    import_labels(study, files)
    paths = (study.labels_path, study.directions_path, study.annotation_path, study.manifest_path)
    before = [path.read_bytes() for path in paths]
    import_labels(study, files[::-1])
    assert [path.read_bytes() for path in paths] == before
    import_labels(study, [])
    assert [path.read_bytes() for path in paths] == before


def test_the_unblinded_table_gives_the_studys_own_figures(tmp_path):
    items = [intervention(n, slot=n, base=n // 12) for n in range(48)]
    rng = random.Random(1)
    study, files = labelled(
        tmp_path, items, lambda *_: rng.choice(("edited", "original", "neither", "cannot_tell"))
    )
    _, report = import_labels(study, files)
    rows, has_base = read_label_table(keys_dir(study) / "item_labels.csv")
    assert has_base
    found = agreement_report(rows, bar=0.75, resamples=1000, seed=7)
    ours = report.content["agreement"]
    assert found["first_position"] == ours["first_position"]
    assert found["annotator_pairs"] == ours["annotator_pairs"]
    for name in ("pairwise", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "n_units"):
        assert found["overall"][name] == pytest.approx(ours["overall"][name])
    by_slot = {one["slot"]: one for one in found["slots"]}
    for one in ours["slots"]:
        assert by_slot[one["slot"]]["pairwise"] == pytest.approx(one["pairwise"])


def test_a_planted_preference_for_the_first_sentence_is_seen_and_does_not_become_a_direction(
    tmp_path,
):
    items = [intervention(n, slot=n % 7, base=n) for n in range(200)]
    study, files = labelled(tmp_path, items, lambda item, row, n: row.first)
    _, report = import_labels(study, files)
    first = report.content["agreement"]["first_position"]
    assert (first["rate"], first["high"]) == (1.0, 1.0)
    assert first["low"] > 0.99
    # Each saw their own order, so agreement on the edit itself is that of a coin.
    assert abs(report.content["agreement"]["overall"]["pairwise"] - 0.5) < 0.1


def test_repeats_measure_each_annotator_against_themselves(tmp_path):
    items = [intervention(n, slot=n, base=n) for n in range(40)]

    def say(item, row, n):
        if row.role == "repeat" and n == 1:
            return "neither" if int(item.id, 16) % 2 else "edited"
        return "edited"

    study, files = labelled(tmp_path, items, say, repeats=20)
    _, report = import_labels(study, files)
    first, second, third = report.content["self_consistency"]
    assert (first["rate"], third["rate"], first["n"]) == (1.0, 1.0, 20)
    assert 0 < second["rate"] < 1
    assert second["low"] < second["rate"] < second["high"]
    assert report.content["agreement"]["overall"]["n_units"] == 40


def test_the_training_round_is_discarded(tmp_path):
    items = [intervention(n, slot=n, base=n) for n in range(30)]
    study, files = labelled(tmp_path, items, lambda *_: "edited", training=6)
    _, report = import_labels(study, files)
    assert report.content["training"] == {"labels_discarded": 18, "units": 6}
    assert report.content["agreement"]["overall"]["n_units"] == 24
    stopped = [one["n"] for one in report.content["excluded"] if one["reason"] == "training"]
    assert sum(stopped) == 6
    assert sum(one["n"] for one in report.content["yield"]) == 24
    assert len(read_jsonl(study.labels_path, Label)) == 90


def test_verifier_and_people(tmp_path):
    items = [
        intervention(n, slot=n % 7, base=n).model_copy(update={"verifier": {"claims_more": n < 10}})
        for n in range(40)
    ]
    study, files = labelled(tmp_path, items, lambda *_: "edited")
    _, report = import_labels(study, files)
    found = report.content["verifier"]
    assert (found["n"], found["rate"]) == (40, 0.75)
    assert {one["axis"] for one in found["axes"]} == {"scope", "strength"}
    assert sum(one["n"] for one in found["axes"]) == 40


def test_without_a_verifier_the_comparison_says_why_it_is_empty(tmp_path):
    items = [intervention(n, base=n) for n in range(5)]
    study, files = labelled(tmp_path, items, lambda *_: "edited")
    _, report = import_labels(study, files)
    assert report.content["verifier"]["rate"] is None
    assert "no pair has both" in report.content["verifier"]["reason"]


def test_status_before_during_and_after(tmp_path):
    items = [intervention(n, slot=n, base=n // 12) for n in range(48)]

    def say(item, row, n):
        if n == 2:
            return None
        if item.slot == "elaboration":
            return ("edited", "neither")[n]
        return "edited"

    study, files = labelled(tmp_path, items, say)
    before = study_status(study)
    assert [one["labels"] for one in before["progress"]] == [0, 0, 0]
    assert before["lost"] == []
    assert before["agreement"]["overall"]["pairwise"] is None
    import_labels(study, files)
    during = study_status(study)
    assert [one["labels"] for one in during["progress"]] == [48, 48, 0]
    assert during["progress"][0]["median_seconds"] == 3.5
    # Two different labels on each pair: with a third, a third of the pairs of labels agree.
    assert during["lost"] == ["elaboration"]
    lost = next(one for one in during["reachable"] if one["slot"] == "elaboration")
    assert lost["best"] == pytest.approx(1 / 3)
    assert next(one for one in during["reachable"] if one["slot"] == "reordering")["best"] == 1.0


def test_a_change_of_taxonomy_is_refused(tmp_path):
    items = [intervention(n, base=n) for n in range(3)]
    study, files = labelled(tmp_path, items, lambda *_: "edited")
    path = keys_dir(study) / "batch-001.json"
    path.write_text(path.read_text().replace(study.taxonomy.hash, "0" * 64))
    with pytest.raises(MixedArtifactsError, match="taxonomy"):
        import_labels(study, files)
    path.write_text("{}")
    with pytest.raises(InputError, match="is not a key: `batch`"):
        import_labels(study, files)


def test_what_is_missing_is_named(tmp_path):
    study = make_study(tmp_path, [intervention(1)])
    with pytest.raises(InputError, match="run: judgeprobe annotate export"):
        study_status(study)
    export(study, annotators=3, size=10, forms=["csv"])
    with pytest.raises(InputError, match="name the files that came back"):
        import_labels(study, [])


# ---- export --------------------------------------------------------------------------------------


def test_a_second_export_takes_only_what_is_new(tmp_path):
    items = [intervention(n, base=n) for n in range(10)]
    study = make_study(tmp_path, items[:6])
    export(study, annotators=3, size=4, forms=["csv"], training=1)
    with pytest.raises(InputError, match="every intervention is in a batch already"):
        export(study, annotators=3, size=4, forms=["csv"])
    write_jsonl(study.interventions_path, items)
    (made,) = export(study, annotators=3, size=4, forms=["csv"], training=1)
    assert (made.batch, made.units, made.training) == ("batch-004", 4, False)
    numbers = [int(row.intervention_id, 16) for row in read_keys(study)[-1].rows]
    assert sorted(set(numbers)) == [6, 7, 8, 9]


def test_replacing_batches_is_refused_once_there_are_labels(tmp_path):
    items = [intervention(n, base=n) for n in range(5)]
    study, files = labelled(tmp_path, items, lambda *_: "edited")
    export(study, annotators=2, size=3, forms=["csv"], replace=True)
    assert [key.batch for key in read_keys(study)] == ["batch-001", "batch-002"]
    export(study, annotators=3, size=1000, forms=["html"], replace=True)
    import_labels(study, files)
    with pytest.raises(InputError, match="holds 15 labels of the batches"):
        export(study, annotators=3, size=3, forms=["csv"], replace=True)


def test_a_codebook_that_names_a_slot_or_model_is_refused_and_nothing_is_written(tmp_path):
    study = make_study(tmp_path / "study", [intervention(1)])
    book = tmp_path / "book.md"
    for name in ("Hedging removal", "hedging_removal", "scope", "writer-9000", "invariance"):
        book.write_text(f"# Codebook\n\nThink of {name}, always.\n")
        with pytest.raises(InputError, match="an annotator could tell what was asked for"):
            export(study, annotators=3, size=10, codebook=book)
    assert not study.annotation_dir.exists()
    book.write_text("# Codebook\n\nMicroscopes and constructions are fine words.\n")
    export(study, annotators=1, size=10, codebook=book, forms=["html"])
    page = next(study.annotation_dir.rglob("batch-001-annotator-1.html")).read_text()
    assert "Microscopes and constructions" in page


def test_a_text_too_long_for_a_cell_is_named_and_nothing_is_written(tmp_path):
    study = make_study(tmp_path, [intervention(1, evidence="x" * 32_768)])
    with pytest.raises(InputError, match="has 32768 characters; a spreadsheet cell holds 32767"):
        export(study, annotators=1, size=10)
    assert not list(study.annotation_dir.glob("batch-*"))
    export(study, annotators=1, size=10, forms=["html", "csv", "label-studio"])


def test_a_lone_surrogate_is_named(tmp_path):
    study = make_study(tmp_path, [intervention(1)])
    text = study.interventions_path.read_text().replace("We saw", "\\ud800 saw")
    study.interventions_path.write_text(text)
    with pytest.raises(InputError, match="half a character"):
        export(study, annotators=1, size=10)


def test_a_damaged_secret_is_named(tmp_path):
    study = make_study(tmp_path, [intervention(1)], secret="not hex")
    with pytest.raises(InputError, match="restore it from a copy"):
        export(study, annotators=1, size=10)
