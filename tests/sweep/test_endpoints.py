"""Several endpoints for one judge: balanced, left out when they fail or are another instrument."""

import asyncio
import json
import math
import subprocess
import sys
import time
from collections import Counter

import pytest

from judgeprobe.errors import StudyError
from judgeprobe.llm import retry
from judgeprobe.llm.canary import CLAIM
from judgeprobe.study import load_study
from judgeprobe.sweep.plan import load_plan
from judgeprobe.sweep.roster import make_judges
from judgeprobe.sweep.stage import sweep

from ..helpers.loopback import Answer, Loopback
from .test_models import ENVIRONMENT, PROMPT, claims, model, rows, script


@pytest.fixture
def make(make_study):
    def build(servers, *, budget="concurrency = 8", bases=10, name="study", **settings):
        urls = [getattr(server, "url", server) for server in servers]
        judge = model(None, base_url=None, base_urls=urls, **settings)
        study = make_study(f"{judge}\n[budget]\n{budget}\n", bases=bases, name=name)
        (study.folder / "mine.txt").write_text(PROMPT)
        return study

    return build


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "first_wait", 0.01)
    monkeypatch.setitem(retry.retrying.__kwdefaults__, "longest_wait", 0.05)


def is_canary(body):
    return CLAIM in json.dumps(body)


def texts(server):
    """Claims of the study that a server was asked about."""
    return [claim for claim in claims(server.bodies) if claim != CLAIM]


def with_logprobs(*shares):
    """A server whose first token has these probabilities of "1", "2", ..."""
    tops = [
        {"token": str(n), "logprob": math.log(share)} for n, share in enumerate(shares, start=1)
    ]

    def answer(body):
        return Answer(script(body), logprobs={"content": [{**tops[0], "top_logprobs": tops}]})

    return answer


def test_the_work_is_shared_by_what_is_in_flight_and_each_text_asked_once(make):
    with Loopback(script, latency=0.01) as one, Loopback(script, latency=0.05) as two:
        study = make([one, two], bases=30)
        result = sweep(study)
        assert result.complete
        asked = Counter([*texts(one), *texts(two)])
        assert asked == Counter(text.text for text in load_plan(study).texts)
        # Five times as fast, and never the one alone.
        assert len(texts(one)) > 2 * len(texts(two)) > 10
        # The study's limit is on both together.
        assert one.peak + two.peak <= 8 + 2
        assert {row["status"] for row in rows(study)} == {"graded"}


def test_the_grades_and_the_cache_do_not_depend_on_the_endpoints(make):
    with Loopback(script) as one, Loopback(script) as two:
        study = make([one, two])
        sweep(study)
        single = make([one], name="single")
        sweep(single)
        assert study.grades_path.read_bytes() == single.grades_path.read_bytes()
        calls = one.requests + two.requests
        path = study.folder / "study.toml"
        path.write_text(path.read_text().replace(one.url, "http://127.0.0.1:1/v1"))
        assert sweep(load_study(study.folder)).calls == 0
        assert one.requests + two.requests == calls


def test_an_endpoint_that_serves_another_model_is_named_and_left_out(make):
    other = {"model": "m1-mini"}
    with (
        Loopback(script) as one,
        Loopback(lambda body: Answer(script(body), top=other)) as two,
        Loopback(script) as three,
    ):
        study = make([one, two, three])
        done = subprocess.run(
            [sys.executable, "-m", "judgeprobe", "sweep", str(study.folder), "--json"],
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 3
        (line,) = json.loads(done.stdout)["findings"]
        assert two.url in line
        assert "'m1-mini'" in line
        assert "left out" in line
        assert texts(two) == []
        assert len(texts(one)) + len(texts(three)) == len(load_plan(study).texts)
        assert {row["served_model"] for row in rows(study)} == {"m1"}


@pytest.mark.parametrize("where", [0, 1, 2])
def test_an_endpoint_with_other_log_probabilities_is_named_and_left_out(make, where):
    answers = [with_logprobs(0.6, 0.3), with_logprobs(0.59, 0.31), with_logprobs(0.61, 0.3)]
    answers[where] = with_logprobs(0.45, 0.45)
    with Loopback(answers[0]) as one, Loopback(answers[1]) as two, Loopback(answers[2]) as three:
        servers = [one, two, three]
        study = make(servers)
        (line,) = sweep(study).findings
        assert servers[where].url in line
        assert "log-probability" in line
        # The majority is the judge, wherever the odd one stands.
        assert [bool(texts(server)) for server in servers] == [n != where for n in range(3)]


def test_of_two_that_disagree_the_first_is_the_judge(make):
    with Loopback(with_logprobs(0.6, 0.3)) as one, Loopback(with_logprobs(0.3, 0.6)) as two:
        study = make([one, two])
        assert two.url in sweep(study).findings[0]
        assert texts(two) == []
        wide = make([one, two], name="wide", canary_tolerance=1.0)
        assert sweep(wide).findings == ()


def test_where_no_log_probabilities_are_disclosed_the_greedy_text_is_compared(make):
    def answer(body):
        if "logprobs" in body:
            return Answer(status=400, top={"error": {"message": "logprobs is not supported"}})
        return '{"grade": 1, "reason": "mine"}' if is_canary(body) else script(body)

    with Loopback(answer) as one, Loopback(script) as two, Loopback(answer) as three:
        study = make([one, two, three])
        (line,) = sweep(study).findings
        assert two.url in line
        assert "answers the canary" in line


@pytest.mark.parametrize(
    ("page", "content", "words"),
    [
        ("/v1/models", {"data": [{"id": "another"}]}, "lists only the models another"),
        ("/v1/models", {"data": [{"id": "m1", "meta": {"size": 9}}]}, "another size (9)"),
        ("/props", {"chat_template": "{{ other }}"}, "another chat template"),
    ],
)
def test_what_an_endpoint_says_of_itself_is_compared(make, page, content, words):
    usual = {
        "/v1/models": {"data": [{"id": "m1", "meta": {"size": 7}}]},
        "/props": {"chat_template": "{{ usual }}"},
    }
    with (
        Loopback(script, pages=usual) as one,
        Loopback(script, pages={**usual, page: content}) as two,
    ):
        study = make([one, two])
        (line,) = sweep(study).findings
        assert words in line
        assert two.url in line
        assert texts(two) == []


def test_a_model_that_changes_during_the_run_is_left_out_and_its_replies_thrown_away(make):
    served = iter(range(10_000))

    def answer(body):
        return Answer(script(body), top={"model": "m1" if next(served) < 6 else "m1-mini"})

    with Loopback(script) as one, Loopback(answer) as two:
        study = make([one, two], bases=20)
        result = sweep(study)
        (line,) = result.findings
        assert two.url in line
        assert result.retries > 0
        assert result.complete
        assert {row["served_model"] for row in rows(study)} == {"m1"}
        assert {row["status"] for row in rows(study)} == {"graded"}


def test_a_new_fingerprint_is_checked_by_the_canary_before_another_text_goes_there(make):
    changed = False

    def answer(body):
        nonlocal changed
        changed = changed or len(two.bodies) > 8
        top = {"system_fingerprint": "fp_new"} if changed else {}
        # After the change another instrument answers, under the same name.
        text = '{"grade": 5}' if changed and is_canary(body) else script(body)
        return Answer(text, top=top)

    with Loopback(script) as one, Loopback(answer) as two:
        study = make([one, two], bases=20)
        (line,) = sweep(study).findings
        assert "answers the canary" in line
        assert {row["served_fingerprint"] for row in rows(study)} == {"fp_loopback"}


def test_a_new_quantization_is_another_instrument_at_once(make):
    def answer(body):
        return Answer(script(body), top={"quantization": "fp8" if len(two.bodies) < 9 else "int4"})

    def steady(body):
        return Answer(script(body), top={"quantization": "fp8"})

    with Loopback(steady) as one, Loopback(answer) as two:
        study = make([one, two], bases=20)
        assert "'int4'" in sweep(study).findings[0]
        assert {row["served_quantization"] for row in rows(study)} == {"fp8"}


def test_an_endpoint_that_is_down_is_left_out_and_comes_back(make):
    with Loopback(script) as spare:
        port = spare.port
    with Loopback(script, latency=0.02) as one:
        study = make([one, f"http://127.0.0.1:{port}/v1"], bases=60, budget="concurrency = 2")
        (judge,) = make_judges(study)
        plan = load_plan(study).texts

        async def run():
            for text in plan[:5]:
                await judge.ask(text, 0)
            assert len(texts(one)) == 5
            with Loopback(script, port=port) as two:
                end = time.monotonic() + 10
                while not texts(two) and time.monotonic() < end:
                    await asyncio.gather(*(judge.ask(text, 0) for text in plan[:4]))
                # The canary came before any text.
                assert is_canary(two.parsed()[0])
                assert texts(two)
            await judge.close()

        asyncio.run(run())
        assert judge.findings() == []
        (line,) = judge.notes()
        assert f":{port}/v1" in line
        assert "did not answer" in line


def test_an_endpoint_that_dies_in_the_middle_loses_nothing(make):
    def answer(body):
        broken = len(two.bodies) > 10
        return Answer(status=500, top={"error": {"message": "gone"}}) if broken else script(body)

    with Loopback(script) as one, Loopback(answer) as two:
        study = make([one, two], bases=30)
        result = sweep(study)
        assert result.complete
        assert two.url in "\n".join(result.notes)
        # Two in a row and what was in flight, and then no more.
        assert two.counts["500"] < 12
        assert len(rows(study)) == len(load_plan(study).texts)


def test_endpoints_that_are_all_down_fail_like_one_that_is(make):
    study = make(["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"], bases=2)
    monkey = retry.retrying.__kwdefaults__
    tries, monkey["tries"] = monkey["tries"], 2
    try:
        result = sweep(study)
    finally:
        monkey["tries"] = tries
    assert not result.complete or {row["status"] for row in rows(study)} == {"failed"}
    assert "none of the 2 endpoints answers" in str([row["detail"] for row in rows(study)])


def test_a_key_that_every_endpoint_refuses_stops_the_judge_with_one_line(make):
    def refuse(body):
        return Answer(status=401, top={"error": {"message": "no such key"}})

    with Loopback(refuse) as one, Loopback(refuse) as two:
        result = sweep(make([one, two]))
        assert "no such key" in result.judges[0].stopped
        assert "\n" not in result.judges[0].stopped


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"base_urls": ["http://a/v1", "http://a/v1"]}, "twice"),
        ({"base_urls": ["http://a/v1", "http://b/v2"]}, "different paths"),
        ({"base_url": "http://a/v1", "base_urls": ["http://b/v1"]}, "either"),
        ({"base_url": ["http://a/v1", "http://b/v1"]}, "base_urls"),
        (
            {"base_urls": ["http://a/v1", "http://b/v1"], "endpoint_selects_model": True},
            "must serve one model",
        ),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(make_study, settings, words):
    with pytest.raises(StudyError, match=words):
        make_study(model(None, **{"base_url": None, **settings}))
