"""Trials on a Ray cluster of three nodes, one of which is killed, give the same results as this
process.
"""

import json
import sys
import threading
import time
from collections import Counter

import numpy as np
import onnx
import pytest
from compression_board.cluster import Cancelled, Failed, LocalExecutor, RayExecutor, compare_all, tune, tune_all
from onnx import TensorProto, helper, numpy_helper
from ray import cloudpickle

cloudpickle.register_pickle_by_value(sys.modules[__name__])  # Nodes cannot import this file.


def save_network(path, weights, seed=0):
    rng = np.random.default_rng(seed)
    constants = {"w1": weights, "b1": np.zeros(32), "w2": rng.normal(size=(32, 4)) / 6}
    nodes = [helper.make_node("Gemm", ["x", "w1", "b1"], ["h"], name="fc1"), helper.make_node("Relu", ["h"], ["r"], name="relu"),
             helper.make_node("MatMul", ["r", "w2"], ["y"], name="fc2")]  # fmt: skip
    graph = helper.make_graph(
        nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4])],
        [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items()])  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    onnx.save(model, str(path))


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Creates a network and 60 versions of it with increasing noise."""
    folder = tmp_path_factory.mktemp("models")
    weights = np.random.default_rng(1).normal(size=(16, 32)) / 4
    save_network(folder / "fp32.onnx", weights)
    for i in range(60):
        noise = np.random.default_rng(i).normal(size=weights.shape) * 0.001 * (i + 1)
        save_network(folder / f"variant_{i:02}.onnx", weights + noise)
    return [(folder / "fp32.onnx", folder / f"variant_{i:02}.onnx") for i in range(60)]


@pytest.fixture(scope="module")
def local_results(pairs):
    return compare_all(pairs, executor=LocalExecutor())


@pytest.fixture
def nodes():
    """Runs a cluster whose nodes are processes of this machine with one processor each."""
    import ray
    from ray.cluster_utils import Cluster

    clusters = []

    def start(count):
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        clusters.append(cluster)
        cluster.workers = [cluster.add_node(num_cpus=1) for _ in range(count - 1)]
        cluster.wait_for_nodes()
        return cluster

    yield start
    ray.shutdown()
    for cluster in clusters:
        cluster.shutdown()


def text_of(results):
    return [json.dumps(result.details, sort_keys=True) for result in results]


def test_sixty_trials_survive_the_death_of_a_node(pairs, local_results, nodes, tmp_path):
    cluster = nodes(3)
    killed = []

    def on_progress(done, total):
        assert total == 60
        if done >= 20 and not killed:
            killed.append(done)
            cluster.remove_node(cluster.workers[0], allow_graceful=False)

    with RayExecutor(cluster.address) as executor:
        begin = time.monotonic()
        results = compare_all(pairs, executor=executor, on_progress=on_progress, logdir=tmp_path / "logs")
        print(f"60 trials on 3 nodes, one killed: {time.monotonic() - begin:.1f} s")
    assert killed and not any(isinstance(result, Failed) for result in results)
    assert text_of(results) == text_of(local_results)
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == [f"variant_{i:02}" for i in range(60)]


def noted_trial(folder, number, slow_node):
    """Records where it runs. On the node that is killed it never ends."""
    import ray

    node = ray.get_runtime_context().get_node_id()
    (folder / f"{number}.{node}").touch()
    time.sleep(60 if node == slow_node else 0.2)
    return number * number


def test_trials_that_ran_on_a_dead_node_run_again(nodes, tmp_path):
    cluster = nodes(3)
    victim = cluster.workers[0]
    items = [{"folder": tmp_path, "number": i, "slow_node": victim.node_id} for i in range(60)]
    lost = []

    def on_victim():
        return [path.name.partition(".")[0] for path in tmp_path.glob(f"*.{victim.node_id}")]

    def on_progress(done, _):
        if not lost and done >= 20 and on_victim():
            lost.extend(on_victim())
            cluster.remove_node(victim, allow_graceful=False)

    with RayExecutor(cluster.address) as executor:
        assert executor.run(noted_trial, items, on_progress) == [i * i for i in range(60)]
    attempts = Counter(path.name.partition(".")[0] for path in tmp_path.iterdir())
    assert lost and {number for number, count in attempts.items() if count > 1} == set(lost)
    assert len(attempts) == 60


def slow_square(number):
    time.sleep(0.2)
    return number * number


def test_three_nodes_are_faster_than_one(nodes):
    """Reports the times; trials that wait show the scheduling even on a busy machine."""
    items = [{"number": i} for i in range(30)]
    seconds = {}
    for count in (1, 3):
        cluster = nodes(count)
        with RayExecutor(cluster.address) as executor:
            executor.run(slow_square, items[:3])  # Starts the worker processes.
            begin = time.monotonic()
            assert executor.run(slow_square, items) == [i * i for i in range(30)]
            seconds[count] = time.monotonic() - begin
        cluster.shutdown()
    print(f"30 trials of 0.2 s: {seconds}")


def test_files_that_a_node_does_not_have_are_sent(pairs, local_results, nodes, monkeypatch):
    from compression_board import cluster as module

    cluster = nodes(1)
    with RayExecutor(cluster.address) as executor:
        # Simulates machines with other disks: no path of the caller exists there.
        monkeypatch.setattr(module._File, "__reduce__", lambda self: (elsewhere, (self.path, self.parts)))
        results = compare_all(pairs[:2], executor=executor)
    assert text_of(results) == text_of(local_results[:2])


def elsewhere(path, parts):
    from compression_board.cluster import _File

    file = _File("/elsewhere" + path)
    file.parts = [("/elsewhere" + part, digest, content) for part, digest, content in parts]
    file.path = path
    return file


def fail_for_three(number):
    if number == 3:
        raise ValueError("three is not possible")
    return number


def test_a_trial_that_fails_does_not_end_the_others(nodes):
    items = [{"number": i} for i in range(6)]
    with RayExecutor(nodes(2).address) as executor:
        results = executor.run(fail_for_three, items)
    expected = LocalExecutor().run(fail_for_three, items)
    assert [str(result) for result in results] == [str(result) for result in expected]
    assert str(results[3]) == "ValueError: three is not possible"


def test_trials_can_be_cancelled(nodes):
    with RayExecutor(nodes(2).address) as executor:
        threading.Timer(1.5, executor.cancel).start()
        with pytest.raises(Cancelled) as cancelled:
            executor.run(slow_square, [{"number": i} for i in range(1000)])
        done = [result for result in cancelled.value.results if result is not None]
        assert 0 < len(done) < 1000
        # The executor still works afterwards.
        assert executor.run(slow_square, [{"number": 2}]) == [4]


def size_score(path):
    import os

    return 1.0 if os.path.getsize(path) > 100 else 0.0


def test_tunings_give_the_same_models_as_here(tmp_path, pairs, nodes):
    data = tmp_path / "calib.npz"
    np.savez(data, x=np.random.default_rng(0).normal(size=(32, 1, 16)).astype(np.float32))
    job = {"model": pairs[0][0], "data": data, "target": "ort-cpu"}
    with RayExecutor(nodes(2).address) as executor:
        (remote,) = tune_all([job | {"output": tmp_path / "remote/int8.onnx"}], executor=executor)
        evaluated = tune(job["model"], data, size_score, executor=executor, output=tmp_path / "evaluated.onnx", target="ort-cpu")
    (local,) = tune_all([job | {"output": tmp_path / "local/int8.onnx"}], executor=LocalExecutor())
    assert not isinstance(remote, Failed) and not isinstance(local, Failed), (remote, local)
    assert remote["is_met"] == local["is_met"] and evaluated["is_met"]
    assert (tmp_path / "remote/int8.onnx").read_bytes() == (tmp_path / "local/int8.onnx").read_bytes()
