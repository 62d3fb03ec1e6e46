"""Compares the page's bars with TensorBoard's picture of the same file and with NumPy's bins of the
values.
"""

import json
import subprocess
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tensorboard_api")]

import logged  # noqa: E402
from boards import compression_board, tensorboard  # noqa: E402

WRITERS = ["tensorboardx", "torch", "tensorflow"]
SHAPES = list(logged.distributions(0))
TAGS = [(writer, f"values/{shape}") for writer in WRITERS for shape in SHAPES]
TAGS += [("tensorflow", f"values1/{shape}") for shape in SHAPES]


@pytest.fixture(scope="module")
def logdir(tmp_path_factory):
    directory = tmp_path_factory.mktemp("logs")
    for writer in WRITERS:
        command = [sys.executable, str(HERE / f"write_with_{writer}.py"), str(directory / writer)]
        subprocess.run(command, check=True, capture_output=True)
    return directory


def has_histograms(board):
    tags = board.json("plugin/histograms/tags")
    return all(tag in tags.get(run, {}) for run, tag in TAGS)


@pytest.fixture(scope="module")
def board(logdir):
    with compression_board(logdir, has_histograms) as running:
        yield running


@pytest.fixture(scope="module")
def stock(logdir):
    with tensorboard(logdir, "false", has_histograms) as running:
        yield running


def histograms_of(board, run, tag, **bins):
    query = urllib.parse.urlencode({"run": run, "tag": tag, **bins})
    with urllib.request.urlopen(f"{board.root}/api/v1/histograms?{query}", timeout=60) as response:
        return json.load(response)


def drawn_by_tensorboard(buckets, low, high, bins):
    """Computes bins as TensorBoard's page does: spreads each bucket evenly over its width."""
    width = (high - low) / bins
    heights = np.zeros(bins)
    for left, right, count in buckets:
        left, right = max(left, low), min(right, high)
        if right > left:
            edges = low + width * np.arange(bins + 1)
            overlap = np.minimum(right, edges[1:]) - np.maximum(left, edges[:-1])
            heights += np.maximum(overlap, 0) / (right - left) * count
        else:
            heights[min(bins - 1, int((left - low) / width))] += count
    return heights


@pytest.mark.parametrize(("run", "tag"), TAGS)
def test_bars_are_those_that_tensorboard_draws(board, stock, run, tag):
    bins = 30
    ours = histograms_of(board, run, tag, bins=bins)
    theirs = stock.json("plugin/histograms/histograms", run=run, tag=tag)
    assert ours["steps"] == [step for _, step, _ in theirs] == logged.STEPS
    low, high = ours["edges"][0], ours["edges"][-1]
    rows = [row for _, _, buckets in theirs for row in buckets if row[2] > 0]
    if tag.endswith("constant"):
        assert low < rows[0][0] < high
    else:
        assert low == pytest.approx(min(row[0] for row in rows), abs=1e-5)
        assert high == pytest.approx(max(row[1] for row in rows), abs=1e-5)
    for counts, (_, _, buckets) in zip(ours["counts"], theirs, strict=True):
        expected = drawn_by_tensorboard(buckets, low, high, bins)
        assert np.sum(counts) == pytest.approx(logged.VALUES)
        ours_up_to, theirs_up_to = np.cumsum(counts), np.cumsum(expected)
        near = 0.002 * logged.VALUES
        # Values at an edge may be drawn on either side of it.
        if tag.endswith(("constant", "int8")):
            assert (ours_up_to >= np.concatenate([[0], theirs_up_to[:-1]]) - near).all()
            assert (ours_up_to <= np.concatenate([theirs_up_to[1:], theirs_up_to[-1:]]) + near).all()
        else:
            assert np.abs(ours_up_to - theirs_up_to).max() < near


@pytest.mark.parametrize(("run", "tag"), TAGS)
def test_bars_are_a_histogram_of_the_values(board, run, tag):
    ours = histograms_of(board, run, tag, bins="auto")
    bins = histograms_of(board, run, tag)
    edges = np.array(ours["edges"])
    for i, (step, counts) in enumerate(zip(ours["steps"], ours["counts"], strict=True)):
        values = logged.distributions(step)[tag.split("/")[1]]
        expected, _ = np.histogram(values, bins=edges)
        lefts, rights, logged_counts = (np.array(bins[name][i]) for name in ("lefts", "rights", "counts"))
        # The position of values within a logged bin is unknown: at an edge inside the bin, all of
        # them may be on either side.
        inside = (lefts[None] <= edges[1:, None]) & (rights[None] >= edges[1:, None])
        open_counts = (inside * logged_counts[None]).sum(axis=1)
        assert (np.abs(np.cumsum(counts) - np.cumsum(expected)) <= open_counts + 1e-6 * len(values)).all()
        assert np.sum(counts) == pytest.approx(len(values))


def test_the_bell_has_no_hole(board):
    """Exponential bins are narrow near 0 and contain few values there, but the density of a normal
    distribution is highest there.
    """
    for run in ("tensorboardx", "torch"):
        ours = histograms_of(board, run, "values/normal", bins="auto")
        middle = int(np.searchsorted(ours["edges"], 0)) - 1
        for counts in ours["counts"]:
            assert min(counts[middle - 2 : middle + 3]) > 0.8 * max(counts)
