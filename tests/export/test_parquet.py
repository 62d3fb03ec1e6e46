"""Every reader of Parquet gives the same values as the CSV export of the same logs, bit for bit."""

import csv
import math
import os
import subprocess

import duckdb
import fastparquet
import numpy as np
import pandas
import polars
import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest
from many_points import write_scalars
from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter

PROGRAM = os.environ.get("COMPRESSION_BOARD", "compression-board")
COLUMNS = ["run", "tag", "step", "wall_time", "value"]
GROUP_ROWS = 128 << 10


def export(logdir, path, *arguments):
    file_format = path.suffix[1:]
    run = subprocess.run(
        [PROGRAM, "export", "--logdir", str(logdir), "--format", file_format, "-o", str(path), *arguments],
        capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return path


def of_arrow(table):
    return [table.column(name).to_numpy() for name in COLUMNS]


def of_pandas(frame):
    return [frame[name].to_numpy() for name in COLUMNS]


READERS = {
    "pyarrow": lambda path: of_arrow(pyarrow.parquet.read_table(path, page_checksum_verification=True)),
    "duckdb": lambda path: of_arrow(duckdb.sql(f"select * from '{path}'").to_arrow_table()),
    "fastparquet": lambda path: of_pandas(fastparquet.ParquetFile(str(path)).to_pandas()),
    "pandas": lambda path: of_pandas(pandas.read_parquet(path)),
    "polars": lambda path: of_arrow(polars.read_parquet(path).to_arrow()),
}


def of_csv(path):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == COLUMNS
    run, tag, step, wall_time, value = zip(*rows[1:]) if rows[1:] else [()] * 5
    return [run, tag, np.array([int(s) for s in step], np.int64),
            np.array([float(t) for t in wall_time]), np.array([float(v) for v in value])]


def same(ours, expected):
    for name, mine, theirs in zip(COLUMNS, ours, expected):
        assert len(mine) == len(theirs), name
        if name in ("run", "tag"):
            assert list(mine) == list(theirs), name
            continue
        mine, theirs = np.asarray(mine), np.asarray(theirs)
        assert mine.dtype == theirs.dtype, name
        if mine.dtype == np.float64:
            # Includes -0.0.
            np.testing.assert_array_equal(np.signbit(mine), np.signbit(theirs), name)
        np.testing.assert_array_equal(mine, theirs, name)


def double(tag, value):
    """Returns a scalar of 64 bits."""
    summary = summary_pb2.Summary.Value(tag=tag)
    summary.metadata.plugin_data.plugin_name = "scalars"
    summary.tensor.dtype = 2
    summary.tensor.double_val.append(value)
    return summary


def write_doubles(directory, points):
    """Returns (tag, step, wall time, value)."""
    writer = EventFileWriter(str(directory))
    for tag, step, wall_time, value in points:
        writer.add_event(event_pb2.Event(
            step=step, wall_time=wall_time, summary=summary_pb2.Summary(value=[double(tag, value)])))
    writer.close()


@pytest.fixture(scope="module")
def odd_logs(tmp_path_factory):
    logdir = tmp_path_factory.mktemp("odd")
    numbers = [math.nan, math.inf, -math.inf, 0.0, -0.0, 5e-324, -1.7976931348623157e308, 0.1, 1 / 3]
    write_doubles(logdir / 'größe, "紙"\n🙂', [
        (tag, step, 1.7e9 + step / 7, value)
        for tag in ("loss", "перплексия/тест", "a,b", 'say "x"', "two\nlines")
        for step, value in enumerate(numbers)])
    write_doubles(logdir / "steps", [
        ("step", step, 1, step) for step in (-(2**63), -7, -1, 0, 1, 2**53 + 1, 2**63 - 1)])
    write_doubles(logdir / "times", [
        ("time", step, time, 1) for step, time in enumerate(
            [0.0, -1.5, 1700000000.123456789, math.inf, math.nan, 1e300])])
    write_doubles(logdir / "one", [("loss", 3, 4, 5)])
    return logdir


@pytest.fixture(scope="module")
def million(tmp_path_factory):
    """Returns (logdir, the columns of its table)."""
    logdir = tmp_path_factory.mktemp("million")
    random = np.random.default_rng(1)
    columns = [[], [], [], [], []]
    for run in ("a", "b"):
        for tag, count in (("first", 300_000), ("second", 1), ("third", 199_999)):
            steps = np.arange(count) * 10 - 50
            times = 1.7e9 + np.cumsum(random.exponential(0.05, count))
            values = (np.exp(-steps / 1e5) + random.normal(0, 0.05, count)).astype(np.float32)
            write_scalars(logdir / run, tag, steps, times, values)
            for column, part in zip(columns, ([run] * count, [tag] * count, steps, times, values)):
                column.append(part)
    numbers = [np.concatenate(parts) for parts in columns[2:]]
    return logdir, [sum(columns[0], []), sum(columns[1], []), *numbers[:2], numbers[2].astype(np.float64)]


@pytest.mark.parametrize("reader", READERS)
def test_odd_numbers_and_names(odd_logs, tmp_path, reader):
    expected = of_csv(export(odd_logs, tmp_path / "out.csv"))
    assert len(expected[0]) == 5 * 9 + 7 + 6 + 1
    same(READERS[reader](export(odd_logs, tmp_path / "out.parquet")), expected)


@pytest.mark.parametrize("reader", READERS)
def test_a_million_points(million, tmp_path, reader):
    logdir, expected = million
    same(READERS[reader](export(logdir, tmp_path / "out.parquet")), expected)


def test_a_million_points_are_those_of_the_csv(million, tmp_path):
    logdir, expected = million
    same(of_arrow(pyarrow.csv.read_csv(export(logdir, tmp_path / "out.csv"))), expected)


@pytest.mark.parametrize("reader", READERS)
def test_no_scalars_are_a_table_without_rows(tmp_path, reader):
    writer = EventFileWriter(str(tmp_path / "logs"))
    text = summary_pb2.Summary.Value(tag="notes")
    text.metadata.plugin_data.plugin_name = "text"
    text.tensor.dtype = 7
    text.tensor.string_val.append(b"hello")
    writer.add_event(event_pb2.Event(summary=summary_pb2.Summary(value=[text])))
    writer.close()
    assert of_csv(export(tmp_path / "logs", tmp_path / "out.csv"))[0] == ()
    columns = READERS[reader](export(tmp_path / "logs", tmp_path / "out.parquet"))
    assert [len(column) for column in columns] == [0] * 5


@pytest.mark.parametrize("reader", READERS)
def test_more_tags_than_fit_into_two_bytes(tmp_path, reader):
    tags = sorted(f"layer_{i}/größe" for i in range(70_000))
    writer = EventFileWriter(str(tmp_path / "logs" / "run"))
    for start in range(0, len(tags), 1000):  # One to three points, so that there are short runs.
        for step in range(3):
            values = [summary_pb2.Summary.Value(tag=tag, simple_value=step)
                      for i, tag in enumerate(tags[start : start + 1000]) if i % 3 >= step]
            writer.add_event(event_pb2.Event(
                step=step, wall_time=1, summary=summary_pb2.Summary(value=values)))
    writer.close()
    expected = of_csv(export(tmp_path / "logs", tmp_path / "out.csv"))
    assert len(expected[0]) > GROUP_ROWS
    same(READERS[reader](export(tmp_path / "logs", tmp_path / "out.parquet")), expected)


def test_row_groups_are_bounded_and_say_what_they_hold(million, tmp_path):
    logdir, expected = million
    file = pyarrow.parquet.ParquetFile(export(logdir, tmp_path / "out.parquet"))
    sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
    assert sizes == [GROUP_ROWS] * (1_000_000 // GROUP_ROWS) + [1_000_000 % GROUP_ROWS]
    start = 0
    for group, size in enumerate(sizes):
        for index, column in enumerate(expected):
            statistics = file.metadata.row_group(group).column(index).statistics
            part = column[start : start + size]
            assert (statistics.min, statistics.max) == (min(part), max(part)), COLUMNS[index]
            assert statistics.null_count == 0
        start += size
    assert file.metadata.created_by.startswith("compression-board version ")


def test_the_file_is_much_smaller_than_the_csv(million, tmp_path):
    logdir, _ = million
    table = export(logdir, tmp_path / "out.parquet").stat().st_size
    assert table < export(logdir, tmp_path / "out.csv").stat().st_size / 4


def count(table, condition):
    ((found,),) = duckdb.sql(f"select count(*) from {table} where {condition}").fetchall()
    return found


@pytest.mark.parametrize("values, condition, expected", [
    ([1.0, 2.0, math.nan], "value > 5", 1),  # DuckDB's NaN is greater than all numbers.
    ([-0.0], "value >= 0", 1),
    ([0.0], "value <= -0.0::double", 1),
    ([math.inf], "value > 1e308", 1),
    ([1.0, 2.0], "value > 5", 0),
])
def test_bounds_hide_no_value(tmp_path, values, condition, expected):
    write_doubles(tmp_path / "logs", [("loss", step, 1, value) for step, value in enumerate(values)])
    path = export(tmp_path / "logs", tmp_path / "out.parquet")
    assert count(f"'{path}'", condition) == expected


@pytest.mark.parametrize("condition", ["run = 'b'", "tag = 'second'", "step < 0 and run > 'a'", "value > 1.15"])
def test_queries_find_what_they_find_in_the_csv(million, tmp_path, condition):
    logdir, _ = million
    table, text = export(logdir, tmp_path / "out.parquet"), export(logdir, tmp_path / "out.csv")
    assert count(f"'{table}'", condition) == count(f"'{text}'", condition) > 0


def test_patterns_choose_rows(odd_logs, tmp_path):
    path = export(odd_logs, tmp_path / "out.parquet", "--runs", "^(steps|one)$", "--tags", "loss")
    same(READERS["pyarrow"](path), [["one"], ["loss"], np.array([3]), np.array([4.0]), np.array([5.0])])


def test_a_pipe_gets_the_same_bytes(odd_logs, tmp_path):
    path = export(odd_logs, tmp_path / "out.parquet")
    run = subprocess.run([PROGRAM, "export", "--logdir", str(odd_logs), "--format", "parquet"],
                         capture_output=True, check=True)
    assert run.stdout == path.read_bytes()
