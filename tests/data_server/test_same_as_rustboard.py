"""Every call gives the same result as TensorBoard's own data server (RustBoard).

Two differences are intended, and checked here: values of old writers keep their display name and
description, and old sounds have the type WAV.
"""

import grpc
import pytest
from tensorboard.compat.proto import summary_pb2
from tensorboard.data.proto import data_provider_pb2 as data

PLUGINS = """audio custom_scalars graph_keras_model graph_run_metadata graph_run_metadata_graph
    graph_tagged_run_metadata graphs histograms hparams images mesh mine pr_curves scalars text""".split()
SCALARS = ["scalars", "mine"]
TENSORS = ["histograms", "text", "hparams", "pr_curves", "mesh", "custom_scalars", "mine"]
BLOBS = ["images", "audio", "graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model",
         "graph_tagged_run_metadata", "mine"]  # fmt: skip


def metadata_of(entry):
    """Returns (values that must be equal, values that we keep and RustBoard drops)."""
    metadata = summary_pb2.SummaryMetadata()
    metadata.CopyFrom(entry.metadata.summary_metadata)
    kept = metadata.display_name, metadata.summary_description
    metadata.display_name = metadata.summary_description = ""
    plain = [getattr(entry.metadata, name) for name in ("max_step", "max_wall_time")]
    plain.append(getattr(entry.metadata, "max_length", None))
    return [*plain, metadata.plugin_data.plugin_name, metadata.plugin_data.content, metadata.data_class], kept


def assert_same_listing(ours, rustboard, call, plugin):
    expected, actual = rustboard.call(call, plugin), ours.call(call, plugin)
    assert {run: set(tags) for run, tags in actual.items()} == {run: set(tags) for run, tags in expected.items()}
    count = 0
    for run, tags in expected.items():
        for tag, entry in tags.items():
            expected_metadata, expected_kept = metadata_of(entry)
            actual_metadata, actual_kept = metadata_of(actual[run][tag])
            if plugin == "audio" and expected_metadata[4] == b"\x18\x01":  # converted_to_tensor
                expected_metadata[4] = b"\x10\x0b\x18\x01"  # encoding WAV as well
            assert actual_metadata == expected_metadata, (run, tag)
            assert actual_kept == expected_kept or expected_kept == ("", ""), (run, tag)
            count += 1
    assert count > 0


def assert_same_data(ours, rustboard, call, plugin, points):
    expected, actual = (server.call(call, plugin, points=points) for server in (rustboard, ours))
    assert {run: set(tags) for run, tags in actual.items()} == {run: set(tags) for run, tags in expected.items()}
    for run, tags in expected.items():
        for tag, entry in tags.items():
            assert actual[run][tag].data == entry.data, (run, tag, points)


def test_plugins(ours, rustboard):
    assert ours.plugins() == rustboard.plugins() == PLUGINS


def test_runs(ours, rustboard):
    expected = {run.name: run.start_time for run in rustboard.stub.ListRuns(data.ListRunsRequest()).runs}
    response = ours.stub.ListRuns(data.ListRunsRequest())
    assert {run.name: run.start_time for run in response.runs} == expected
    starts = [run.start_time for run in response.runs]
    assert starts == sorted(starts)


def test_the_experiment_is_the_log_directory(ours, rustboard, logdir):
    for server in (ours, rustboard):
        experiment = server.stub.GetExperiment(data.GetExperimentRequest(experiment_id="x"))
        assert (experiment.data_location, experiment.name) == (str(logdir), "")


@pytest.mark.parametrize("plugin", SCALARS)
def test_scalars(ours, rustboard, plugin):
    assert_same_listing(ours, rustboard, "ListScalars", plugin)
    for points in (0, 1, 5, 13, 100, 200, 999, 1000, 5000):
        assert_same_data(ours, rustboard, "ReadScalars", plugin, points)


@pytest.mark.parametrize("plugin", TENSORS)
def test_tensors(ours, rustboard, plugin):
    assert_same_listing(ours, rustboard, "ListTensors", plugin)
    for points in (0, 1, 10, 51, 500):
        assert_same_data(ours, rustboard, "ReadTensors", plugin, points)


@pytest.mark.parametrize("plugin", BLOBS)
def test_blobs(ours, rustboard, plugin):
    assert_same_listing(ours, rustboard, "ListBlobSequences", plugin)
    for points in (0, 1, 5, 10, 100):
        assert_same_data(ours, rustboard, "ReadBlobSequences", plugin, points)
    count = 0
    for tags in rustboard.call("ReadBlobSequences", plugin, points=100).values():
        for entry in tags.values():
            for sequence in entry.data.values:
                for reference in sequence.blob_refs:
                    assert ours.blob(reference.blob_key) == rustboard.blob(reference.blob_key)
                    count += 1
    assert count > 0


def test_names_and_descriptions_of_old_values_are_kept(ours, rustboard):
    def named(server):
        return server.call("ListScalars", "scalars", runs=["long"], tags=["named"])["long"]["named"].metadata

    kept = named(ours).summary_metadata
    assert (kept.display_name, kept.summary_description) == ("A name", "A *description*")
    assert named(rustboard).summary_metadata.display_name == ""


def test_filters(ours, rustboard):
    for runs in (None, [], ["long"], ["long", "nowhere", "stock", "long"]):
        for tags in (None, [], ["loss"], ["old", "nothing", "loss"]):
            expected, actual = (server.call("ReadScalars", "scalars", 3, runs, tags) for server in (rustboard, ours))
            assert actual == expected, (runs, tags)


@pytest.mark.parametrize("name", ["Scalars", "Tensors", "BlobSequences"])
def test_bad_requests_have_the_same_codes(ours, rustboard, name):
    def code(server, call, **fields):
        with pytest.raises(grpc.RpcError) as error:
            getattr(server.stub, call)(getattr(data, f"{call}Request")(**fields))
        return error.value.code(), error.value.details()

    wanted = {"plugin_filter": {"plugin_name": "scalars"}}
    for call, fields in [
        (f"List{name}", {}),
        (f"Read{name}", {"downsample": {"num_points": 3}}),
        (f"Read{name}", wanted),
        (f"Read{name}", wanted | {"downsample": {"num_points": -1}}),
    ]:
        assert code(ours, call, **fields) == code(rustboard, call, **fields)
        assert code(ours, call, **fields)[0] == grpc.StatusCode.INVALID_ARGUMENT


def test_blobs_that_are_not_there(ours, rustboard):
    import base64
    import json

    def code(server, key):
        with pytest.raises(grpc.RpcError) as error:
            server.blob(key)
        return error.value.code()

    def key(*parts):
        return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")

    for blob_key in (
        "", "!", "AAAA", key(), key("", "long", "pictures", 199), key("", "nowhere", "pictures", 199, 0),
        key("", "long", "nothing", 199, 0), key("", "long", "old", 199, 0), key("", "long", "pictures", 12345, 0),
        key("", "long", "pictures", 199, 3), key("", "long", "pictures", 199, -1),
    ):  # fmt: skip
        assert code(ours, blob_key) == code(rustboard, blob_key), blob_key
