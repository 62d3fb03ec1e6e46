"""Stock TensorBoard gives the same JSON on every route with our data server and with RustBoard.

The Python loader is the oracle where the other two differ. Intended differences from RustBoard:
values of old writers keep display name and description, and old sounds have the type WAV (both as
with the Python loader). Differences from the Python loader exist in RustBoard, too: histograms of
old writers keep their empty bins and all digits, and series are sampled by other random numbers.
"""

import contextlib
import json
import os
import urllib.parse

import pytest
from boards import tensorboard
from servers import OURS

PLUGINS_WITH_TAGS = ["scalars", "histograms", "distributions", "images", "audio", "text", "pr_curves", "mesh"]
LONG = "long"  # More than the limit of the loaders.


@contextlib.contextmanager
def stock_tensorboard(logdir, load_fast, binary=None):
    """Runs TensorBoard with the data server `binary`; ready when it has every run."""
    runs = {str(path.parent.relative_to(logdir)) for path in logdir.rglob("*tfevents*")}

    def has_loaded(board):
        try:
            tags = board.json("plugin/scalars/tags")
        except AssertionError:
            return False
        return set(board.json("runs")) == runs and "named" in tags.get(LONG, {})

    if binary:
        os.environ["TENSORBOARD_DATA_SERVER_BINARY"] = binary
    try:
        with tensorboard(logdir, load_fast, has_loaded) as board:
            os.environ.pop("TENSORBOARD_DATA_SERVER_BINARY", None)
            yield board
    finally:
        os.environ.pop("TENSORBOARD_DATA_SERVER_BINARY", None)


@pytest.fixture(scope="module")
def with_ours(logdir):
    with stock_tensorboard(logdir, "true", OURS) as board:
        yield board


@pytest.fixture(scope="module")
def with_rustboard(logdir):
    with stock_tensorboard(logdir, "true") as board:
        yield board


@pytest.fixture(scope="module")
def with_python(logdir):
    with stock_tensorboard(logdir, "false") as board:
        yield board


def series(board, plugin):
    tags = board.json(f"plugin/{plugin}/tags")
    found = [(run, tag) for run in sorted(tags) for tag in sorted(tags[run])]
    assert found
    return found


def assert_same(ours, other, path, normalize=lambda value: value, **arguments):
    expected, actual = other.ask(path, **arguments), ours.ask(path, **arguments)
    assert (actual.status, actual.type) == (expected.status, expected.type), (path, arguments, actual)
    if expected.type == "application/json":
        expected, actual = normalize(json.loads(expected.body)), normalize(json.loads(actual.body))
        assert actual == expected, (path, arguments)
    else:
        assert actual.body == expected.body, (path, arguments)


def without_names(tags):
    """Returns tags without the parts of old values that RustBoard drops."""
    for entries in tags.values():
        for entry in entries.values():
            entry.pop("displayName", None)
            entry.pop("description", None)
    return tags


@pytest.mark.parametrize("path", ["runs", "logdir", "window_properties", "plugin/graphs/info", "plugin/custom_scalars/layout"])
def test_core(with_ours, with_rustboard, path):
    def ordered(value):
        return sorted(value) if isinstance(value, list) else value

    assert_same(with_ours, with_rustboard, path, ordered)


def test_plugins_listing(with_ours, with_rustboard):
    # The projector searches its files in the background.
    def without_projector(listing):
        listing["projector"].pop("enabled")
        return listing

    assert_same(with_ours, with_rustboard, "plugins_listing", without_projector)


@pytest.mark.parametrize("plugin", PLUGINS_WITH_TAGS)
def test_tags(with_ours, with_rustboard, plugin):
    def normalize(tags):
        if plugin == "text":
            return {run: sorted(names) for run, names in tags.items()}
        return without_names(tags)

    assert_same(with_ours, with_rustboard, f"plugin/{plugin}/tags", normalize)


@pytest.mark.parametrize("plugin", ["scalars", "histograms", "images", "audio"])
def test_names_are_those_of_the_python_loader(with_ours, with_python, plugin):
    expected, actual = (board.json(f"plugin/{plugin}/tags") for board in (with_python, with_ours))
    for run, tags in expected.items():
        for tag, entry in tags.items():
            ours = actual[run][tag]
            assert ours["description"] == entry["description"], (run, tag)
            # Without a name, the Python loader repeats the tag.
            assert (ours["displayName"] or tag) == (entry["displayName"] or tag), (run, tag)


def test_scalars(with_ours, with_rustboard, with_python):
    for run, tag in series(with_rustboard, "scalars"):
        for other in (with_rustboard, with_python):
            if other is with_python and run == LONG:
                continue
            for arguments in ({}, {"format": "csv"}):
                assert_same(with_ours, other, "plugin/scalars/scalars", run=run, tag=tag, **arguments)


@pytest.mark.parametrize("plugin", ["histograms", "distributions"])
def test_histograms(with_ours, with_rustboard, plugin):
    for run, tag in series(with_rustboard, plugin):
        assert_same(with_ours, with_rustboard, f"plugin/{plugin}/{plugin}", run=run, tag=tag)


def individual(board, plugin, route, entry):
    return board.ask(f"plugin/{plugin}/{route}", **dict(urllib.parse.parse_qsl(entry["query"])))


def test_images(with_ours, with_rustboard):
    for run, tag in series(with_rustboard, "images"):
        for sample in (0, 1):
            arguments = {"run": run, "tag": tag, "sample": sample}
            assert_same(with_ours, with_rustboard, "plugin/images/images", **arguments)
            for entry in with_rustboard.json("plugin/images/images", **arguments):
                expected = individual(with_rustboard, "images", "individualImage", entry)
                assert individual(with_ours, "images", "individualImage", entry) == expected


def test_audio(with_ours, with_python):
    for run, tag in series(with_python, "audio"):
        expected, actual = (
            board.json("plugin/audio/audio", run=run, tag=tag, sample=0) for board in (with_python, with_ours)
        )
        for ours, entry in zip(actual, expected, strict=True):
            sound = individual(with_ours, "audio", "individualAudio", ours)
            assert sound == individual(with_python, "audio", "individualAudio", entry)
            assert sound.type == "audio/wav"
            ours.pop("query"), entry.pop("query")
            assert ours == entry


def test_text(with_ours, with_rustboard):
    tags = with_rustboard.json("plugin/text/tags")
    for run in tags:
        for tag in tags[run]:
            assert_same(with_ours, with_rustboard, "plugin/text/text", run=run, tag=tag)


def test_pr_curves(with_ours, with_rustboard, with_python):
    for run, tag in series(with_rustboard, "pr_curves"):
        for other in (with_rustboard, with_python):
            assert_same(with_ours, other, "plugin/pr_curves/pr_curves", run=run, tag=tag)


def test_meshes(with_ours, with_rustboard):
    def ordered(steps):
        return sorted(steps, key=lambda step: (step["step"], step["content_type"]))

    for run, tag in series(with_rustboard, "mesh"):
        assert_same(with_ours, with_rustboard, "plugin/mesh/meshes", ordered, run=run, tag=tag)
        for content_type in ("VERTEX", "FACE", "COLOR"):
            assert_same(with_ours, with_rustboard, "plugin/mesh/data", run=run, tag=tag, content_type=content_type,
                        step=1, sample=0)  # fmt: skip


def test_custom_scalars(with_ours, with_rustboard):
    for run in ("stock", LONG, "nowhere"):
        for expression in ("lo.*", ".*", "["):
            assert_same(with_ours, with_rustboard, "plugin/custom_scalars/scalars", run=run, tag=expression)


def test_graphs(with_ours, with_rustboard, with_python):
    info = with_rustboard.json("plugin/graphs/info")
    count = 0
    for run, entry in info.items():
        if entry["run_graph"]:
            for other in (with_rustboard, with_python):
                assert_same(with_ours, other, "plugin/graphs/graph", run=run)
        for tag, kinds in entry["tags"].items():
            if kinds["conceptual_graph"]:
                assert_same(with_ours, with_rustboard, "plugin/graphs/graph", run=run, tag=tag, conceptual="true")
            if kinds["op_graph"]:
                assert_same(with_ours, with_rustboard, "plugin/graphs/graph", run=run, tag=tag, conceptual="false")
            if kinds["profile"]:
                assert_same(with_ours, with_rustboard, "plugin/graphs/run_metadata", run=run, tag=tag)
            count += 1
    assert count > 0


def test_hparams(with_ours, with_rustboard):
    # Not compared: the columns (of several described experiments TensorBoard uses any one, and
    # shows only its metrics) and the hyperparameters of a group whose sessions differ (it uses
    # those of any session). So a metric is compared only if both list it.
    body = {"allowedStatuses": ["STATUS_SUCCESS", "STATUS_UNKNOWN", "STATUS_RUNNING"], "startIndex": 0, "sliceSize": 100,
            "colParams": [{"hparam": "lr"}, {"metric": {"group": "", "tag": "accuracy"}}]}  # fmt: skip

    def described(board):
        groups = {}
        for group in board.json("plugin/hparams/session_groups", body=body)["sessionGroups"]:
            sessions = {}
            for session in group["sessions"]:
                metrics = {str(value["name"]): value for value in session.pop("metricValues")}
                sessions[session["name"]] = session, metrics
            groups[group["name"]] = sessions, group["hparams"] if len(sessions) == 1 else None
        return groups

    ours, theirs = described(with_ours), described(with_rustboard)
    compared = 0
    for sessions, _ in ours.values():
        for name, (_, metrics) in sessions.items():
            of_theirs = next((s[name][1] for s, _ in theirs.values() if name in s), {})
            shared = metrics.keys() & of_theirs.keys()
            for listed in (metrics, of_theirs):
                for extra in listed.keys() - shared:
                    del listed[extra]
            compared += len(shared)
    assert ours == theirs
    assert len(ours) >= 5 and compared >= 5


def test_time_series(with_ours, with_rustboard):
    def normalize(tags):
        for kind in ("scalars", "histograms", "images"):
            tags[kind].pop("tagDescriptions")
        return tags

    assert_same(with_ours, with_rustboard, "plugin/timeseries/tags", normalize)
    requests = [
        {"plugin": "scalars", "tag": "old"},
        {"plugin": "scalars", "tag": "resumed", "run": LONG},
        {"plugin": "histograms", "tag": "weights", "run": LONG},
        {"plugin": "images", "tag": "pictures", "run": LONG, "sample": 0},
    ]
    assert_same(with_ours, with_rustboard, "plugin/timeseries/timeSeries", form={"requests": json.dumps(requests)})


@pytest.mark.parametrize(
    "path, query",
    [
        ("plugin/scalars/scalars", {"run": "stock"}),
        ("plugin/scalars/scalars", {"run": "it's", "tag": 'a"b'}),
        ("plugin/histograms/histograms", {"run": "stock", "tag": "loss"}),
        ("plugin/images/individualImage", {"blob_key": "x"}),
        ("plugin/graphs/graph", {"run": "nowhere"}),
    ],
)
def test_errors(with_ours, with_rustboard, path, query):
    expected, actual = with_rustboard.ask(path, **query), with_ours.ask(path, **query)
    assert actual.status == expected.status >= 400
