"""Runs the queries of docs/sql.md with DuckDB and chDB over tables that `export` wrote."""

import math
import re
import subprocess
import urllib.parse
from pathlib import Path

import duckdb
import pytest
from chdb.session import Session
from compression_board import SummaryWriter
from conftest import BOARD, KEY, SECRET, Store, environment_for

PAGE = (Path(__file__).resolve().parents[2] / "docs/sql.md").read_text()
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.S)


def write_logs(folder):
    for commit, sqnr in enumerate((30.0, 29.0, 12.0)):
        with SummaryWriter(f"{folder}/team/commit_{commit}") as writer:
            for step in range(250):
                writer.add_scalar("loss", 1 / (step + 1) + commit, step, 1000.0 * commit + step)
            for variant, accuracy, size in (("fp32", 0.76, 44.0), ("int8", 0.755, 11.0), ("int4", 0.6, 6.0)):
                writer.add_scalar(f"net/metrics/accuracy/{variant}", accuracy, 0, 1000.0 * commit)
                writer.add_scalar(f"net/performance/model_size_mb/{variant}", size, 0, 1000.0 * commit)
            writer.add_scalar("net/layers/conv1/sqnr_db/int8", sqnr, 0, 1000.0 * commit)
            writer.add_scalar("net/layers/conv2/sqnr_db/int8", sqnr + 5, 0, 1000.0 * commit)
    with SummaryWriter(f"{folder}/other run/x") as writer:
        writer.add_scalar("loss", 7.0, 1, 5.0)


@pytest.fixture(scope="module")
def engines(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sql")
    (folder / "store").mkdir()
    store = Store(folder / "store")
    write_logs(folder / "runs")
    for target in (f"{folder}/tables/", "s3://logs/tables/"):
        subprocess.run([BOARD, "export", "--logdir", folder / "runs", "--format", "parquet", "-o", target],
                       check=True, env=environment_for(folder, store))  # fmt: skip
    duck = duckdb.connect()
    views = re.search(r"```sql duckdb\n(.*?)```", PAGE, re.S)[1]
    duck.execute(views.replace("s3://team-logs/tables", str(folder / "tables")))
    click = Session()
    click.query("CREATE DATABASE board ENGINE = Atomic")
    click.query("USE board")
    views = re.search(r"```sql clickhouse\n(.*?)```", PAGE, re.S)[1]
    views = views.replace("http://127.0.0.1:7070/team-logs", f"{store.endpoint}/logs").replace("'KEY', 'SECRET'", f"'{KEY}', '{SECRET}'")
    for view in views.strip().split("\n"):
        click.query(view)

    def ask_clickhouse(query):
        import csv
        import io

        return [tuple(row) for row in csv.reader(io.StringIO(str(click.query(query, "CSV"))))]

    yield {"duckdb": lambda query: duck.execute(query).fetchall(), "clickhouse": ask_clickhouse}
    store.close()


def same(a, b):
    try:
        return math.isclose(float(a), float(b), rel_tol=1e-9, abs_tol=1e-12)
    except ValueError:
        # ClickHouse does not decode escaped names of folders.
        return str(a) == urllib.parse.unquote(str(b))


EXPECTED = {
    0: [("net", "int8", 11.0, 0.755)],
    1: [("net", "int4", 0.6 - 0.76), ("net", "int8", 0.755 - 0.76)],
    2: [("net", "int4", 44 / 6), ("net", "int8", 4.0)],
    3: [],
    4: [("net", "int8", "conv1", 12.0), ("net", "int8", "conv2", 17.0)],
    5: [("team/commit_0", "conv1", 30.0, 0.0), ("team/commit_1", "conv1", 29.0, -1.0), ("team/commit_2", "conv1", 12.0, -17.0)],
    7: [("other run/x", 1, 7.0)] + [(f"team/commit_{i}", 249, 1 / 250 + i) for i in range(3)],
    9: [("other run", 1, 1, 1, 0.0), ("team", 3, 9, 3 * (250 + 8), 2249.0)],
}


def test_the_page_has_ten_queries():
    assert len(QUERIES) == 10


@pytest.mark.parametrize("number", range(10))
def test_a_query_gives_the_same_rows_on_both_engines(engines, number):
    duck, click = (engines[name](QUERIES[number]) for name in ("duckdb", "clickhouse"))
    assert len(duck) == len(click)
    assert all(same(a, b) for left, right in zip(duck, click) for a, b in zip(left, right)), (duck, click)
    if number in EXPECTED:
        # Scalar values are stored in single precision.
        assert len(duck) == len(EXPECTED[number]), duck
        for row, expected in zip(duck, EXPECTED[number]):
            for value, wanted in zip(row, expected):
                assert value == wanted or math.isclose(value, wanted, rel_tol=1e-6, abs_tol=1e-7), (row, expected)
    else:
        assert duck
