"""Small files that expand to much data: peak memory stays in proportion to the file, whatever it
repeats.

Examples are parts of a few bytes that become structs of hundreds, lists that many nodes share,
names in scopes, and bodies of functions at each call. A file is read, or refused with its name.
"""

import os
import struct
import sys
from pathlib import Path

import pytest
from test_tensorflow import varint

sys.path.append(str(Path(__file__).parent.parent / "support"))
from peak_memory import run_measured

FILE_BYTES = 3 << 20
# Memory limit of the program: these files need less than two thirds of it. Before the limit, the
# best of them took a hundred and fifty times their size, and most all available memory.
MAX_BYTES = (384 << 20) + 24 * FILE_BYTES
TIMEOUT_SECONDS = 60


def field(number, content):
    return varint(number << 3 | 2) + varint(len(content)) + content


def number(field_number, value):
    return varint(field_number << 3) + varint(value)


def repeated(make, size):
    """Concatenates `make(name)` for many names, until the result has `size` bytes."""
    parts, length = [], 0
    while length < size:
        parts.append(make(b"%x" % len(parts)))
        length += len(parts[-1])
    return b"".join(parts)


def onnx_file(graph, functions=b""):
    return number(1, 8) + field(7, graph) + functions


def onnx_node(op, *outputs, more=b""):
    return field(1, field(4, op) + b"".join(field(2, name) for name in outputs) + more)


def onnx_attribute(name, value):
    return field(5, field(1, name) + value)


def calls_of(body):
    """Half of the file is a function, the other half are calls of it."""
    function = field(25, field(1, b"F") + body)
    return onnx_file(repeated(lambda name: onnx_node(b"F", name), FILE_BYTES // 2), function)


def listing_of(dimension, size):
    """Returns a value_info with so many bytes of dimensions, without its field."""
    shape = field(2, dimension * (size // len(dimension)))
    return field(1, b"v") + field(2, field(1, number(1, 1) + shape))


HALF = FILE_BYTES // 2
EMPTY_DIMENSION = field(1, b"")
ONE_BYTE_NUMBERS = field(7, b"\x01" * HALF)  # int64_data: eight bytes for each value.
DECODED = number(1, HALF) + number(2, 7) + ONE_BYTE_NUMBERS
MANY_DIMENSIONS = field(1, b"\x01" * HALF) + number(2, 1) + field(9, b"1234")


def constant_of(tensor):
    return field(
        7, field(4, b"Constant") + field(2, b"c") + onnx_attribute(b"value", field(5, tensor))
    )


def subgraph_of(graph):
    return field(7, field(4, b"If") + onnx_attribute(b"then_branch", field(6, graph)))


def branches_with_a_large_shape():
    branch = field(6, field(12, field(1, b"v")))
    both = onnx_attribute(b"then_branch", branch) + onnx_attribute(b"else_branch", branch)
    nodes = repeated(lambda name: onnx_node(b"If", name, more=both), HALF)
    return onnx_file(field(11, listing_of(EMPTY_DIMENSION, HALF)) + nodes)


def names_behind_a_long_scope():
    inner = onnx_node(b"R", more=repeated(lambda name: field(2, name), HALF))
    attribute = onnx_attribute(b"g", field(6, inner))
    return onnx_file(onnx_node(b"If", more=field(3, b"n" * HALF) + attribute))


def split_of_many_dimensions():
    value = field(5, field(8, b"w") + field(1, b"\x01" * 64) + number(2, 1) + field(9, b"1234"))
    outputs = repeated(lambda name: field(2, name), FILE_BYTES)
    return onnx_file(value + onnx_node(b"Split", more=field(1, b"w") + outputs))


def constants_through_one_node():
    """Takes time rather than memory, unless each path is visited once."""
    weight = field(5, field(8, b"w") + number(1, 1) + number(2, 1) + field(9, b"1234"))
    names = range(FILE_BYTES // 50)
    outputs = b"".join(field(2, b"%x" % name) for name in names)
    uses = b"".join(field(1, b"%x" % name) for name in names)
    inputs = field(1, b"w") * (FILE_BYTES // 6)
    return onnx_file(
        weight + onnx_node(b"R", more=inputs + outputs) + onnx_node(b"R", more=field(1, b"x") + uses)
    )


ONNX = {
    "empty nodes": lambda: onnx_file(field(1, b"") * (FILE_BYTES // 2)),
    "shortest nodes": lambda: onnx_file(onnx_node(b"R") * (FILE_BYTES // 5)),
    "empty attributes": lambda: onnx_file(onnx_node(b"R", more=field(5, b"") * (FILE_BYTES // 2))),
    "split of many dimensions": split_of_many_dimensions,
    "the same output many times": lambda: onnx_file(
        field(11, listing_of(EMPTY_DIMENSION, HALF)) + field(12, field(1, b"v")) * (HALF // 5)
    ),
    "branches with a large shape": branches_with_a_large_shape,
    "names behind a long scope": names_behind_a_long_scope,
    "constants through one node": constants_through_one_node,
    "function: shape": lambda: calls_of(field(12, listing_of(EMPTY_DIMENSION, HALF))),
    "function: inputs": lambda: calls_of(field(7, field(4, b"R") + field(1, b"x") * (HALF // 3))),
    "function: operator": lambda: calls_of(field(7, field(4, b"R" * HALF))),
    "function: output": lambda: calls_of(field(7, field(4, b"R") + field(2, b"o" * HALF))),
    "function: constant": lambda: calls_of(constant_of(DECODED)),
    "function: dimensions": lambda: calls_of(constant_of(MANY_DIMENSIONS)),
    "function: subgraph": lambda: calls_of(subgraph_of(field(5, field(8, b"w") + DECODED))),
}


def tf_node(name, op, more=b""):
    return field(1, name) + field(2, op) + more


def tf_attribute(key, value):
    return field(5, field(1, key) + field(2, value))


PLACEHOLDER = field(1, tf_node(b"x", b"Placeholder", tf_attribute(b"dtype", number(6, 1))))


def tf_calls_of(*nodes):
    body = field(1, field(1, b"F")) + b"".join(field(3, node) for node in nodes)
    calls = repeated(lambda name: field(1, tf_node(name, b"F")), HALF)
    return PLACEHOLDER + field(2, field(1, body)) + calls


def tf_nodes_of_one_name():
    uses = repeated(lambda name: field(3, b"a:%d" % int(name, 16)), HALF)
    nodes = field(1, tf_node(b"a", b"R")) * (HALF // 8)
    return PLACEHOLDER + nodes + field(1, tf_node(b"y", b"R", uses))


USER = tf_node(b"u", b"R", field(3, b"n:o:0"))
BOOLEANS = number(1, 10) + field(2, field(2, number(1, HALF))) + field(11, b"\x01" * HALF)
SHAPES = field(1, field(7, field(2, b"") * (HALF // 2)))

TENSORFLOW = {
    "empty nodes": lambda: PLACEHOLDER + field(1, b"") * (FILE_BYTES // 2),
    "nodes of one name": tf_nodes_of_one_name,
    "function: operator": lambda: tf_calls_of(tf_node(b"n", b"R" * HALF)),
    "function: key": lambda: tf_calls_of(
        tf_node(b"n", b"R", tf_attribute(b"k" * HALF, number(3, 1)))
    ),
    "function: constant": lambda: tf_calls_of(
        tf_node(b"n", b"Const", tf_attribute(b"value", field(8, BOOLEANS))), USER
    ),
    "function: shapes": lambda: tf_calls_of(
        tf_node(b"n", b"R", tf_attribute(b"_output_shapes", SHAPES)), USER
    ),
}


def ir_ports_of_a_long_id():
    ports = repeated(lambda name: b'<port id="%s"/>' % name, HALF)
    layer = b'<layer id="' + b"a" * HALF + b'" name="l"><output>' + ports + b"</output></layer>"
    return b'<?xml version="1.0"?><net version="11"><layers>' + layer + b"</layers></net>"


OPENVINO = {"ports of a long id": ir_ports_of_a_long_id}


class Flatbuffer:
    """Returns a TFLite model in which many lists contain the same table."""

    def __init__(self):
        self.bytes = bytearray(b"\0\0\0\0TFL3")

    def table(self, **fields):
        """Returns the position of the table, and those of its fields: `_3=7` sets field 3 to 7."""
        fields = {int(key[1:]): value for key, value in fields.items()}
        places = [0] * (max(fields) + 1)
        for i, key in enumerate(sorted(fields)):
            places[key] = 4 + 4 * i
        sizes = 4 + 2 * len(places), 4 + 4 * len(fields)
        listing = struct.pack(f"<{2 + len(places)}H", *sizes, *places)
        listing += b"\0" * (-len(listing) % 4)
        start = len(self.bytes) + len(listing)
        self.bytes += listing + struct.pack("<i", len(listing))
        for key in sorted(fields):
            self.bytes += struct.pack("<I", fields[key])
        return start, {key: start + places[key] for key in fields}

    def link(self, place, target):
        struct.pack_into("<I", self.bytes, place, target - place)

    def vector(self, place, count, content):
        self.link(place, len(self.bytes))
        self.bytes += struct.pack("<I", count) + content + b"\0" * (-len(content) % 4)

    def tables(self, place, count):
        """Returns a list of `count` tables, all of which are the one that `fill` creates."""
        self.vector(place, count, b"\0" * (4 * count))
        end = len(self.bytes)

        def fill(target):
            offsets = range(target - end + 4 * count, target - end, -4)
            struct.pack_into(f"<{count}I", self.bytes, end - 4 * count, *offsets)

        return fill


def tflite(tensor_count, operator_count=0, **tensor_fields):
    """Fields of tensors that are bytes are vectors of numbers."""
    file = Flatbuffer()
    model, parts = file.table(_2=0, _4=0)
    struct.pack_into("<I", file.bytes, 0, model)
    subgraphs, buffers = file.tables(parts[2], 1), file.tables(parts[4], 2)
    subgraph, lists = file.table(_0=0, _3=0)
    subgraphs(subgraph)
    tensors, operators = file.tables(lists[0], tensor_count), file.tables(lists[3], operator_count)
    buffer, content = file.table(_0=0)
    buffers(buffer)
    file.vector(content[0], 1, b"\1")
    operator, ends = file.table(_0=0, _1=0)
    operators(operator)
    file.vector(ends[1], 1, struct.pack("<i", 0))
    plain = {k: v if isinstance(v, int) else 0 for k, v in tensor_fields.items()}
    tensor, places = file.table(**plain)
    tensors(tensor)
    for key, value in tensor_fields.items():
        if not isinstance(value, int):
            size = 1 if key == "_3" else 4
            file.vector(places[int(key[1:])], len(value) // size, value)
    return bytes(file.bytes)


# Field 0 is the shape, 1 the type (3: uint8), 2 the buffer, 3 the name, 7 the open shape.
TFLITE = {
    "constants of one shape": lambda: tflite(
        HALF // 4, _0=struct.pack("<i", 1) * (HALF // 4), _1=3, _2=1, _7=b""
    ),
    "operators of one long name": lambda: tflite(1, 10_000, _1=0, _3=b"n" * HALF),
}

FILES = [
    (kind, name, make)
    for kind, files in {
        "onnx": ONNX,
        "pb": TENSORFLOW,
        "tflite": TFLITE,
        "xml": OPENVINO,
    }.items()
    for name, make in files.items()
]


@pytest.mark.parametrize(
    "kind, name, make", FILES, ids=[f"{kind}: {name}" for kind, name, _ in FILES]
)
def test_memory_stays_in_proportion_to_the_file(tmp_path, kind, name, make):
    path = tmp_path / f"m.{kind}"
    path.write_bytes(make())
    assert path.stat().st_size < 1.2 * FILE_BYTES
    # The program is stopped at twice its allowed memory.
    peak = run_measured(
        [os.environ["COMPRESSION_BOARD"], "model", path, "--json"],
        tmp_path,
        limits={"RLIMIT_AS": 2 * MAX_BYTES, "RLIMIT_CPU": TIMEOUT_SECONDS},
    )
    if peak.returncode != 0:
        assert peak.returncode == 1 and f"m.{kind}" in peak.stderr, peak.stderr[:1000]
    size = path.stat().st_size
    assert peak.bytes < MAX_BYTES, f"{peak.bytes >> 20} MiB for a file of {size >> 20} MiB"
