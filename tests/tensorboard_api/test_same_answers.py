"""Every route except those of graphs, projector and hyperparameters: our response equals
TensorBoard's.

Where the two loaders of TensorBoard differ, ours equals the Python one; the differences of the data
server are listed here, and in docs/tensorboard-api.md.
"""

import json
import urllib.parse

import numpy as np
import pytest

OURS_HAS_NOT = {"debugger-v2", "profile_redirect", "wit_redirect"}


def old_style(run):
    """Returns True if a run was written by tensorboardX or by us: its values are not tensors."""
    return run != "stock"


def series(board, plugin):
    """Returns every (run, tag) of a plugin, and checks that there are some."""
    tags = board.json(f"plugin/{plugin}/tags")
    found = [(run, tag) for run in sorted(tags) for tag in sorted(tags[run])]
    assert found
    return found


def both(stock, ours, path, **arguments):
    return stock.ask(path, **arguments), ours.ask(path, **arguments)


def assert_same(stock, ours, path, **arguments):
    expected, actual = both(stock, ours, path, **arguments)
    assert (actual.status, actual.type) == (expected.status, expected.type), (path, arguments, actual)
    if expected.type == "application/json":
        assert json.loads(actual.body) == json.loads(expected.body), (path, arguments)
    else:
        assert actual.body == expected.body, (path, arguments)


@pytest.mark.parametrize("path", ["logdir", "window_properties", "experiments", "experiment_runs"])
def test_core(stock, ours, path):
    assert_same(stock, ours, path)


def test_environment(stock, ours):
    expected, actual = stock.json("environment"), ours.json("environment")
    for own in ("version", "debug"):  # Properties of the program, not of the data.
        expected.pop(own)
        actual.pop(own, None)
    assert actual == expected


def test_runs(stock, ours):
    expected, actual = stock.json("runs"), ours.json("runs")
    # TensorBoard sorts by the creation time of the file, independent of its events.
    if stock.python_loader:
        expected, actual = sorted(expected), sorted(actual)
    assert actual == expected


def test_plugins_listing(stock, ours):
    expected, actual = stock.json("plugins_listing"), ours.json("plugins_listing")
    assert actual == {name: entry for name, entry in expected.items() if name not in OURS_HAS_NOT}
    assert list(actual) == [name for name in expected if name not in OURS_HAS_NOT]


def test_an_experiment_in_the_path_changes_nothing(stock, ours):
    for board in (stock, ours):
        tags = board.json("plugin/scalars/tags", below="/experiment/defaultExperimentId")
        assert tags == board.json("plugin/scalars/tags")


@pytest.mark.parametrize("plugin", ["scalars", "histograms", "distributions", "images", "audio", "pr_curves"])
def test_tags(stock, ours, plugin):
    expected, actual = both(stock, ours, f"plugin/{plugin}/tags")
    expected, actual = expected.json(), actual.json()
    if not stock.python_loader and plugin != "pr_curves":
        # The data server drops the display names and descriptions of old values.
        for run in filter(old_style, expected):
            for tag, entry in expected[run].items():
                assert entry.pop("displayName") == "" and entry.pop("description") == ""
                assert actual[run][tag].pop("displayName")
                actual[run][tag].pop("description")
    assert actual == expected


def test_scalars(stock, ours):
    for run, tag in series(stock, "scalars"):
        assert_same(stock, ours, "plugin/scalars/scalars", run=run, tag=tag)
        assert_same(stock, ours, "plugin/scalars/scalars", run=run, tag=tag, format="csv")
        assert_same(stock, ours, "plugin/custom_scalars/download_data", run=run, tag=tag, format="csv")


def test_scalars_multirun(stock, ours):
    runs = ["stock", "ours/every_kind", "tensorboardx/every_kind", "nowhere"]
    assert_same(stock, ours, "plugin/scalars/scalars_multirun", form={"tag": "loss", "runs": runs})
    assert_same(stock, ours, "plugin/scalars/scalars_multirun", form={"tag": ["a", "b"], "runs": runs})
    expected, actual = both(stock, ours, "plugin/scalars/scalars_multirun", tag="loss", runs=runs)
    assert expected.status == actual.status == 405


def trimmed(rows):
    """Returns the Python loader's result for the rows of the data server."""
    if not rows or not any(count for _, _, count in rows):
        return []
    low, high = rows[0][0], rows[-1][1]
    filled = [i for i, row in enumerate(rows) if row[2] > 0]
    rows = [list(row) for row in rows[filled[0] : filled[-1] + 1]]
    rows[0][0], rows[-1][1] = low, high
    return np.array(rows, dtype=np.float32).tolist()


def test_histograms(stock, ours):
    for run, tag in series(stock, "histograms"):
        expected = stock.json("plugin/histograms/histograms", run=run, tag=tag)
        if not stock.python_loader and old_style(run):
            expected = [[wall, step, trimmed(rows)] for wall, step, rows in expected]
        assert ours.json("plugin/histograms/histograms", run=run, tag=tag) == expected, (run, tag)


def test_distributions(stock, ours):
    for run, tag in series(stock, "distributions"):
        expected = stock.json("plugin/distributions/distributions", run=run, tag=tag)
        actual = ours.json("plugin/distributions/distributions", run=run, tag=tag)
        if stock.python_loader or not old_style(run):
            assert actual == expected, (run, tag)
            continue
        for (*when, points), (*expected_when, expected_points) in zip(actual, expected, strict=True):
            assert when == expected_when
            spread = expected_points[-1][1] - expected_points[0][1]
            assert np.array(points) == pytest.approx(np.array(expected_points), rel=1e-6, abs=1e-6 * spread)


def behind(board, plugin, route, entry):
    return board.ask(f"plugin/{plugin}/{route}", **dict(urllib.parse.parse_qsl(entry.pop("query"))))


@pytest.mark.parametrize("sample", [0, 1, 2])
def test_images(stock, ours, sample):
    for run, tag in series(stock, "images"):
        arguments = {"run": run, "tag": tag, "sample": sample}
        expected = stock.json("plugin/images/images", **arguments)
        actual = ours.json("plugin/images/images", **arguments)
        for entry, expected_entry in zip(actual, expected, strict=True):
            image = behind(ours, "images", "individualImage", entry)
            assert image == behind(stock, "images", "individualImage", expected_entry)
            assert image.status == 200 and entry == expected_entry


@pytest.mark.parametrize("sample", [0, 1])
def test_audio(stock, ours, sample):
    for run, tag in series(stock, "audio"):
        if sample == 1 and old_style(run):
            continue  # TensorBoard fails if a step has no such sample.
        expected = stock.json("plugin/audio/audio", run=run, tag=tag, sample=sample)
        actual = ours.json("plugin/audio/audio", run=run, tag=tag, sample=sample)
        for entry, expected_entry in zip(actual, expected, strict=True):
            sound = behind(ours, "audio", "individualAudio", entry)
            expected_sound = behind(stock, "audio", "individualAudio", expected_entry)
            assert sound.body == expected_sound.body and sound.status == 200
            # The data server does not know that the type is WAV.
            if not stock.python_loader and old_style(run):
                assert expected_entry["contentType"] == "application/octet-stream"
                expected_entry["contentType"] = "audio/wav"
            else:
                assert sound.type == expected_sound.type
            assert entry == expected_entry


def test_text(stock, ours):
    expected, actual = stock.json("plugin/text/tags"), ours.json("plugin/text/tags")
    assert {run: sorted(tags) for run, tags in expected.items()} == actual
    for run, tag in series(stock, "text"):
        if tag == "script":
            continue
        assert_same(stock, ours, "plugin/text/text", run=run, tag=tag)
        assert_same(stock, ours, "plugin/text/text", run=run, tag=tag, markdown="false")
    assert_same(stock, ours, "plugin/text/text", run="stock", tag="nothing")


def test_no_markup_of_a_log_reaches_the_page(stock, ours):
    (expected,) = stock.json("plugin/text/text", run="stock", tag="script")
    (actual,) = ours.json("plugin/text/text", run="stock", tag="script")
    assert expected["text"] == "&lt;script&gt;alert(1)&lt;/script&gt;"
    assert actual["text"] == f"<p>{expected['text']}</p>"  # A paragraph of CommonMark without HTML.


def test_pr_curves(stock, ours):
    for run, tag in series(stock, "pr_curves"):
        assert_same(stock, ours, "plugin/pr_curves/pr_curves", run=run, tag=tag)
    runs = ["ours/every_kind", "tensorboardx/every_kind"]
    assert_same(stock, ours, "plugin/pr_curves/pr_curves", run=runs, tag="pr")
    assert_same(stock, ours, "plugin/pr_curves/pr_curves", run=["stock"], tag="pr")


def test_custom_scalars(stock, ours):
    assert_same(stock, ours, "plugin/custom_scalars/layout")
    for run in ("stock", "ours/every_kind", "nowhere"):
        for expression in ("lo.*", "o", ".*", "[", ""):
            assert_same(stock, ours, "plugin/custom_scalars/scalars", run=run, tag=expression)


def test_meshes(stock, ours):
    assert_same(stock, ours, "plugin/mesh/tags")
    for run, tag in series(stock, "mesh"):
        # Parts of one step have the order of a hash table in the data server.
        expected, actual = (
            sorted(board.json("plugin/mesh/meshes", run=run, tag=tag), key=lambda e: (e["step"], e["content_type"]))
            for board in (stock, ours)
        )
        assert actual == expected, (run, tag)
        sizes = []
        for content in ("VERTEX", "FACE", "COLOR"):
            for step in (0, 1, 2):
                arguments = {"run": run, "tag": tag, "content_type": content, "step": step, "sample": 0}
                expected, actual = both(stock, ours, "plugin/mesh/data", **arguments)
                assert (actual.status, actual.body) == (expected.status, expected.body), arguments
                sizes.append(len(actual.body))
        assert any(sizes)
        assert_same(stock, ours, "plugin/mesh/data", run=run, tag=tag, content_type="BAD")


def test_time_series_tags(stock, ours):
    expected, actual = stock.json("plugin/timeseries/tags"), ours.json("plugin/timeseries/tags")
    if not stock.python_loader:  # The data server drops descriptions of old values.
        for kind in ("scalars", "histograms", "images"):
            descriptions = actual[kind]["tagDescriptions"]
            known = expected[kind]["tagDescriptions"]
            actual[kind]["tagDescriptions"] = {tag: descriptions[tag] for tag in known}
    assert actual == expected


def test_time_series(stock, ours):
    run = "stock"
    requests = [
        {"plugin": "scalars", "tag": "loss"},
        {"plugin": "scalars", "tag": "loss", "run": "ours/every_kind"},
        {"plugin": "scalars", "tag": "nothing"},
        {"plugin": "histograms", "tag": "weights", "run": run},
        {"plugin": "histograms", "tag": "weights"},
        {"plugin": "images", "tag": "pictures", "run": run, "sample": 1},
        {"plugin": "images", "tag": "pictures", "run": run, "sample": 7},
        {"plugin": "images", "tag": "pictures", "run": run},
        {"plugin": "nothing", "tag": "loss"},
        {"plugin": "scalars"},
    ]
    text = json.dumps(requests)
    expected = stock.json("plugin/timeseries/timeSeries", form={"requests": text})
    actual = ours.json("plugin/timeseries/timeSeries", form={"requests": text})
    assert ours.json("plugin/timeseries/timeSeries", requests=text) == actual
    for board, answers in ((stock, expected), (ours, actual)):
        for step in answers[5]["runToSeries"][run]:
            step["imageId"] = board.ask("plugin/timeseries/imageData", imageId=step["imageId"])
    assert actual == expected
    assert actual[5]["runToSeries"][run][0]["imageId"].type == "image/png"


@pytest.mark.parametrize(
    "path, query",
    [
        ("plugin/scalars/scalars", {"run": "stock"}),
        ("plugin/scalars/scalars", {"run": "it's", "tag": 'a"b'}),
        ("plugin/histograms/histograms", {"run": "stock", "tag": "loss"}),
        ("plugin/distributions/distributions", {"run": "x", "tag": "y"}),
        ("plugin/images/images", {"run": "stock", "tag": "loss"}),
        ("plugin/images/individualImage", {}),
        ("plugin/audio/audio", {"run": "stock", "tag": "loss"}),
        ("plugin/audio/individualAudio", {"blob_key": "x", "content_type": "text/html"}),
        ("plugin/graphs/graph", {}),
        ("plugin/graphs/graph", {"run": "stock", "limit_attr_size": "x"}),
        ("plugin/graphs/run_metadata", {"run": "stock"}),
        ("plugin/projector/info", {}),
        ("plugin/projector/info", {"run": "nowhere"}),
        ("plugin/projector/tensor", {"run": "stock"}),
        ("plugin/projector/metadata", {"run": "stock", "name": "x", "num_rows": "-1"}),
        ("plugin/timeseries/timeSeries", {}),
        ("plugin/timeseries/timeSeries", {"requests": "{"}),
    ],
)
def test_errors_are_the_same_sentences(stock, ours, path, query):
    assert_same(stock, ours, path, **query)
