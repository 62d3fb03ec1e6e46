"""Tests `compare` on networks that real quantizers damaged or not: the part of the exam that needs
only the downloads of scripts/fetch-networks. scripts/test-deep runs the rest.

losers.json lists the questions that `compare` currently answers wrong. A case may leave that list,
and none may be added.
"""

import json
from pathlib import Path

import pytest
from cases import CASES
from experiment import Pair, accepted_verdicts
from networks import registry
from score import lost_questions, scored

HERE = Path(__file__).resolve().parent
TRUTH = json.loads((HERE / "truth.json").read_text())
LOSERS = json.loads((HERE / "losers.json").read_text())
SMALL = {name for name, network in registry().items() if network.is_small}
SMALL_CASES = [case for case in CASES
               if case["network"] in SMALL and "lane" not in case]


@pytest.fixture(scope="session")
def exam(tmp_path_factory):
    return tmp_path_factory.mktemp("exam")


@pytest.mark.parametrize("case", SMALL_CASES, ids=lambda case: case["name"])
def test_answers_as_before_or_better(case, exam):
    truth = Pair(case, exam, exam / ".floats").establish()
    stored = TRUTH[case["name"]]
    # The experiment gives the same truth on every machine.
    assert set(accepted_verdicts(truth["agreement"])) & set(stored["accepted"]), truth
    if "fix" in case:
        assert truth["fix_recovers_half"], truth
    result = scored(exam / case["name"])
    assert set(lost_questions(result)) <= set(LOSERS.get(case["name"], [])), result


def test_every_case_has_a_truth_that_an_experiment_confirmed():
    assert {case["name"] for case in CASES if "lane" not in case} <= set(TRUTH)
    for case in CASES:
        truth = TRUTH.get(case["name"])
        if truth and "fix" in case:
            assert truth["fix_recovers_half"], case["name"]
            assert truth["verdict"] != "sound", case["name"]
