"""Static quantization of a PyTorch model with torch.ao.quantization; every stage is logged."""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional, Union

from .fx_graph import (
    bit_widths,
    describe_graph,
    is_observer,
    modules_of,
    observers_of,
    pair_layers,
    rounded,
)
from .logger import ModelSimilarity, OutputStatistics, StageLogger, log_folder

SAMPLES = 20  # The number of samples that the Model Compression Toolkit compares.

Batches = Union[Iterable[Any], Callable[[], Iterable[Any]]]


def quantize_fx(
    model: Any,
    data: Batches,
    qconfig_mapping: Any = None,
    *,
    logger: Optional[StageLogger] = None,
    samples: int = SAMPLES,
) -> Any:
    """Returns `model` quantized by prepare_fx and convert_fx after calibration on `data`; `model`
    is not changed.

    `data` gives batches (a tensor, or a tuple of inputs) and is read several times: a list, a
    DataLoader, or a function that returns an iterator. Without a `qconfig_mapping`, the default one
    of the machine's engine is used.

    Logs into `logger`, or below the folder of set_log_folder, or nowhere if neither is set: the
    graph of each stage with the bytes of its nodes, histograms and channels of every layer's output
    before and after quantization, the cosine similarity of both models for `samples` samples, and
    bit widths.

    Raises ValueError if the model has no layer or there is no data. If anything fails, a warning
    names the directory with the values that were logged so far.
    """
    owned = logger is None and log_folder() is not None
    if owned:
        logger = StageLogger(model=type(model).__name__)
    walk = _Walk(model, data, qconfig_mapping, logger, samples)
    try:
        return walk.run()
    except BaseException:
        if logger is not None and walk.logged:
            warnings.warn(
                f"quantization ended early; {logger.directory} holds only {', '.join(walk.logged)}",
                RuntimeWarning,
                stacklevel=2,
            )
        raise
    finally:
        if owned and logger is not None:
            logger.close()


def _inputs(batch: Any) -> tuple[Any, ...]:
    return tuple(batch) if isinstance(batch, (list, tuple)) else (batch,)


def _first_of(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the first sample of a batch."""
    return tuple(x[:1] if hasattr(x, "dim") and x.dim() > 0 else x for x in inputs)


def _interpreter(module: Any, see: Callable[[Any, Any], None]) -> Any:
    """Runs a GraphModule and calls `see` with every node and the result of the node."""
    import torch

    class Recorder(torch.fx.Interpreter):
        def run_node(self, n: Any) -> Any:
            result = super().run_node(n)
            see(n, result)
            return result

    return Recorder(module)


def _is_output_of_a_layer(node: Any, value: Any, modules: dict[str, Any]) -> bool:
    import torch

    if node.op not in ("placeholder", "call_module", "call_function", "call_method"):
        return False
    if node.op == "call_module" and is_observer(modules[str(node.target)]):
        return False
    if not isinstance(value, torch.Tensor) or value.dim() == 0 or value.numel() == 0:
        return False
    return bool(value.is_quantized or value.is_floating_point())


class _Walk:
    """One model during all stages of its quantization."""

    def __init__(self, model: Any, data: Batches, qconfig_mapping: Any,
                 logger: Optional[StageLogger], samples: int) -> None:  # fmt: skip
        self.model = model
        self.data = data
        self.qconfig_mapping = qconfig_mapping
        self.logger = logger
        self.samples = samples
        self.logged: list[str] = []

    def batches(self) -> Iterator[tuple[Any, ...]]:
        source = self.data() if callable(self.data) else self.data
        if not callable(self.data) and iter(source) is source:
            raise ValueError(
                "data is an iterator, which can be read only once; give a list, a DataLoader, or a function that returns an iterator"
            )
        return (_inputs(batch) for batch in source)

    def run(self) -> Any:
        import torch
        from torch.ao.quantization import get_default_qconfig_mapping
        from torch.ao.quantization.quantize_fx import convert_fx, fuse_fx, prepare_fx

        example = next(self.batches(), None)
        if example is None:
            raise ValueError("the calibration data is empty; give at least one batch")
        model = copy.deepcopy(self.model).eval()
        mapping = self.qconfig_mapping
        if mapping is None:
            mapping = get_default_qconfig_mapping(torch.backends.quantized.engine)
        with torch.no_grad():
            traced = torch.fx.symbolic_trace(model)
            if not any(node.op.startswith("call_") for node in traced.graph.nodes):
                raise ValueError(f"the module {type(self.model).__name__} has no layers to quantize")
            self.log_graph("initial_graph", traced, example)
            self.log_graph("after_graph_preparation", fuse_fx(copy.deepcopy(model)), example)
            prepared = prepare_fx(model, mapping, example_inputs=example)
            self.log_graph("after_graph_marking", copy.deepcopy(prepared), example)
            statistics = self.collect(prepared)
            self.log_graph("after_statistic_collection", prepared, example)
            self.log_graph("thresholds_selection", prepared, example)
            self.log_statistics("thresholds_selection", statistics)
            quantized = convert_fx(copy.deepcopy(prepared))
            self.log_graph("after_quantization", quantized, example)
            if self.logger is not None:
                names = pair_layers(prepared, quantized)
                self.log_statistics("after_quantization", self.collect(quantized, names))
                self.log_similarity(prepared, quantized, names)
                self.logger.log_bit_widths(bit_widths(quantized))
                self.logger.flush()
        return quantized

    def log_graph(self, stage: str, module: Any, example: tuple[Any, ...]) -> None:
        if self.logger is None:
            return
        shapes: dict[str, list[int]] = {}

        def see(node: Any, value: Any) -> None:
            if hasattr(value, "shape"):
                shapes[node.name] = [-1, *value.shape[1:]] if len(value.shape) else []

        # Runs a copy, because the observers of the prepared model would count the example as
        # calibration data.
        _interpreter(copy.deepcopy(module), see).run(*example)
        nodes = describe_graph(module, shapes, with_thresholds=stage == "thresholds_selection")
        self.logger.log_graph(stage, nodes, type(self.model).__name__)
        self.logged.append(stage)

    def collect(
        self, module: Any, names: Optional[dict[str, str]] = None
    ) -> dict[str, OutputStatistics]:
        """Runs all data through `module`; returns the statistics of its layers' outputs, by layer.

        If `names` is given, only the layers in this mapping are included, and it contains their
        names in the result.
        """
        statistics: dict[str, OutputStatistics] = {}
        left_out: dict[str, str] = {}
        modules = modules_of(module)

        def see(node: Any, value: Any) -> None:
            name = node.name if names is None else names.get(node.name)
            if not name or self.logger is None or name in left_out:
                return
            if _is_output_of_a_layer(node, value, modules):
                try:
                    statistics.setdefault(name, OutputStatistics()).add(value)
                # The inputs differ in size, and the number of channels depends on the size, so
                # statistics cannot be merged.
                except ValueError as error:
                    left_out[name] = str(error)

        recorder = _interpreter(module, see)
        for inputs in self.batches():
            recorder.run(*inputs)
        for name, reason in left_out.items():
            warnings.warn(f"no statistics of {name}: {reason}", RuntimeWarning, stacklevel=4)
            statistics.pop(name)
        return statistics

    def log_statistics(self, stage: str, statistics: dict[str, OutputStatistics]) -> None:
        if self.logger is None:
            return
        for layer, values in statistics.items():
            self.logger.log_statistics(stage, layer, values)

    def log_similarity(self, float_model: Any, quantized: Any, names: dict[str, str]) -> None:
        """Runs one sample of each batch through both models and compares the layers that both have.
        """
        assert self.logger is not None
        similarity, local = ModelSimilarity(), ModelSimilarity()
        observers, _ = observers_of(float_model)
        # Operators that only move values have no quantizer, because they use the observer of their
        # input.
        first_of = {id(observer): name for name, observer in reversed(observers.items())}
        quantizers = set(first_of.values())
        float_model = copy.deepcopy(float_model)  # The observers must not count these samples.
        for inputs in itertools.islice(self.batches(), self.samples):
            sample = _first_of(inputs)
            reference = self.outputs(float_model, sample)
            compressed = {
                names[name]: value
                for name, value in self.outputs(quantized, sample).items()
                if name in names
            }
            points = [
                (name, value, compressed[name])
                for name, value in reference.items()
                if name in compressed and compressed[name].shape == value.shape
            ]
            alone = [
                (name, value, rounded(value, observers[name]))
                for name, value in reference.items()
                if name in quantizers
            ]
            alone = [point for point in alone if point[2] is not None]
            try:
                if points:
                    similarity.add_sample(points)
                if alone:
                    local.add_sample(alone)
            except ValueError as error:  # The samples differ in size.
                reason = f"no more samples are compared: {error}"
                warnings.warn(reason, RuntimeWarning, stacklevel=4)
                break
        if similarity.samples:
            self.logger.log_similarity(similarity)
        if local.samples:
            self.logger.log_local_errors(local)

    @staticmethod
    def outputs(module: Any, inputs: tuple[Any, ...]) -> dict[str, Any]:
        modules = modules_of(module)
        seen: dict[str, Any] = {}

        def see(node: Any, value: Any) -> None:
            if _is_output_of_a_layer(node, value, modules):
                seen[node.name] = value

        _interpreter(module, see).run(*inputs)
        return seen
