"""Checks with TensorBoard's own reader that the fast results were also correct."""

import pathlib

import inputs
import numpy
from tensorboard.backend.event_processing import event_file_loader


def events(directory):
    """Returns all events of the files below `directory`, with the run each belongs to."""
    for path in sorted(pathlib.Path(directory).rglob("*tfevents*")):
        run = str(path.parent.relative_to(directory))
        for event in event_file_loader.LegacyEventFileLoader(str(path)).Load():
            yield run, event


def histogram_is_numpys(logdir, data):
    """Checks that every histogram in `logdir` counts the same as numpy. Returns the difference, or
    None.

    Empty buckets at both ends are omitted in the file; the others must exist, one by one.
    """
    values = numpy.fromfile(data, dtype=numpy.float32).astype(numpy.float64)
    counts, limits = numpy.histogram(values, bins=inputs.tensorboard_limits())
    filled = numpy.flatnonzero(counts)
    first, last = filled[0], filled[-1]
    checked = 0
    for _, event in events(logdir):
        for value in event.summary.value:
            found = value.histo
            by_limit = dict(zip(found.bucket_limit, found.bucket))
            for index in range(first, last + 1):
                if by_limit.get(limits[index + 1], 0) != counts[index]:
                    return f"bucket {limits[index + 1]}: {counts[index]} expected"
            if sum(found.bucket) != values.size or found.num != values.size:
                return f"{sum(found.bucket)} values counted, {values.size} logged"
            if (found.min, found.max) != (values.min(), values.max()):
                return f"min and max are {found.min} and {found.max}"
            checked += 1
    return None if checked else "no histogram in the log"


def scalars(directory):
    """Returns {(run, tag): value} of all scalars below `directory`."""
    found = {}
    for run, event in events(directory):
        for value in event.summary.value:
            if value.WhichOneof("value") == "simple_value":
                found[run, value.tag] = value.simple_value
    return found


def missing_scalars(ours, peers, models):
    """Returns the scalars that the peer's import of `models` wrote and ours did not, or not as
    close as single precision."""
    missing = []
    for suffix in ("", "_hparams"):
        for model in models:
            own = scalars(f"{ours}{suffix}/{model}")
            for key, value in scalars(f"{peers}{suffix}/{model}").items():
                if not numpy.isclose(own.get(key, numpy.nan), value, rtol=1e-5, atol=1e-9):
                    missing.append((model, *key))
    return missing
