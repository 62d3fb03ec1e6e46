"""Hyperparameters: our response equals TensorBoard's."""

import json

import pytest
from test_same_answers import assert_same

ALL = ["STATUS_UNKNOWN", "STATUS_SUCCESS", "STATUS_FAILURE", "STATUS_RUNNING"]
EVERYTHING = {"allowedStatuses": ALL, "sliceSize": 100}


def skip_unordered(stock):
    if not stock.python_loader:
        pytest.skip("the data server lists runs in no order, and a group takes its values from the first of its runs")


def column(**parameters):
    return {**EVERYTHING, "colParams": [parameters]}


@pytest.mark.parametrize("request_body", [{}, {"includeMetrics": False}, {"hparamsLimit": 2}], ids=str)
def test_experiment(trial_boards, request_body):
    answers = []
    for board in trial_boards:
        answer = board.json("plugin/hparams/experiment", body=request_body)
        assert board.json("plugin/hparams/experiment", request=json.dumps(request_body)) == answer
        # Inferred values are a set, in the order of its hash table.
        for info in answer["hparamInfos"]:
            if "domainDiscrete" in info:
                info["domainDiscrete"].sort()
        answers.append(answer)
    assert answers[1] == answers[0]
    assert answers[0]["hparamInfos"]


@pytest.mark.parametrize(
    "request_body",
    [
        {},
        EVERYTHING,
        {"allowed_statuses": [1], "slice_size": "1"},
        {**EVERYTHING, "startIndex": 1},
        {**EVERYTHING, "includeMetrics": False},
        {**EVERYTHING, "aggregationType": "AGGREGATION_MAX", "aggregationMetric": {"tag": "accuracy"}},
        column(hparam="lr", order="ORDER_DESC"),
        column(metric={"tag": "accuracy"}, order="ORDER_DESC"),
        column(hparam="lr", filterInterval={"minValue": 0.2, "maxValue": 1}),
        column(hparam="name", filterRegexp="^a"),
        column(hparam="bits", filterDiscrete=[8]),
        column(hparam="lr", includeInResult=True),
    ],
    ids=str,
)
def test_session_groups(trial_boards, request_body):
    stock, ours = trial_boards
    skip_unordered(stock)
    assert_same(stock, ours, "plugin/hparams/session_groups", body=request_body)


def test_there_are_groups_to_compare(trial_boards):
    _, ours = trial_boards
    page = ours.json("plugin/hparams/session_groups", body=EVERYTHING)
    assert page["sessionGroups"] and page["totalSize"] == len(page["sessionGroups"])
    assert all(group["metricValues"] for group in page["sessionGroups"])


def test_metric_evals(trial_boards):
    stock, ours = trial_boards
    page = ours.json("plugin/hparams/session_groups", body=EVERYTHING)
    for group in page["sessionGroups"]:
        for session in group["sessions"]:
            for metric in session["metricValues"]:
                request = {"sessionName": session["name"], "metricName": metric["name"]}
                assert_same(stock, ours, "plugin/hparams/metric_evals", body=request)
    assert_same(stock, ours, "plugin/hparams/metric_evals", body={"sessionName": "nowhere"})


@pytest.mark.parametrize("layout", ["json", "csv", "latex"])
@pytest.mark.parametrize("visible", [[True] * 9, [False, True, True, False, True]], ids=str)
def test_download_data(trial_boards, layout, visible):
    stock, ours = trial_boards
    skip_unordered(stock)
    arguments = {"format": layout, "columnsVisibility": json.dumps(visible), "request": json.dumps(EVERYTHING)}
    assert_same(stock, ours, "plugin/hparams/download_data", **arguments)


@pytest.mark.parametrize("body", [{"nothing": 1}, {"sliceSize": "x"}, {"colParams": 3}, {"allowedStatuses": ["NO"]}])
def test_requests_that_make_no_sense_are_refused(trial_boards, body):
    for board in trial_boards:
        assert board.ask("plugin/hparams/session_groups", body=body).status == 400
