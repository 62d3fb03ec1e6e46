"""Logs in a bucket are read like those on the disk, followed while they grow, and read despite
failures.
"""

import contextlib
import itertools
import re
import urllib.error
import urllib.parse
import urllib.request

import pytest
from conftest import FaultyProxy, run, wait_until, write_every_kind, write_logs


def without_places(text):
    """Removes times of reading and paths, which may differ; nothing else may."""
    text = re.sub(r'"(snapshot|versions?|ino|mtime)":\s*(\[[^\]]*\]|[0-9]+)', "", text)
    text = re.sub(r'"logdir":"[^"]*"', "", text)
    return re.sub(r'/[^"]*?/(logs|local)/', "", text)


ROUTES = ["runs", "tags", "tags?ranges=1", "scalars?tag=loss&run=run 0/ü%2Bx", "scalars?tag=loss&run=run 2/ü%2Bx",
          "histograms?tag=weights&run=run 1/ü%2Bx", "files?run=run 1/ü%2Bx", "compression/table", "hparams"]  # fmt: skip


def test_a_bucket_gives_the_same_answers_as_a_directory(tmp_path, store, environment, serve):
    local = write_logs(tmp_path / "local")
    store.upload(local, "team/runs")
    store.put("team/runs/model.onnx", b"not an event file")
    ours = run(environment, "inspect", "--logdir", "s3://logs/team/runs", "--json")
    assert ours.returncode == 0, ours.stderr
    theirs = run(environment, "inspect", "--logdir", local, "--json")
    assert without_places(ours.stdout) == without_places(theirs.stdout)
    assert "run 2/ü+x" in ours.stdout

    remote, disk = serve("--logdir", "s3://logs/team/runs").loaded(), serve("--logdir", local).loaded()
    compared = 0
    for route in ROUTES:
        answers = []
        for board in (remote, disk):
            with contextlib.suppress(Exception):
                answers.append(without_places(board.text("api/v1/" + route.replace(" ", "%20").replace("ü", "%C3%BC"))))
        assert len(answers) in (0, 2), route
        if answers:
            compared += 1
            assert answers[0] == answers[1], route
    assert compared >= 6
    assert remote.get("status")["logdirs"]["paths"] == ["s3://logs/team/runs"]
    source = remote.get("sources")
    assert source["addresses"] == ["s3://logs/team/runs"] and source["files"] == [3] and source["errors"] == [""]
    assert "cboard_bucket_list_requests_total" in remote.text("metrics")

    mixed = run(environment, "inspect", "--logdir_spec", f"cloud:s3://logs/team/runs,disk:{local}", "--json")
    assert "cloud/run 0" in mixed.stdout and "disk/run 0" in mixed.stdout, mixed.stderr


# These routes return streams, progress, and paths.
SKIPPED = {"/events", "/status", "/sources", "/openapi.json"}


def all_answers(board):
    """Returns the responses of every GET route, for every valid tag, run, model and layer."""
    described = board.get("openapi.json")
    runs, tags = board.get("runs")["names"], board.get("tags")["names"]
    some = {"run": runs, "tag": tags, "contains": ["loss"], "metric": ["accuracy"], "a": ["fp32"], "b": ["int8"],
            "model": ["net"], "layer": ["conv1"], "index": ["0"], "sample": ["0"], "name": ["default:00000"], "mesh": ["cube"],
            "part": ["vertices"], "path": [""], "pattern": ["a"]}  # fmt: skip
    answers = {}
    for path, methods in described["paths"].items():
        route = path.removeprefix("/api/v1")
        if "get" not in methods or route in SKIPPED:
            continue
        names = [p["name"] for p in methods["get"].get("parameters", []) if p["name"] in some and (p.get("required") or p["name"] in ("run", "tag"))]
        for values in itertools.product(*(some[name] for name in names)):
            query = urllib.parse.urlencode(dict(zip(names, values)))
            url = "api/v1" + route + ("?" + query if query else "")
            try:
                with urllib.request.urlopen(board.url + url) as response:
                    answers[url] = (response.status, response.read())
            except urllib.error.HTTPError as error:
                answers[url] = (error.code, error.read())
    return answers


def test_every_route_gives_the_same_bytes_as_a_directory(tmp_path, store, environment, serve):
    local = write_logs(tmp_path / "local")
    write_every_kind(local / "kinds")
    store.upload(local, "team/runs")
    remote, disk = serve("--logdir", "s3://logs/team/runs").loaded(), serve("--logdir", local).loaded()
    assert len(disk.get("embeddings")["names"]) == 1
    ours, theirs = all_answers(remote), all_answers(disk)
    assert set(ours) == set(theirs)

    def paths(answer):  # The report contains the log directory and the time.
        text = answer[1].decode("latin-1").replace("s3://logs/team/runs", str(local))
        return without_places(re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "", text))

    for url in theirs:
        assert ours[url][0] == theirs[url][0], url
        assert ours[url][1] == theirs[url][1] or paths(ours[url]) == paths(theirs[url]), url
    good = {url.partition("?")[0] for url in theirs if theirs[url][0] == 200}
    assert len(good) >= 25, sorted(good)


def test_the_second_start_fetches_nothing_again(tmp_path, store, environment, serve):
    store.upload(write_logs(tmp_path / "local"), "runs")
    assert run(environment, "inspect", "--logdir", "s3://logs/runs").returncode == 0
    board = serve("--logdir", "s3://logs/runs").loaded()
    metrics = board.text("metrics")
    assert re.search(r"^cboard_bucket_get_requests_total 0$", metrics, re.M), metrics
    assert len(board.get("runs")["names"]) == 3


def test_the_board_follows_the_bucket(tmp_path, store, serve):
    local = write_logs(tmp_path / "local", runs=1)
    (file,) = local.rglob("*tfevents*")
    data = file.read_bytes()
    key = "runs/a/" + file.name
    board = serve("--logdir", "s3://logs/runs").loaded()
    assert board.get("runs")["names"] == []
    store.put(key, data[: len(data) // 2])  # The file ends inside a record.
    count = lambda: sum(board.get("runs")["event_counts"])
    half = wait_until(count, "the first object")
    store.put(key, data)  # The object has grown, because a file system over S3 appends to objects.
    whole = wait_until(lambda: count() if count() > half else 0, "the rest of the object")
    assert whole == 204 and board.get("runs")["damaged_bytes"] == [0]
    other = write_logs(tmp_path / "other", runs=1, steps=20)
    (shorter,) = other.rglob("*tfevents*")
    store.put(key, shorter.read_bytes())  # Another object with the same key.
    wait_until(lambda: count() == 24, "the other object")
    store.client.delete_object(Bucket="logs", Key=key)
    wait_until(lambda: board.get("runs")["names"] == [], "the run to go")


def test_a_longer_object_with_another_beginning_is_not_appended(tmp_path, store, serve):
    first = write_logs(tmp_path / "first", runs=1, steps=50)
    second = write_logs(tmp_path / "second", runs=1, steps=300)
    (a,), (b,) = first.rglob("*tfevents*"), second.rglob("*tfevents*")
    store.put("runs/x/events.out.tfevents.1.h", a.read_bytes())
    board = serve("--logdir", "s3://logs/runs").loaded()
    wait_until(lambda: sum(board.get("runs")["event_counts"]) == 54, "the first object")
    store.put("runs/x/events.out.tfevents.1.h", b.read_bytes())
    wait_until(lambda: sum(board.get("runs")["event_counts"]) == 304, "the second object")
    assert board.get("runs")["damaged_bytes"] == [0]


@pytest.mark.parametrize("changed, expected", [
    ({"AWS_SECRET_ACCESS_KEY": "wrong"}, "the secret key is not that of the access key 'AKIDTEST'"),
    ({"AWS_ACCESS_KEY_ID": "NOBODY"}, "access key"),
    ({"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, "no answer from '127.0.0.1:1'"),
    ({"AWS_ACCESS_KEY_ID": ""}, "no keys were found; set AWS_ACCESS_KEY_ID"),
])  # fmt: skip
def test_one_clear_sentence_for_each_failure(environment, changed, expected):
    result = run(environment | changed, "inspect", "--logdir", "s3://logs/runs")
    assert result.returncode == 1
    assert expected in result.stderr and result.stderr.count("\n") == 1, result.stderr


def test_a_missing_bucket_and_a_wrong_address(environment):
    missing = run(environment, "inspect", "--logdir", "s3://nothing-here/runs")
    assert missing.returncode == 1 and "there is no bucket 'nothing-here'" in missing.stderr, missing.stderr
    wrong = run(environment, "inspect", "--logdir", "s3://")
    assert wrong.returncode != 0 and "lacks the name of the bucket" in wrong.stderr, wrong.stderr
    empty = run(environment, "inspect", "--logdir", "s3://logs/empty")
    assert empty.returncode == 1 and "no event files" in empty.stderr, empty.stderr


def test_keys_come_from_a_profile(tmp_path, store, environment):
    from conftest import KEY, SECRET

    store.upload(write_logs(tmp_path / "local", runs=1), "runs")
    (tmp_path / ".aws").mkdir()
    (tmp_path / ".aws/credentials").write_text(
        f"[default]\naws_access_key_id = X\n[team]\naws_access_key_id = {KEY}\naws_secret_access_key = {SECRET}\n")
    (tmp_path / ".aws/config").write_text(f"[profile team]\nregion = us-east-1\nendpoint_url = {store.endpoint}\n")
    profile = {k: v for k, v in environment.items() if not k.startswith("AWS_")}
    result = run(profile | {"AWS_PROFILE": "team"}, "inspect", "--logdir", "s3://logs/runs")
    assert result.returncode == 0, result.stderr


def test_the_board_keeps_what_it_has_when_the_store_goes(tmp_path, store, serve):
    store.upload(write_logs(tmp_path / "local"), "runs")
    board = serve("--logdir", "s3://logs/runs").loaded()
    wait_until(lambda: len(board.get("runs")["names"]) == 3, "the runs")
    store.process.kill()
    store.process.wait()
    error = wait_until(lambda: board.get("sources")["errors"][0], "the failure to be told", 120)
    assert "no answer from" in error
    assert len(board.get("runs")["names"]) == 3
    assert board.get("sources")["last_reads"][0] > 0
    # Still works after a restart, from the local copy.
    board.close()
    again = serve("--logdir", "s3://logs/runs")
    wait_until(lambda: len(again.get("runs")["names"]) == 3, "the copy")


def test_all_data_arrives_though_a_third_of_the_requests_fail(tmp_path, store, environment):
    local = write_logs(tmp_path / "local", runs=20, steps=50)
    store.upload(local, "runs")
    proxy = FaultyProxy(store.port, share=0.3)
    try:
        result = run(environment, "inspect", "--logdir", "s3://logs/runs", "--s3-endpoint", proxy.endpoint, "--json")
    finally:
        proxy.close()
    assert result.returncode == 0, result.stderr
    assert proxy.counts["refused"] > 0 and proxy.counts["cut"] > 0
    theirs = run(environment, "inspect", "--logdir", local, "--json")
    assert without_places(result.stdout) == without_places(theirs.stdout)


def test_more_than_a_page_of_objects(store, environment):
    (file,) = [b"\x18\0\0\0\0\0\0\0"]
    for i in range(1010):
        store.put(f"many/{i:04}/events.out.tfevents.1.h", file)
    result = run(environment, "inspect", "--logdir", "s3://logs/many", "--json")
    assert "1009" in result.stdout, result.stderr


def test_a_bucket_that_is_too_large_is_refused(tmp_path, store, environment):
    store.upload(write_logs(tmp_path / "local"), "runs")
    result = run(environment, "inspect", "--logdir", "s3://logs/runs", "--bucket-cache-gb", "0.001")
    assert result.returncode == 0, result.stderr
    store.put("runs/big/events.out.tfevents.1.h", b"\0" * 2_000_000)
    result = run(environment, "inspect", "--logdir", "s3://logs/runs", "--bucket-cache-gb", "0.001")
    assert result.returncode == 1 and "--bucket-cache-gb" in result.stderr, result.stderr
