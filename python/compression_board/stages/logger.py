"""Logs stages: graphs with bytes per node, statistics of outputs, similarity, bit widths."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Optional, Union

from .. import _engine
from ..tensors import as_engine
from ..types import PathLike

# The names of the stages in the order of the pipeline.
STAGES: tuple[str, ...] = tuple(_engine.stage_names())


def set_log_folder(folder: Optional[PathLike]) -> Optional[str]:
    """Sets the folder for stage logs: a new directory logs_<ddmmYYYY_HHMMSS> in `folder`; returns
    it.

    None stops logging. Raises OSError if the folder is not writable; the old setting then stays.
    """
    return _engine.set_log_folder("" if folder is None else os.fspath(folder)) or None


def log_folder() -> Optional[str]:
    """Returns the directory that set_log_folder created; None if it is not set."""
    return _engine.log_folder()


@dataclass
class StageNode:
    """One node of a stage's graph.

    `inputs` are names of earlier nodes, or pairs of a name and the index of an output. `weights`
    and `activation` describe how weights and output are quantized, in attributes with any names;
    they become the nodes <name>.weights and <name>.activation. In `output_shapes`, -1 means an
    unknown size.
    """

    name: str
    op: str
    inputs: Sequence[Union[str, tuple[str, int]]] = ()
    output_shapes: Sequence[Sequence[int]] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, Any] = field(default_factory=dict)
    activation: Mapping[str, Any] = field(default_factory=dict)
    float_parameters: int = 0
    quantized_parameters: int = 0
    weight_bits: int = 32

    def _engine_node(self) -> Any:
        return _engine.StageNode(
            self.name,
            self.op,
            [(i, 0) if isinstance(i, str) else (str(i[0]), int(i[1])) for i in self.inputs],
            [[int(size) for size in shape] for shape in self.output_shapes],
            _plain(self.attributes),
            _plain(self.weights),
            _plain(self.activation),
            self.float_parameters,
            self.quantized_parameters,
            self.weight_bits,
        )


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns numbers and booleans unchanged, all other values as text."""
    return {
        str(key): value if isinstance(value, (bool, int, float)) else str(value)
        for key, value in attributes.items()
    }


class OutputStatistics:
    """Statistics of a layer's output: a histogram, and min, max and mean of each channel.

    Channels are dimension `channel_axis`, or the last dimension of smaller arrays. Memory use does
    not grow with the data. For quantized tensors, the real values are used.
    """

    def __init__(self, channel_axis: int = 1) -> None:
        self._statistics = _engine.OutputStatistics(channel_axis)

    def add(self, output: Any) -> None:
        """Adds a batch. Raises ValueError if its number of channels differs from earlier batches.
        """
        self._statistics.add(as_engine(output))

    @property
    def count(self) -> int:
        """Returns the number of all values, including NaN and infinities."""
        return self._statistics.count

    @property
    def non_finite_count(self) -> int:
        """Returns the number of NaN and infinite values. All other statistics ignore these values.
        """
        return self._statistics.non_finite_count

    def channels(self) -> list[tuple[float, float, float]]:
        """Returns (min, max, mean) of each channel, over its finite values."""
        return self._statistics.channels()


class ModelSimilarity:
    """Measures the similarity of two models at the same points, sample by sample."""

    def __init__(self, channel_axis: int = 1) -> None:
        self._similarity = _engine.ModelSimilarity(channel_axis)

    def add_sample(self, points: Iterable[tuple[str, Any, Any]]) -> None:
        """Adds a sample: (layer, output of the float model, output of the quantized model) for
        every point.

        Raises ValueError if the points differ from those of the first sample, or if the shapes of a
        pair differ.
        """
        self._similarity.add_sample(
            [(layer, as_engine(a), as_engine(b)) for layer, a, b in points]
        )

    @property
    def layers(self) -> list[str]:
        """Returns the points, in the order of the model."""
        return self._similarity.layers

    @property
    def samples(self) -> list[list[float]]:
        """Returns the cosine by sample and point; 1 if both tensors contain only zeros."""
        return self._similarity.samples

    @property
    def mean_cosines(self) -> list[float]:
        """Returns the mean cosine over all samples, by point."""
        return self._similarity.mean_cosines


class StageLogger:
    """Logs one run per stage below <folder>/tensorboard_logs.

    Without a folder, uses the directory of set_log_folder; raises RuntimeError if that is not set.
    `model` is the first part of the tags that the Layers page reads.

        with StageLogger("logs/resnet18", model="resnet18") as logger:
            logger.log_graph("initial_graph", [StageNode("x", "Input"),
                                               StageNode("conv1", "Conv2d", inputs=["x"])])
    """

    def __init__(self, folder: Optional[PathLike] = None, model: str = "model") -> None:
        self._logger = _engine.open_stage_logger(
            "" if folder is None else os.fspath(folder), model
        )
        self.model = model

    @property
    def directory(self) -> str:
        """Returns the directory for `compression-board --logdir`."""
        return self._logger.directory

    def log_graph(
        self, stage: str, nodes: Iterable[StageNode], name: Optional[str] = None
    ) -> None:
        """Logs the graph and its `Resources`, the bytes of every node's weights.

        Raises ValueError if `stage` is not in STAGES, or if an input of a node is not an earlier
        node.
        """
        self._logger.log_graph(stage, name or self.model, [n._engine_node() for n in nodes])

    def log_statistics(self, stage: str, layer: str, statistics: OutputStatistics) -> None:
        """Logs a histogram, and min, max and mean per channel; the step is the index of the
        channel.
        """
        self._logger.log_statistics(stage, layer, statistics._statistics)

    def log_similarity(
        self, similarity: ModelSimilarity, stage: str = "after_quantization"
    ) -> None:
        """Logs a picture and the numbers of each sample, and metrics for the Layers page."""
        self._logger.log_similarity(similarity._similarity, stage)

    def log_local_errors(
        self, local: ModelSimilarity, stage: str = "after_quantization"
    ) -> None:
        """Logs the error of the quantizers alone, for each output before and after its quantizer.

        The Layers page ranks layers by this error and by that of the worst channel.
        """
        self._logger.log_local_errors(local._similarity, stage)

    def log_bit_widths(
        self, layers: Iterable[tuple[str, str, Optional[int], Optional[int]]]
    ) -> None:
        """Logs (layer, op, bits of weights, bits of its output) for each layer; None means unknown.
        """
        self._logger.log_bit_widths(list(layers))

    def flush(self) -> None:
        """Returns when the operating system has received all earlier events."""
        self._logger.flush()

    def close(self) -> None:
        """Closes all runs; later log calls open new files."""
        self._logger.close()

    def __enter__(self) -> "StageLogger":
        return self

    def __exit__(self, *exc: Any) -> None:
        self.close()
