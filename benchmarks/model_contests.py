"""Compares model files with the packages of their formats, and weights with numpy."""

import json
import pathlib
import struct
import subprocess
import sys

import bars
import inputs
import numpy
from contest import Contest
from python_contests import debian_numpy, with_packages

HERE = pathlib.Path(__file__).resolve().parent
OLDER = "numpy 1.24"
# numpy's methods that process whole arrays, by their name in model_peer.py.
WHOLE = {"float32": "in float32", "float64": "summed in float64", "einsum": "with einsum"}


def varint(number):
    text = b""
    while number > 127:
        text += bytes([number & 127 | 128])
        number >>= 7
    return text + bytes([number])


def field(number, length):
    """Returns the beginning of a length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(length)


def tensors(count, each):
    """Returns names and contents of weights; real bytes, so that the file has no holes."""
    random = numpy.random.default_rng(1)
    block = random.normal(0, 0.05, each).astype(numpy.float32)
    for number in range(count):
        yield f"layers.{number}.weight", numpy.roll(block, number).tobytes()


def safetensors_file(path, count, each):
    header = {
        f"layers.{number}.weight": {
            "dtype": "F32", "shape": [each // 1000, 1000],
            "data_offsets": [4 * each * number, 4 * each * (number + 1)],
        }
        for number in range(count)
    }  # fmt: skip
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, content in tensors(count, each):
            file.write(content)
    return path


def onnx_file(path, count, each):
    """Writes one file with its weights inside, field by field: the onnx package would need three
    times its size.
    """
    heads = []
    for number in range(count):
        name = f"layers.{number}.weight".encode()
        dims = b"\x08" + varint(each // 1000) + b"\x08" + varint(1000)
        head = dims + b"\x10\x01" + field(8, len(name)) + name + field(9, 4 * each)
        heads.append(field(5, len(head) + 4 * each) + head)
    graph = field(2, 1) + b"g"
    size = len(graph) + sum(len(head) + 4 * each for head in heads)
    with open(path, "wb") as file:
        file.write(b"\x08\x08" + field(8, 2) + b"\x10\x0d" + field(7, size) + graph)
        for head, (_, content) in zip(heads, tensors(count, each)):
            file.write(head)
            file.write(content)
    return path


def language_model(folder, layers, kind):
    """Writes a transformer's feed-forward layers as Hugging Face stores them, and quantized as
    llama.cpp does, with the names of each format. The peer pairs layers by order, so there are at
    most ten."""
    import gguf

    random = numpy.random.default_rng(4)
    block = random.normal(0, 0.02, (2560, 4096)).astype(numpy.float16)
    header, begin = {}, 0
    for number in range(layers):
        header[f"model.layers.{number}.mlp.up_proj.weight"] = {
            "dtype": "F16", "shape": list(block.shape), "data_offsets": [begin, begin + block.nbytes]
        }  # fmt: skip
        begin += block.nbytes
    text = json.dumps(header).encode()
    path, variant = folder / "model.safetensors", folder / f"model-{kind}.gguf"
    writer = gguf.GGUFWriter(variant, "llama")
    code = gguf.GGMLQuantizationType[kind]
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for number in range(layers):
            values = numpy.roll(block, 997 * number)
            file.write(values.tobytes())
            quantized = gguf.quants.quantize(values.astype(numpy.float32), code)
            writer.add_tensor(f"blk.{number}.ffn_up.weight", quantized, raw_dtype=code)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path, variant


def network(path):
    """Creates convolutions and activations of a common size, with random weights."""
    import onnx
    from onnx import helper, numpy_helper

    random = numpy.random.default_rng(2)
    nodes, weights, last = [], [], "x"
    for number in range(12):
        inputs = 3 if number == 0 else 32
        shape = (32, inputs, 3, 3)
        values = random.normal(0, (2 / (9 * inputs)) ** 0.5, shape).astype(numpy.float32)
        weights.append(numpy_helper.from_array(values, f"w{number}"))
        nodes += [
            helper.make_node("Conv", [last, f"w{number}"], [f"c{number}"], pads=[1, 1, 1, 1]),
            helper.make_node("Relu", [f"c{number}"], [f"r{number}"]),
        ]
        last = f"r{number}"
    graph = helper.make_graph(
        nodes, "g",
        [helper.make_tensor_value_info("x", 1, [1, 3, 64, 64])],
        [helper.make_tensor_value_info(last, 1, [1, 32, 64, 64])],
        weights,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, str(path))
    return path


class ModelContests:
    def __init__(self, benchmark):
        self.benchmark = benchmark

    def ours(self, *arguments):
        return [self.benchmark.programs / "bench_model", *arguments]

    def ours_in_large_pages(self, *arguments):
        """Runs numpy with arrays in memory that is allocated as numpy does."""
        return ["env", "GLIBC_TUNABLES=glibc.malloc.hugetlb=1", *self.ours(*arguments)]

    def peer(self, *arguments):
        return [sys.executable, "-B", HERE / "model_peer.py", *arguments]

    def listing(self, kind, make):
        path = make(self.benchmark.scratch / f"large.{kind}", self.benchmark.count(100), 2_500_000)
        contest = Contest(
            f"listing {path.stat().st_size / 1e9:.2g} GB of {kind}", "file", self.benchmark.rounds
        )
        contest.add("ours", self.ours("list", "--file", path, "--count", 20))
        contest.add(f"{kind} package", self.peer("list", "--file", path, "--count", 2))
        self.benchmark.run(contest)
        best = contest.best("ours")
        self.benchmark.verdicts.append(
            bars.at_most_ns(f"{kind}: 1 GB listed in 20 ms, warm", best and best.wall, 20_000_000)
        )
        path.unlink()

    def weights(self):
        count = self.benchmark.count(100) * 1_000_000
        random = numpy.random.default_rng(3)
        block = random.normal(0, 0.05, 1_000_000).astype(numpy.float32)
        data, codes = self.benchmark.scratch / "pair.f32", self.benchmark.scratch / "pair.i8"
        with open(data, "wb") as values, open(codes, "wb") as quantized:
            for number in range(count // 1_000_000):
                x = numpy.roll(block, number)
                values.write(x.tobytes())
                code = numpy.clip(numpy.rint(x / numpy.float32(0.002)), -128, 127)
                quantized.write(code.astype(numpy.int8).tobytes())
        files = ["--data", data, "--codes", codes, "--count"]
        contest = Contest(f"metrics of {count:,} weights", "weight", self.benchmark.rounds)
        # Each program works for about a second, in which numpy processes the data once.
        often = 35
        contest.add("ours", self.ours_in_large_pages("compare", *files, often))
        contest.add("ours, once", self.ours_in_large_pages("compare", *files, 1), "right after loading")
        contest.add("ours, small pages", self.ours("compare", *files, often), "as of a mapped file")
        damaged = self.ours("compare", *files, often, "--damaged")
        contest.add("ours, damaged", damaged, "codes of another scale, not rounding alone")
        for length, times in ((1000, 20), (64, 4), (9, 1)):
            channels = self.ours("compare", *files, times, "--channels", length)
            contest.add(f"ours, channels of {length}", channels, "layers of 1,000 channels")
        contest.add("ours, threads", self.ours("compare", *files, often, "--threads"), "one a processor")
        folder = debian_numpy(self.benchmark.scratch)
        for way, how in {**WHOLE, "blocks": "in blocks"}.items():
            command = self.peer("compare", *files, 1, "--way", way)
            contest.add(f"numpy, {how}", command)
            if folder is not None:
                contest.add(f"{OLDER}, {how}", with_packages(folder, command), "Debian's")
        read = self.ours_in_large_pages("read", *files, often)
        contest.add("limit", read, "reading the same bytes")
        contest.add("limit, small pages", self.ours("read", *files, often), "as of a mapped file")
        threads = self.ours("read", *files, often, "--threads")
        contest.add("limit, threads", threads, "the same, one a processor")
        self.benchmark.run(contest)
        for how in WHOLE.values():
            for peer in (f"{OLDER}, {how}", f"numpy, {how}"):
                if peer in contest.contestants:
                    self.benchmark.verdicts.append(
                        bars.at_least(f"weights: 35x {peer}", contest.factor(peer), 35)
                    )
        ours, limit = contest.best("ours"), contest.best("limit")
        different = self.difference(
            self.ours("compare", *files, 1), self.peer("compare", *files, 1, "--way", "blocks")
        )
        self.benchmark.verdicts += [
            bars.at_least(
                "weights: 80 % of what reading the same bytes gives",
                ours and limit and limit.cpu / ours.cpu, 0.8,
            ),
            bars.correct("weights: numpy's cosine, to 1e-9", different),
        ]  # fmt: skip

    def models(self, kind):
        layers = min(self.benchmark.count(10), 10)
        path, variant = language_model(self.benchmark.scratch, layers, kind)
        files = ["models", "--file", path, "--variant", variant, "--count"]
        contest = Contest(
            f"float16 safetensors and GGUF's {kind}", "weight", self.benchmark.rounds
        )
        contest.add("ours", self.ours(*files, 2), "pairs of layers found by content")
        contest.add("gguf and numpy", self.peer(*files, 1), "pairs given; SQNR by row, no more")
        self.benchmark.run(contest)
        different = self.difference(self.ours(*files, 1), self.peer(*files, 1), 1e-6)
        self.benchmark.verdicts.append(bars.correct(f"{kind}: numpy's SQNR, to 1e-6", different))
        path.unlink()
        variant.unlink()

    @staticmethod
    def difference(ours, peers, most=1e-9):
        """Returns the difference between the last numbers that two commands print; None if it is
        below `most`.
        """
        found = []
        for command in (ours, peers):
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            if done.returncode != 0:
                return done.stderr.strip()
            found.append(float(done.stderr.split()[-1]))
        return None if abs(found[0] - found[1]) < most else f"{found[0]} instead of {found[1]}"

    def buckets(self):
        """numpy sorts blocks of the values, so its time depends on its sorting algorithm."""
        count = self.benchmark.count(20) * 1_000_000
        data = inputs.weights(self.benchmark.scratch / "buckets.f32", count)
        arguments = ["buckets", "--data", data, "--count"]
        contest = Contest(f"TensorBoard's buckets of {count:,} weights", "weight", self.benchmark.rounds)
        contest.add("ours", self.ours(*arguments, 20))
        contest.add("ours, threads", self.ours(*arguments, 20, "--threads"), "one a processor")
        folder = debian_numpy(self.benchmark.scratch)
        for kind, note in (("f8", "float64, as TensorBoard's writers call it"), ("f4", "float32")):
            command = self.peer(*arguments, 1, "--type", kind)
            contest.add(f"numpy.histogram, {kind}", command, note)
            if folder is not None:
                older = with_packages(folder, command)
                contest.add(f"{OLDER} histogram, {kind}", older, f"Debian's, {note}")
        self.benchmark.run(contest)
        for peer in [name for name in contest.contestants if "numpy" in name]:
            self.benchmark.verdicts.append(
                bars.at_least(f"buckets: 70x {peer}", contest.factor(peer), 70)
            )
        same = self.filled(self.ours(*arguments, 1)) == self.filled(self.peer(*arguments, 1))
        self.benchmark.verdicts.append(
            bars.correct("buckets: numpy's counts", None if same else "other counts")
        )

    @staticmethod
    def filled(command):
        """Returns the non-empty buckets: right edges and counts."""
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
        return json.loads(done.stderr)

    def capture(self):
        model = network(self.benchmark.scratch / "network.onnx")
        contest = Contest("a sample through 24 layers", "sample", self.benchmark.rounds)
        run = ["run", "--file", model, "--count", self.benchmark.count(100)]
        contest.add("ours", self.ours(*run, "--capture"), "all outputs captured")
        contest.add("plain inference", self.ours(*run), "only the last")
        self.benchmark.run(contest)

    def run(self):
        self.listing("safetensors", safetensors_file)
        self.listing("onnx", onnx_file)
        self.weights()
        self.models("Q8_0")
        self.models("Q4_0")
        self.buckets()
        self.capture()
