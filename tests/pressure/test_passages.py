"""Which passages claims are written about."""

import pytest
from tests.helpers.annotation import intervention
from tests.helpers.pressure_players import write_study

from judgeprobe.errors import InputError
from judgeprobe.files import write_jsonl
from judgeprobe.pressure.passages import passages

URL = "http://127.0.0.1:9/v1"


def test_shared_evidence_is_one_passage_and_the_limit_counts_passages(tmp_path):
    study = write_study(tmp_path, URL, count=4)
    assert [one.base_id for one in passages(study)] == ["q000", "q001", "q002", "q003"]
    study = write_study(tmp_path, URL, count=4, pressure="limit = 2")
    assert [one.base_id for one in passages(study)] == ["q000", "q001"]


def test_a_study_on_pairs_gives_the_evidence_of_its_interventions(tmp_path):
    study = write_study(tmp_path, URL, count=1)
    study.base_items_path.unlink()
    edits = [intervention(1, evidence="One."), intervention(2, evidence="One."), intervention(3)]
    write_jsonl(study.interventions_path, edits)
    found = passages(study)
    assert [one.base_id for one in found] == ["base-1", "base-3"]
    assert found[0].evidence == "One."


def test_no_evidence_and_no_build_are_told_apart(tmp_path):
    study = write_study(tmp_path, URL, count=1)
    write_jsonl(study.base_items_path, [])
    with pytest.raises(InputError, match="no evidence"):
        passages(study)
    study.base_items_path.unlink()
    with pytest.raises(InputError, match="run first: judgeprobe build"):
        passages(study)
