"""The same calls of tensorboardX 2.6.4 and of our writer give the same events."""

import io
from pathlib import Path

import numpy as np
import pytest
from every_kind import write_with_tensorboardx
from PIL import Image
from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

# Kinds that tensorboardX writes only with torch or moviepy installed.
OURS_ALONE = {"image/video"}


@pytest.fixture(scope="session")
def tensorboardx_logdir(tmp_path_factory) -> Path:
    directory = tmp_path_factory.mktemp("tensorboardx")
    write_with_tensorboardx(directory)
    return directory


def runs_of(logdir: Path) -> dict[str, Path]:
    files = (logdir / "every_kind").rglob("*tfevents*")
    return {str(file.parent.relative_to(logdir)): file for file in files}


def events_of(file: Path) -> list[Event]:
    """Returns the events of a file, except those that only one of the two writers supports."""
    events = [Event.FromString(raw) for raw in RawEventFileLoader(str(file)).Load()]
    return [
        event
        for event in events
        if event.WhichOneof("what") not in ("graph_def", "tagged_run_metadata")
        and not any(value.tag in OURS_ALONE for value in event.summary.value)
    ]


def comparable(event: Event):
    """Removes parts of the event that may differ: wall times, the order of maps, the compression of
    PNGs.
    """
    parts = []
    for value in event.summary.value:
        if value.HasField("image"):
            picture = Image.open(io.BytesIO(value.image.encoded_image_string))
            parts.append((picture.mode, np.asarray(picture).tolist()))
            value.image.ClearField("encoded_image_string")
        plugin = value.metadata.plugin_data
        if plugin.plugin_name == "hparams":
            parts.append(HParamsPluginData.FromString(plugin.content))
            plugin.ClearField("content")
    event.ClearField("wall_time")
    return str(event), parts


def assert_sums_agree(ours: Event, theirs: Event) -> None:
    """Compares sums of histograms by value, then makes them equal: numpy adds in another order."""
    for our_value, their_value in zip(ours.summary.value, theirs.summary.value):
        if not our_value.HasField("histo"):
            continue
        theirs_histo = their_value.histo
        rounding = 1e-13 * (theirs_histo.num * theirs_histo.sum_squares) ** 0.5
        for name in ("sum", "sum_squares"):
            expected = getattr(theirs_histo, name)
            assert getattr(our_value.histo, name) == pytest.approx(expected, 1e-13, rounding)
            setattr(our_value.histo, name, expected)


def wall_times(events: list[Event]) -> list[tuple[str, float]]:
    """Checks wall times that the caller gave: for all values except hparams and layouts."""
    return [
        (value.tag, event.wall_time)
        for event in events
        for value in event.summary.value
        if not value.tag.startswith(("_hparams_/", "hparam/", "custom_scalars"))
    ]


def test_the_same_runs_are_written(logdir, tensorboardx_logdir):
    assert sorted(runs_of(logdir)) == sorted(runs_of(tensorboardx_logdir))


@pytest.mark.parametrize(
    "run",
    ["every_kind"]
    + [f"every_kind/{name}" for name in ("pair/fp32", "pair/int8", "trial_1", "trial_2")],
)
def test_events_are_equal_one_by_one(logdir, tensorboardx_logdir, run):
    ours = events_of(runs_of(logdir)[run])
    theirs = events_of(runs_of(tensorboardx_logdir)[run])
    assert wall_times(ours) == wall_times(theirs)
    different = []
    for our_event, their_event in zip(ours, theirs, strict=True):
        assert_sums_agree(our_event, their_event)
        if comparable(our_event) != comparable(their_event):
            different += [value.tag for value in our_event.summary.value] or [str(our_event)]
    assert different == []


def test_projector_files_are_equal(logdir, tensorboardx_logdir):
    names = [
        "projector_config.pbtxt",
        "00000/default/tensors.tsv",
        "00007/net%2fout/tensors.tsv",
        "00007/net%2fout/metadata.tsv",
    ]
    for name in names:
        ours = (logdir / "every_kind" / name).read_text()
        assert ours == (tensorboardx_logdir / "every_kind" / name).read_text()

    sprite = "every_kind/00007/net%2fout/sprite.png"
    ours = np.asarray(Image.open(logdir / sprite).convert("RGB"))
    theirs = np.asarray(Image.open(tensorboardx_logdir / sprite).convert("RGB"))
    np.testing.assert_array_equal(ours, theirs)
