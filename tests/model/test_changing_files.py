"""Model files that another program saves again while they are read.

No command may die by a signal, and no output may be a mixture: it belongs to one of the two
versions, or is an error with the reason.
"""

import itertools
import os
import subprocess
import threading
import time

import flatbuffers
import gguf
import numpy as np
import onnx
import pytest
import tflite
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import save_file

ROUNDS = int(os.environ.get("CBOARD_CHANGING_ROUNDS", "20"))
MEGABYTES = int(os.environ.get("CBOARD_CHANGING_MEGABYTES", "16"))
LAYERS = 4


def weights(seed):
    """Returns layers that take so many megabytes together."""
    side = int((MEGABYTES * 2**20 / LAYERS / 4) ** 0.5)
    base = np.random.default_rng(1).normal(size=(LAYERS, side, side)).astype(np.float32)
    noise = np.random.default_rng(seed + 2).normal(size=base.shape).astype(np.float32)
    return {f"layer{i}.weight": base[i] + np.float32(0.02) * seed * noise[i] for i in range(LAYERS)}


def write_onnx(path, tensors, **options):
    names = list(tensors)
    nodes = [helper.make_node("MatMul", [f"x{i}", name], [f"x{i + 1}"], name=f"m{i}") for i, name in enumerate(names)]
    side = tensors[names[0]].shape[0]
    inputs = [helper.make_tensor_value_info("x0", TensorProto.FLOAT, [1, side])]
    outputs = [helper.make_tensor_value_info(f"x{len(names)}", TensorProto.FLOAT, [1, side])]
    stored = [numpy_helper.from_array(value, name) for name, value in tensors.items()]
    model = helper.make_model(
        helper.make_graph(nodes, "g", inputs, outputs, stored), opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    onnx.save_model(model, str(path), **options)


def write_safetensors(path, tensors):
    save_file(tensors, str(path))


def write_gguf(path, tensors):
    writer = gguf.GGUFWriter(str(path), "llama")
    for name, value in tensors.items():
        writer.add_tensor(name, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_tflite(path, tensors):
    """Returns a chain of FULLY_CONNECTED."""
    b = flatbuffers.Builder(1024)

    def vector(start, values, prepend):
        start(b, len(values))
        for value in reversed(values):
            prepend(value)
        return b.EndVector()

    side = next(iter(tensors.values())).shape[0]
    buffers = [None]
    described = [("x0", [1, side], 0)]
    for i, (name, value) in enumerate(tensors.items()):
        buffers.append(value)
        described += [(name, [side, side], i + 1), (f"x{i + 1}", [1, side], 0)]
    made_buffers = []
    for value in buffers:
        data = None if value is None else b.CreateNumpyVector(np.frombuffer(value.tobytes(), np.uint8))
        tflite.BufferStart(b)
        if data is not None:
            tflite.BufferAddData(b, data)
        made_buffers.append(tflite.BufferEnd(b))
    made_tensors = []
    for name, shape, buffer in described:
        text = b.CreateString(name)
        sizes = vector(tflite.TensorStartShapeVector, shape, b.PrependInt32)
        tflite.TensorStart(b)
        tflite.TensorAddShape(b, sizes)
        tflite.TensorAddType(b, tflite.TensorType.FLOAT32)
        tflite.TensorAddBuffer(b, buffer)
        tflite.TensorAddName(b, text)
        made_tensors.append(tflite.TensorEnd(b))
    operators = []
    for i in range(len(tensors)):
        ins = vector(tflite.OperatorStartInputsVector, [2 * i, 2 * i + 1], b.PrependInt32)
        outs = vector(tflite.OperatorStartOutputsVector, [2 * i + 2], b.PrependInt32)
        tflite.OperatorStart(b)
        tflite.OperatorAddInputs(b, ins)
        tflite.OperatorAddOutputs(b, outs)
        operators.append(tflite.OperatorEnd(b))
    tensor_list = vector(tflite.SubGraphStartTensorsVector, made_tensors, b.PrependUOffsetTRelative)
    ins = vector(tflite.SubGraphStartInputsVector, [0], b.PrependInt32)
    outs = vector(tflite.SubGraphStartOutputsVector, [2 * len(tensors)], b.PrependInt32)
    operator_list = vector(tflite.SubGraphStartOperatorsVector, operators, b.PrependUOffsetTRelative)
    tflite.SubGraphStart(b)
    tflite.SubGraphAddTensors(b, tensor_list)
    tflite.SubGraphAddInputs(b, ins)
    tflite.SubGraphAddOutputs(b, outs)
    tflite.SubGraphAddOperators(b, operator_list)
    graphs = vector(tflite.ModelStartSubgraphsVector, [tflite.SubGraphEnd(b)], b.PrependUOffsetTRelative)
    tflite.OperatorCodeStart(b)
    tflite.OperatorCodeAddDeprecatedBuiltinCode(b, tflite.BuiltinOperator.FULLY_CONNECTED)
    tflite.OperatorCodeAddBuiltinCode(b, tflite.BuiltinOperator.FULLY_CONNECTED)
    codes = vector(tflite.ModelStartOperatorCodesVector, [tflite.OperatorCodeEnd(b)], b.PrependUOffsetTRelative)
    buffer_list = vector(tflite.ModelStartBuffersVector, made_buffers, b.PrependUOffsetTRelative)
    tflite.ModelStart(b)
    tflite.ModelAddVersion(b, 3)
    tflite.ModelAddOperatorCodes(b, codes)
    tflite.ModelAddSubgraphs(b, graphs)
    tflite.ModelAddBuffers(b, buffer_list)
    b.Finish(tflite.ModelEnd(b), b"TFL3")
    path.write_bytes(bytes(b.Output()))


WRITERS = {"onnx": write_onnx, "safetensors": write_safetensors, "gguf": write_gguf, "tflite": write_tflite}


class Saver(threading.Thread):
    """Saves the versions of a file repeatedly, as training and copying programs do."""

    def __init__(self, path, versions):
        super().__init__(daemon=True)
        self.path, self.versions, self.done = path, versions, threading.Event()

    def run(self):
        for i in itertools.count():
            if self.done.is_set():
                break
            version = self.versions[i % 2]
            [self.overwrite, self.empty_first, self.replace, self.cut][i // 2 % 4](version)
            self.done.wait(0.003 * (i % 5) ** 2)  # From no delay to more than a small file needs.
        self.replace(self.versions[0])

    def overwrite(self, version):
        with open(self.path, "r+b", buffering=0) as file:
            file.write(version)
            file.truncate(len(version))

    def empty_first(self, version):
        with open(self.path, "wb", buffering=0) as file:
            file.write(version)

    def cut(self, version):
        os.truncate(self.path, len(version) // 3)
        self.overwrite(version)

    def replace(self, version):
        other = self.path.with_suffix(".new")
        other.write_bytes(version)
        other.rename(self.path)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.join()


def board(*arguments):
    return subprocess.run([os.environ["COMPRESSION_BOARD"], *map(str, arguments)], capture_output=True, text=True, timeout=300)


def check(result, right):
    """Checks that the output is right, or an error that a user understands. Returns which."""
    assert result.returncode in (0, 1), f"ended with {result.returncode}: {result.stderr}"
    if result.returncode == 0:
        assert result.stdout in right
        return "right"
    assert result.stderr.startswith("compression-board: "), result.stderr
    if "changed while it was read" in result.stderr or "or the disk failed" in result.stderr:
        assert "run the command again when the file is complete" in result.stderr
        return "changed"
    return "incomplete"  # The version at the opening, and the final version.


@pytest.fixture(scope="module", params=sorted(WRITERS))
def models(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    paths = []
    for seed in range(2):
        paths.append(folder / f"v{seed}.{request.param}")
        WRITERS[request.param](paths[-1], weights(seed))
    return paths


@pytest.mark.parametrize("command", [["model"], ["compare"]], ids=lambda c: c[0])
def test_saved_again_meanwhile(models, command, tmp_path):
    baseline = models[0]
    changing = tmp_path / f"changing{baseline.suffix}"
    versions = [path.read_bytes() for path in models]
    arguments = [*command, *([baseline] if command == ["compare"] else []), changing]
    flags = ["--json", *(["--samples", "0"] if command == ["compare"] else [])]
    right = []
    for version in versions:
        changing.write_bytes(version)
        result = board(*arguments, *flags)
        assert result.returncode == 0, result.stderr
        right.append(result.stdout)
    with Saver(changing, versions):
        seen = [check(board(*arguments, *flags), right) for _ in range(ROUNDS)]
    print({kind: seen.count(kind) for kind in sorted(set(seen))})
    assert board(*arguments, *flags).stdout == right[0]


def cut_when_mapped(process, path, delay_seconds):
    """Waits until the process has mapped the file, and truncates the file after a while."""
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/maps") as maps:
                is_mapped = str(path) in maps.read()
        except OSError:  # The process has just ended.
            break
        if is_mapped:
            time.sleep(delay_seconds)
            os.truncate(path, 4096)
            break


def compare_and_cut(arguments, path, content, rounds):
    """Returns how `compare` ends when a file is truncated at different times."""
    ends = []
    for i in range(rounds):
        path.write_bytes(content)
        process = subprocess.Popen(
            [os.environ["COMPRESSION_BOARD"], "compare", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        cutter = threading.Thread(target=cut_when_mapped, args=(process, path, 0.02 * (i % 8)))
        cutter.start()
        _, error = process.communicate(timeout=300)
        cutter.join()
        ends.append((process.returncode, error))
    assert all(code in (0, 1) for code, _ in ends), ends
    assert all(code == 0 or "run the command again when the file is complete" in error for code, error in ends), ends
    assert any(code == 1 for code, _ in ends), "every comparison was done before its file was cut"


def test_a_file_cut_off_while_it_is_compared(models, tmp_path):
    """The mapping loses its pages."""
    changing = tmp_path / f"cut{models[0].suffix}"
    compare_and_cut([models[0], changing, "--samples", "0"], changing, models[1].read_bytes(), ROUNDS)


def test_external_weights_cut_off_while_the_model_runs(tmp_path):
    """ONNX Runtime itself maps such files."""
    paths = []
    for seed in range(2):
        folder = tmp_path / f"v{seed}"
        folder.mkdir()
        paths.append(folder / "m.onnx")
        write_onnx(paths[-1], weights(seed), save_as_external_data=True, location="weights.bin", size_threshold=0)
    data = paths[1].parent / "weights.bin"
    compare_and_cut([*paths, "--samples", "100"], data, data.read_bytes(), 2 * ROUNDS)
