"""Stock TensorBoard with the same two runs: histograms side by side, graphs, hparams, renaming."""

import contextlib
import json
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

LISTENING = re.compile(r"http://(?:127\.0\.0\.1|localhost):(\d+)/")


class TensorBoard:
    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}/data/"

    def ask(self, path, body=None, **query):
        url = self.address + path + ("?" + urllib.parse.urlencode(query) if query else "")
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            content = answer.read()
        is_json = answer.headers.get_content_type() == "application/json"
        return json.loads(content) if is_json else content


@contextlib.contextmanager
def tensorboard(*arguments):
    command = [sys.executable, "-m", "tensorboard.main", "--host", "127.0.0.1", "--port", "0",
               "--load_fast", "false", "--reload_interval", "1", *arguments]  # fmt: skip
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    try:
        for line in process.stderr:
            if found := LISTENING.search(line):
                yield TensorBoard(found[1])
                break
        else:
            raise AssertionError("TensorBoard did not start")
    finally:
        process.terminate()
        process.communicate()


def wait_for(ask, holds):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        answer = ask()
        if holds(answer):
            return answer
        time.sleep(0.2)
    raise AssertionError(f"TensorBoard still says {answer}")


@pytest.fixture(scope="module")
def stock(trials):
    spec = ",".join(f"{name}:{trials[name].directory}/" for name in ("baseline", "tune_1"))
    with tensorboard("--logdir_spec", spec) as board:
        wait_for(lambda: board.ask("plugin/histograms/tags"), lambda tags: len(tags) == 2)
        yield board


def test_histograms_stand_side_by_side_by_op(stock):
    tags = stock.ask("plugin/histograms/tags")
    assert set(tags) == {"baseline/.", "tune_1/."}
    for op in ("conv1", "conv2", "conv3", "fc"):
        assert {f"{op}/Output/fp32", f"{op}/weight/fp32"} <= set(tags["baseline/."])
        assert {f"{op}/Output/int8", f"{op}/weight/int8"} <= set(tags["tune_1/."])
    (fp32,) = stock.ask("plugin/histograms/histograms", run="baseline/.", tag="conv1/Output/fp32")
    (int8,) = stock.ask("plugin/histograms/histograms", run="tune_1/.", tag="conv1/Output/int8")

    def greatest(event):
        wall_time, step, buckets = event
        assert step == 0
        return max(right for _, right, count in buckets if count > 0)

    assert greatest(fp32) > 10 * greatest(int8)


def test_graphs_of_both_runs_open(stock):
    info = stock.ask("plugin/graphs/info")
    assert {run: info[run]["run_graph"] for run in info} == {"baseline/.": True, "tune_1/.": True}
    fp32 = stock.ask("plugin/graphs/graph", run="baseline/.").decode()
    assert 'op: "aten::_convolution"' in fp32 and "Conv2d[conv1]" in fp32
    int8 = stock.ask("plugin/graphs/graph", run="tune_1/.").decode()
    assert 'op: "quantized::conv2d_relu"' in int8 and "[conv1]" in int8


def test_trials_are_rows_of_the_hparams_page(trials):
    with tensorboard("--logdir", str(trials["baseline"].directory.parent)) as board:
        wait_for(
            lambda: board.ask("plugin/scalars/tags"), lambda tags: len(tags) == len(trials)
        )
        experiment = board.ask("plugin/hparams/experiment", {"experimentName": ""})
        assert [info["name"] for info in experiment["hparamInfos"]] == ["keep_fp32"]
        request = {
            "experimentName": "", "startIndex": 0, "sliceSize": 100,
            "allowedStatuses": ["STATUS_SUCCESS", "STATUS_UNKNOWN", "STATUS_RUNNING"],
            "colParams": [{"metric": {"group": "", "tag": "accuracy"}}],
        }  # fmt: skip
        groups = board.ask("plugin/hparams/session_groups", request)["sessionGroups"]
        rows = {
            group["hparams"]["keep_fp32"]: group["metricValues"][0]["value"] for group in groups
        }
        assert rows == {
            "nothing": pytest.approx(trials["tune_1"].accuracy),
            "conv1": pytest.approx(trials["tune_2"].accuracy),
        }


def test_a_trial_that_is_renamed_under_tensorboard_appears_under_its_new_name(tmp_path):
    from compression_board import TuningLogger

    logger = TuningLogger(tmp_path / "eval")
    logger.start_trial({"bits": 8})
    with tensorboard("--logdir", str(tmp_path)) as board:
        wait_for(lambda: board.ask("runs"), lambda runs: runs == ["eval/baseline"])
        logger.add_output("conv1", [1.0, 2.0])
        logger.finish_trial(0.5)
        wait_for(
            lambda: board.ask("plugin/histograms/tags"),
            lambda tags: "conv1/Output/fp32" in tags.get("eval/baseline_acc_0.5", []),
        )


def test_the_accumulator_finds_every_tag_that_was_reported(tmp_path):
    from compression_board import TuningLogger

    logger = TuningLogger(tmp_path / "eval")
    logger.start_trial()
    for op in range(50):
        logger.add_output(f"layer{op}", [float(op), op + 1.0])
        logger.add_parameter(f"layer{op}", "weight", [float(op), op + 1.0])
    report = logger.finish_trial(0.5)
    events = EventAccumulator(report.directory)
    events.Reload()
    found = events.Tags()
    assert sorted(found["histograms"] + found["scalars"]) == sorted(report.tags)
