"""Compares our queries with stock TensorBoard: texts, bins, quantiles and tables must be equal.

 python tensorboard_oracle.py build/dev/bin/tensorboard_oracle

 The program tensorboard_oracle returns our results; this script calls TensorBoard's functions.
Inputs are random, from a fixed seed.
"""

import json
import math
import random
import struct
import subprocess
import sys
import unittest
import unittest.mock

import numpy as np
from google.protobuf import text_format
from google.protobuf.descriptor import FieldDescriptor
from tensorboard import data_compat
from tensorboard.backend import process_graph
from tensorboard.compat.proto import config_pb2, graph_pb2, summary_pb2
from tensorboard.plugins.custom_scalar import custom_scalars_plugin, layout_pb2
from tensorboard.plugins.distribution import compressor
from tensorboard.plugins.graph import graph_util, keras_util
from tensorboard.plugins.pr_curve import pr_curves_plugin
from tensorboard.plugins.projector import projector_config_pb2
from tensorboard.util import tensor_util

PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 else "tensorboard_oracle"


def ask(mode, requests):
    """The responses of our program, as text."""
    frames = b"".join(struct.pack("<I", len(request)) + request for request in requests)
    out = subprocess.run([PROGRAM, mode], input=frames, stdout=subprocess.PIPE, check=True).stdout
    answers = []
    while out:
        (size,) = struct.unpack_from("<I", out)
        answers.append(out[4 : 4 + size].decode())
        out = out[4 + size :]
    assert len(answers) == len(requests), f"{len(answers)} answers to {len(requests)} requests"
    return answers


class Fuzz:
    """Fills any message with random values, including edge cases."""

    def __init__(self, seed, max_map_entries=1):
        self.random = random.Random(seed)
        self.max_map_entries = max_map_entries

    def text(self):
        letters = "ab/_:^ \"'\\\n\t\r\x7f\x01\x00é漢😀"
        return "".join(self.random.choice(letters) for _ in range(self.random.randrange(6)))

    def floating(self):
        return self.random.choice(
            [0.0, -0.0, 1.0, 0.1, 1e30, -1e-30, 1 / 3, 16777217.0, 1e10, 123456.7, math.nan,
             math.inf, -math.inf, 5e-324, self.random.gauss(0, 1e3)])

    def value(self, field):
        kind = field.type
        pick = self.random.choice
        if kind == FieldDescriptor.TYPE_STRING:
            return self.text()
        if kind == FieldDescriptor.TYPE_BYTES:
            return self.random.choice([self.text().encode(), self.random.randbytes(5)])
        if kind == FieldDescriptor.TYPE_BOOL:
            return pick([True, False])
        if kind == FieldDescriptor.TYPE_FLOAT:
            return float(np.float32(min(max(self.floating(), -3e38), 3e38)))
        if kind == FieldDescriptor.TYPE_DOUBLE:
            return self.floating()
        if kind == FieldDescriptor.TYPE_ENUM:
            return pick([pick(field.enum_type.values).number, 77777])
        if kind == FieldDescriptor.TYPE_INT32:
            return pick([0, 1, -1, 2**31 - 1, -(2**31)])
        if kind == FieldDescriptor.TYPE_INT64:
            return pick([0, 1, -1, 2**63 - 1, -(2**63)])
        if kind == FieldDescriptor.TYPE_UINT32:
            return pick([0, 7, 2**32 - 1])
        return pick([0, 7, 2**64 - 1])

    def fill(self, message, depth=0):
        for field in message.DESCRIPTOR.fields:
            if self.random.random() < 0.45 + 0.1 * depth:
                continue
            target = getattr(message, field.name)
            is_message = field.type == FieldDescriptor.TYPE_MESSAGE
            if is_message and depth > 4:
                continue
            if is_message and field.message_type.GetOptions().map_entry:
                entry = field.message_type.fields_by_name
                for _ in range(self.random.randint(0, self.max_map_entries)):
                    key = self.value(entry["key"])
                    if entry["value"].type == FieldDescriptor.TYPE_MESSAGE:
                        self.fill(target[key], depth + 1)
                    else:
                        target[key] = self.value(entry["value"])
            elif field.is_repeated:
                for _ in range(self.random.randrange(4)):
                    if is_message:
                        self.fill(target.add(), depth + 1)
                    else:
                        target.append(self.value(field))
            elif is_message:
                target.SetInParent()
                self.fill(target, depth + 1)
            else:
                setattr(message, field.name, self.value(field))
        return message


def random_graph(fuzz):
    graph = fuzz.fill(graph_pb2.GraphDef())
    graph.versions.producer = 22
    for node in graph.node:
        if fuzz.random.random() < 0.3:
            node.op = "PartitionedCall"
    return graph


def random_histogram(generator):
    """A HistogramProto with the properties of other writers: TensorFlow's infinite limits,
    tensorboardX's empty first bin, fractional counts.
    """
    size = generator.integers(0, 300)
    limits = np.sort(generator.normal(size=size) * 10.0 ** generator.integers(-3, 4))
    counts = generator.integers(0, 4, size=size).astype(float)
    if generator.random() < 0.3:
        counts = counts * generator.random(size)
    if size and generator.random() < 0.3:
        limits[-1] = sys.float_info.max
    histo = summary_pb2.HistogramProto(
        min=float(limits[0] - 1 if size else 0), max=float(generator.normal() * 5),
        num=counts.sum(), bucket_limit=limits, bucket=counts)
    return summary_pb2.Summary.Value(tag="h", histo=histo)


class Graphs(unittest.TestCase):
    """Our text sorts maps by key; TensorBoard's text has the order of a hash table. So texts are
    compared if maps have at most one entry, and parsed messages if they have several.
    """

    def judge(self, answer, message):
        if answer != str(message):
            read_back = text_format.Parse(answer, type(message)())
            self.assertEqual(
                read_back.SerializeToString(deterministic=True),
                message.SerializeToString(deterministic=True))
            self.assertEqual(sorted(answer.split("\n")), sorted(str(message).split("\n")))

    def test_graph_text_is_the_text_of_protobuf(self):
        graphs = [random_graph(Fuzz(seed)) for seed in range(300)]
        for graph, answer in zip(graphs, ask("graph", [g.SerializeToString() for g in graphs])):
            self.assertEqual(answer, str(graph))

    def test_maps_are_written_whole(self):
        graphs = [random_graph(Fuzz(seed, 5)) for seed in range(300)]
        for graph, answer in zip(graphs, ask("graph", [g.SerializeToString() for g in graphs])):
            self.judge(answer, graph)

    def test_run_metadata_text_is_the_text_of_protobuf(self):
        every = [Fuzz(seed).fill(config_pb2.RunMetadata()) for seed in range(200)]
        for one, answer in zip(every, ask("run_metadata", [m.SerializeToString() for m in every])):
            self.assertEqual(answer, str(one))

    def test_large_attributes_become_names(self):
        graphs = [random_graph(Fuzz(seed, 4)) for seed in range(900)]
        answers = ask("limited_graph", [g.SerializeToString() for g in graphs])
        limited = 0
        for graph, answer in zip(graphs, answers):
            process_graph.prepare_graph_for_ui(graph, 24, "_too_large_attrs")
            for node in graph.node:
                if "_too_large_attrs" in node.attr:
                    node.attr["_too_large_attrs"].list.s.sort()
                    limited += 1
            self.judge(answer, graph)
        self.assertGreater(limited, 50)

    def test_function_graphs_are_merged(self):
        every = []
        for seed in range(200):
            fuzz = Fuzz(seed)
            run_metadata = config_pb2.RunMetadata()
            for _ in range(seed % 4):
                function = run_metadata.function_graphs.add()
                function.pre_optimization_graph.CopyFrom(random_graph(fuzz))
            every.append(run_metadata)
        answers = ask("op_graph", [m.SerializeToString() for m in every])
        for run_metadata, answer in zip(every, answers):
            merged = graph_util.merge_graph_defs(
                [f.pre_optimization_graph for f in run_metadata.function_graphs])
            self.judge(answer, merged)


def keras_tensor(layer, output=0):
    return {"class_name": "__keras_tensor__", "config": {"keras_history": [layer, 0, output]}}


def keras_layer(name, inputs=None, dtype="float32", kind="Dense"):
    layer = {"class_name": kind, "config": {"name": name, "dtype": dtype}}
    if inputs is not None:
        layer["inbound_nodes"] = [{"args": [keras_tensor(i) for i in inputs], "kwargs": {}}]
    return layer


KERAS_MODELS = [
    {"class_name": "Sequential", "config": {"name": "seq", "layers": [
        keras_layer("in", dtype="int8"), keras_layer("a", dtype="mixed_float16"),
        keras_layer("b", dtype={"class_name": "DTypePolicy", "config": {"name": "bfloat16"}})]}},
    {"class_name": "Functional", "config": {
        "name": "net", "input_layers": ["x", 0, 0], "output_layers": ["sum", 0, 0], "layers": [
            keras_layer("x", []), keras_layer("l", ["x"]), keras_layer("r", ["x"], "double"),
            {"class_name": "Functional", "config": {
                "name": "inner", "input_layers": ["i", 0, 0],
                "output_layers": [["o1", 0, 0], ["o2", 0, 0]],
                "layers": [keras_layer("i", []), keras_layer("o1", ["i"]),
                           keras_layer("o2", ["i"])]},
             "inbound_nodes": [{"args": [keras_tensor("l")]}]},
            {"class_name": "Sequential", "config": {"name": "tail", "layers": [
                keras_layer("t1"), keras_layer("t2", dtype="no_such_type")]},
             "inbound_nodes": [{"args": [keras_tensor("r")]}]},
            {"class_name": "Add", "config": {"name": "sum"}, "inbound_nodes": [
                {"args": [[keras_tensor("inner", 1), keras_tensor("inner", 9),
                           keras_tensor("tail")]]}]}]}},
    {"class_name": "Sequential", "config": {"name": "outer", "layers": [
        keras_layer("first"),
        {"class_name": "Functional", "config": {
            "name": "f", "input_layers": ["fi"], "output_layers": ["fo", 0, 0],
            "layers": [keras_layer("fi"), keras_layer("fo", ["fi"])]}},
        keras_layer("last")]}},
    keras_layer("alone", kind="Input"),
]


class Keras(unittest.TestCase):
    def test_layers_become_the_same_nodes(self):
        answers = ask("keras", [json.dumps(model).encode() for model in KERAS_MODELS])
        for model, answer in zip(KERAS_MODELS, answers):
            theirs = keras_util.keras_model_to_graph_def(model)
            self.assertEqual(text_format.Parse(answer, graph_pb2.GraphDef()), theirs)


class Histograms(unittest.TestCase):
    def test_rows_and_distributions_are_tensorboards(self):
        generator = np.random.default_rng(1)
        values = [random_histogram(generator) for _ in range(400)]
        for value, answer in zip(values, ask("histogram", [v.SerializeToString() for v in values])):
            ours = json.loads(answer, parse_constant=float)
            migrated = data_compat.migrate_value(value)
            rows = tensor_util.make_ndarray(migrated.tensor).tolist()
            self.assertEqual(ours["python"], rows)
            theirs = compressor.compress_histogram(rows)
            self.assertEqual(ours["distribution"], [quantile for _, quantile in theirs])


class PrCurves(unittest.TestCase):
    def test_curves_are_cut_and_counted_alike(self):
        generator = np.random.default_rng(2)
        arrays = []
        for size in [1, 2, 3, 50, 127] * 4:
            data = generator.random((6, size), dtype=np.float32)
            data[:4] *= 20
            data[:2, size // 2 + 1 :] = generator.random() < 0.5
            arrays.append(data)
        values = [
            summary_pb2.Summary.Value(tensor=tensor_util.make_tensor_proto(a)) for a in arrays]
        plugin = pr_curves_plugin.PrCurvesPlugin.__new__(pr_curves_plugin.PrCurvesPlugin)
        for data, answer in zip(arrays, ask("pr_curve", [v.SerializeToString() for v in values])):
            theirs = plugin._make_pr_entry(0, 0.0, data)
            del theirs["step"], theirs["wall_time"]
            self.assertEqual(json.loads(answer), theirs)


class Layouts(unittest.TestCase):
    def test_layouts_of_two_runs_are_merged(self):
        for seed in range(100):
            pick = random.Random(seed)
            layouts = []
            for _ in range(2):
                layout = layout_pb2.Layout()
                for title in pick.sample("abcd", pick.randrange(4)):
                    category = layout.category.add(title=title, closed=pick.random() < 0.5)
                    for name in pick.sample("xyz", pick.randrange(1, 4)):
                        chart = category.chart.add(title=name)
                        if pick.random() < 0.5:
                            chart.multiline.tag.extend(["loss", name])
                        else:
                            chart.margin.series.add(value=name, lower="l", upper="u")
                layouts.append(layout)
            values = [
                summary_pb2.Summary.Value(
                    tensor=tensor_util.make_tensor_proto(layout.SerializeToString()))
                for layout in layouts]
            frames = b"".join(
                struct.pack("<I", value.ByteSize()) + value.SerializeToString() for value in values)
            provider = unittest.mock.Mock()
            provider.read_tensors.return_value = {
                f"run{i}": {"custom_scalars__config__": [
                    unittest.mock.Mock(numpy=np.array(layout.SerializeToString(), dtype=object))]}
                for i, layout in enumerate(layouts)}
            plugin = custom_scalars_plugin.CustomScalarsPlugin.__new__(
                custom_scalars_plugin.CustomScalarsPlugin)
            plugin._data_provider = provider
            theirs = json.loads(plugin.layout_impl(None, ""))
            expected = [
                [category["title"], category["closed"]] + [
                    [chart["title"]] + (
                        chart["multiline"]["tag"] if "multiline" in chart else
                        [[one["value"], one["lower"], one["upper"]]
                         for one in chart["margin"]["series"]])
                    for chart in category["chart"]]
                for category in theirs["category"]]
            self.assertEqual(json.loads(ask("layout", [frames])[0]), expected)


class Projector(unittest.TestCase):
    def test_configs_read_alike(self):
        texts, configs = [], []
        for seed in range(200):
            config = Fuzz(seed).fill(projector_config_pb2.ProjectorConfig())
            short = {"use_short_repeated_primitives": True}
            one_line = {"as_one_line": True}
            options = [{}, short, one_line, {**short, **one_line}, {"pointy_brackets": True}]
            texts.append("# config\n" + text_format.MessageToString(config, **options[seed % 5]))
            configs.append(text_format.Parse(texts[-1], projector_config_pb2.ProjectorConfig()))
        texts = [text if i % 5 not in (2, 3) else text.split("\n", 1)[1]
                 for i, text in enumerate(texts)]
        for config, answer in zip(configs, ask("projector", [text.encode() for text in texts])):
            self.assertEqual(json.loads(answer), [
                config.model_checkpoint_path, config.model_checkpoint_dir] + [
                [e.tensor_name, e.metadata_path, e.bookmarks_path, e.tensor_path,
                 list(e.tensor_shape),
                 [e.sprite.image_path, *e.sprite.single_image_dim] if e.HasField("sprite") else []]
                for e in config.embeddings])


if __name__ == "__main__":
    unittest.main()
