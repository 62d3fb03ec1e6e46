"""Turns recorded calls into a graph with weights, quantizers and values, in the form that the
engine compares.

A layer has the name of its module: `layer1.0.conv1`. Functions that change no value (detach,
contiguous, dropout) are left out.
"""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .. import torch_tensors
from ..tensors import make_np
from ..tuning.torch_models import uncompiled_path
from .onnx_file import Constant, Node, Value
from .recorder import Call, tensors_in

# Maps functions of PyTorch to operators that the engine knows.
_OPERATORS = {
    "relu": "Relu", "relu6": "Clip", "hardtanh": "Clip", "clamp": "Clip", "sigmoid": "Sigmoid",
    "tanh": "Tanh", "gelu": "Gelu", "silu": "Swish", "hardswish": "HardSwish", "hardsigmoid": "HardSigmoid",
    "leaky_relu": "LeakyRelu", "elu": "Elu", "softmax": "Softmax", "log_softmax": "LogSoftmax",
    "add": "Add", "iadd": "Add", "radd": "Add", "sub": "Sub", "rsub": "Sub", "isub": "Sub", "mul": "Mul",
    "rmul": "Mul", "imul": "Mul", "div": "Div", "truediv": "Div", "matmul": "MatMul", "bmm": "MatMul",
    "mm": "MatMul", "cat": "Concat", "concat": "Concat", "flatten": "Flatten", "view": "Reshape",
    "reshape": "Reshape", "unflatten": "Reshape", "permute": "Transpose", "transpose": "Transpose",
    "max_pool1d": "MaxPool", "max_pool2d": "MaxPool", "max_pool3d": "MaxPool", "avg_pool2d": "AveragePool",
    "adaptive_avg_pool2d": "AveragePool", "mean": "ReduceMean", "pow": "Pow", "sqrt": "Sqrt",
    "squeeze": "Squeeze", "unsqueeze": "Unsqueeze", "interpolate": "Resize",
}  # fmt: skip
_SAME_VALUES = frozenset(["detach", "contiguous", "clone", "alias", "dropout", "dropout1d", "dropout2d", "feature_dropout",
                          "requires_grad_", "data", "lift_fresh_copy", "dequantize"])  # fmt: skip
_CONVOLUTIONS = frozenset(["conv1d", "conv2d", "conv3d"])
_TRANSPOSED = frozenset(["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"])


def _argument(call: Call, position: int, name: str, default: Any = None) -> Any:
    if len(call.args) > position:
        return call.args[position]
    return call.kwargs.get(name, default)


def _ints(value: Any, count: int) -> list[int]:
    if isinstance(value, (list, tuple)):
        numbers = [int(entry) for entry in value]
        return numbers * count if len(numbers) == 1 else numbers
    return [int(value)] * count


def _open_shape(tensor: Any) -> list[int]:
    """Returns the shape with an unknown first size, because samples are compared one by one."""
    return [-1, *(int(size) for size in tensor.shape[1:])] if tensor.dim() > 0 else []


def _packed(argument: Any) -> Any:
    """Returns (weight, bias) from the packed parameters of torch.ao's quantized modules; None for
    other arguments.
    """
    from ..tuning.torch_models import unpacked_parameters

    return unpacked_parameters(argument) if type(argument).__name__ == "ScriptObject" else None


class GraphBuilder:
    """Builds the graph of one model. Call `add` for each recorded call in order, and `finish` to
    name the outputs.
    """

    def __init__(self, model: Any) -> None:
        self.nodes: list[Node] = []
        self.constants: list[Constant] = []
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.values: dict[str, Any] = {}  # The arrays of the tensors, by name.
        self._alive: list[Any] = []  # Keeps tensors, so that no other one gets the same id.
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._constant_names: dict[int, str] = {}
        self._codes: dict[int, Any] = {}  # Tensors of a constant with codes.
        self._stored = {
            id(tensor): uncompiled_path(name)
            for name, tensor in [
                *model.named_parameters(),
                *model.named_buffers(),
            ]
        }
        self._weighted: set[str] = set()

    def add_input(self, name: str, tensor: Any) -> None:
        self._name(tensor, name)
        self._keep_values(name, tensor)
        dtype = self.values[name].dtype.name if name in self.values else "float32"
        self.inputs.append(Value(name, _open_shape(tensor), dtype))

    def add(self, call: Call) -> None:
        op, args = call.op, call.args
        known = [t for t in tensors_in([args, call.kwargs]) if id(t) in self._names]
        if op in _SAME_VALUES and known:
            self._name(call.outputs[0], self._names[id(known[0])])
        elif op.startswith("dequantize_per") and self._add_stored_codes(call):
            pass
        elif not known:
            pass  # Computed from constants; becomes a constant where it is used.
        elif op.startswith("quantize_per_tensor"):
            self._add_quantizer(call)
        elif op.startswith("dequantize_per_tensor"):
            self._add_dequantizer(call)
        elif len(args) > 1 and _packed(args[1]) is not None:
            self._add_packed(call)
        elif op in _CONVOLUTIONS or op in _TRANSPOSED:
            self._add_convolution(call, args[1], _argument(call, 2, "bias"))
        elif op == "linear":
            self._add_linear(call, args[1], _argument(call, 2, "bias"))
        elif op in ("batch_norm", "native_batch_norm"):
            self._add_batch_norm(call)
        elif op == "layer_norm":
            self._add_layer_norm(call)
        elif op == "embedding":
            self._add_embedding(call)
        else:
            self._add_other(call, known)

    def finish(self, output: Any) -> None:
        for index, tensor in enumerate(tensors_in(output)):
            if not tensor.is_floating_point() and not tensor.is_quantized:
                continue
            name = "output" if index == 0 else f"output_{index}"
            self._node(f"{name}_value", "Identity", [self._value(tensor)], [name])
            self.outputs.append(Value(name, _open_shape(tensor)))
            self._keep_values(name, tensor)

    # Names.

    def _unique(self, name: str) -> str:
        candidate, count = name, 1
        while candidate in self._taken:
            candidate, count = f"{name}_{count}", count + 1
        self._taken.add(candidate)
        return candidate

    def _name(self, tensor: Any, name: str) -> None:
        self._alive.append(tensor)
        self._names[id(tensor)] = name

    def _layer_name(self, call: Call, op: str) -> str:
        """Returns the name of a layer: the path of the module for its first function with weights,
        path/Op for all other functions.
        """
        if op in (
            "Conv",
            "ConvTranspose",
            "Gemm",
            "MatMul",
            "BatchNormalization",
            "LayerNormalization",
            "Gather",
        ):
            if call.scope and call.scope not in self._weighted:
                self._weighted.add(call.scope)
                return self._unique(call.scope)
        return self._unique(f"{call.scope}/{op}" if call.scope else op)

    def _value(self, tensor: Any) -> str:
        """Returns the name of a tensor. A tensor that no recorded function has computed becomes a
        constant.
        """
        known = self._names.get(id(tensor))
        return known if known is not None else self._constant(tensor)

    def _constant(self, tensor: Any, name: Optional[str] = None) -> str:
        """Returns the name of a constant. If the constant has codes, it is the name of the
        dequantized values.
        """
        if id(tensor) in self._constant_names:
            return self._constant_names[id(tensor)]
        name = self._unique(name or self._stored.get(id(tensor)) or "constant")
        self._alive.append(tensor)
        self._constant_names[id(tensor)] = name
        quantized = self._codes.get(id(tensor)) or torch_tensors.quantized(tensor)
        if quantized is not None:
            codes, _, scales, zeros, axis = quantized[:5]
            self._dequantizer(
                name, codes, scales, zeros, axis, quantized[5] if len(quantized) > 5 else 0
            )
        else:
            self.constants.append(Constant(name, make_np(tensor)))
        return name

    def _weight(self, call: Call, tensor: Any) -> str:
        """Returns the name of a weight. A weight without a name in the model is named after its
        module.
        """
        if id(tensor) in self._names:
            return self._names[id(tensor)]
        return self._constant(
            tensor, self._stored.get(id(tensor)) or f"{call.scope}.weight".lstrip(".")
        )

    def _dequantizer(
        self, name: str, codes: Any, scales: Any, zeros: Any, axis: Optional[int], bits: int
    ) -> None:
        inputs = [f"{name}_quantized", f"{name}_scale", f"{name}_zero_point"]
        bits = 4 if bits == 4 and codes.dtype == np.int8 else 0
        shape = () if axis is None else (len(scales),)
        zero_points = np.asarray(zeros, codes.dtype)
        self.constants += [
            Constant(inputs[0], codes, bits),
            Constant(inputs[1], np.asarray(scales, np.float32).reshape(shape)),
            Constant(inputs[2], zero_points.reshape(shape), bits),
        ]
        attributes = {} if axis is None else {"axis": axis}
        self._node(f"{name}_DequantizeLinear", "DequantizeLinear", inputs, [name], attributes)

    def _node(self, name: str, op: str, inputs: list[str], outputs: list[str],
              attributes: Optional[dict[str, Any]] = None, domain: str = "") -> None:  # fmt: skip
        self.nodes.append(Node(name, op, inputs, outputs, attributes or {}, domain))

    def _keep_values(self, name: str, tensor: Any) -> None:
        if tensor.is_complex():
            return
        values = make_np(tensor)
        # Stores a copy of the values, because the next function may change the tensor in place.
        dtype = np.float32 if values.dtype.kind == "f" else values.dtype
        self.values[name] = np.array(values, dtype, order="C")

    def _result(self, call: Call, node: str, index: int = 0) -> str:
        tensor = call.outputs[index]
        name = self._unique(f"{node}_output")
        self._name(tensor, name)
        self._keep_values(name, tensor)
        return name

    # Functions.

    def _add_stored_codes(self, call: Call) -> bool:
        """Adds a weight with the real values of constant codes. Returns False if the codes are not
        constant.
        """
        codes = call.args[0]
        if id(codes) in self._names:
            return False
        scales = np.atleast_1d(
            make_np(call.args[1]) if hasattr(call.args[1], "detach") else np.float64(call.args[1])
        )
        zeros = call.args[2]
        zeros = (
            [0] * scales.size
            if zeros is None
            else np.atleast_1d(make_np(zeros) if hasattr(zeros, "detach") else zeros)
        )
        axis = int(call.args[3]) if call.op == "dequantize_per_channel" else None
        limits = call.args[4:6] if axis is not None else call.args[3:5]
        bits = 4 if len(limits) == 2 and limits[1] - limits[0] <= 15 else 0
        self._alive.append(call.outputs[0])
        self._codes[id(call.outputs[0])] = (
            make_np(codes),
            None,
            scales.tolist(),
            [int(z) for z in zeros],
            axis,
            bits,
        )
        return True

    def _quantizer_inputs(self, name: str, scale: Any, zero_point: Any, dtype: str) -> list[str]:
        scales = [f"{name}_scale", f"{name}_zero_point"]
        self.constants.append(Constant(scales[0], np.float32(scale)))
        self.constants.append(Constant(scales[1], np.asarray(int(zero_point), dtype)))
        return scales

    def _add_quantizer(self, call: Call) -> None:
        source = self._value(call.args[0])
        result = call.outputs[0]
        name = self._unique(f"{source}_quantized")
        scale, zero_point = float(call.args[1]), int(call.args[2])
        dtype = str(result.dtype).rpartition(".")[2].replace("qu", "u").replace("qi", "i")
        inputs = self._quantizer_inputs(name, scale, zero_point, dtype)
        self._node(f"{source}_QuantizeLinear", "QuantizeLinear", [source, *inputs], [name])
        self._name(result, name)
        if result.is_quantized:  # One tensor for codes and values.
            self._node(
                f"{name}_DequantizeLinear", "DequantizeLinear", [name, *inputs], [f"{name}_back"]
            )
            self._name(result, f"{name}_back")
            self._keep_values(f"{name}_back", result)
        else:
            self.values[name] = np.array(make_np(result), order="C")

    def _add_dequantizer(self, call: Call) -> None:
        codes = self._value(call.args[0])
        name = self._unique(f"{codes}_back")
        dtype = str(call.args[0].dtype).rpartition(".")[2]
        inputs = self._quantizer_inputs(name, float(call.args[1]), int(call.args[2]), dtype)
        self._node(f"{name}_DequantizeLinear", "DequantizeLinear", [codes, *inputs], [name])
        self._name(call.outputs[0], name)
        self._keep_values(name, call.outputs[0])

    def _add_packed(self, call: Call) -> None:
        """Adds a function of torch.ops.quantized. Its weights are codes, and its output is
        quantized.
        """
        weight, bias = _packed(call.args[1])
        scope = f"{call.scope}." if call.scope else ""
        self._constant(weight, f"{scope}weight")
        if bias is not None:
            self._constant(bias, f"{scope}bias")
        inner = Call(call.op, call.scope, call.args[:1], {}, call.outputs)
        if call.op.startswith("linear"):
            self._add_linear(inner, weight, bias, values=False)
        else:
            for name in ("stride", "padding", "dilation", "groups"):
                setting = getattr(call.args[1], name)()
                inner.kwargs[name] = setting if name == "groups" else list(setting)
            self._add_convolution(inner, weight, bias, values=False)
        result = call.outputs[0]
        name = self._names[id(result)]
        if "relu" in call.op:
            self._node(f"{call.scope}/Relu", "Relu", [name], [f"{name}_relu"])
            name = f"{name}_relu"
        if not result.is_quantized:
            self._name(result, name)
            self._keep_values(name, result)
            return
        dtype = str(result.dtype).rpartition(".")[2].replace("q", "")
        inputs = self._quantizer_inputs(
            f"{name}_quantized", result.q_scale(), result.q_zero_point(), dtype
        )
        self._node(
            f"{name}_QuantizeLinear", "QuantizeLinear", [name, *inputs], [f"{name}_quantized"]
        )
        self._node(
            f"{name}_DequantizeLinear",
            "DequantizeLinear",
            [f"{name}_quantized", *inputs],
            [f"{name}_back"],
        )
        self._name(result, f"{name}_back")
        self._keep_values(f"{name}_back", result)

    def _add_convolution(self, call: Call, weight: Any, bias: Any, values: bool = True) -> None:
        op = "ConvTranspose" if "transpose" in call.op else "Conv"
        node = self._layer_name(call, op)
        dims = weight.dim() - 2
        inputs = [self._value(call.args[0]), self._weight(call, weight)]
        if bias is not None:
            inputs.append(self._constant(bias))
        attributes = self._convolution_attributes(call, dims)
        attributes["kernel_shape"] = [int(size) for size in weight.shape[2:]]
        self._node(node, op, inputs, [self._output_name(call, node, values)], attributes)

    def _convolution_attributes(self, call: Call, dims: int) -> dict[str, Any]:
        dilation = 7 if "transpose" in call.op else 5
        padding, group = _argument(call, 4, "padding", 0), _argument(call, 6, "groups", 1)
        attributes = {
            "strides": _ints(_argument(call, 3, "stride", 1), dims),
            "dilations": _ints(_argument(call, dilation, "dilation", 1), dims),
            "group": int(group),
        }
        if not isinstance(padding, str):
            attributes["pads"] = _ints(padding, dims) * 2
        return attributes

    def _output_name(self, call: Call, node: str, values: bool) -> str:
        if values:
            return self._result(call, node)
        name = self._unique(f"{node}_output")
        self._name(call.outputs[0], name)
        return name

    def _add_linear(self, call: Call, weight: Any, bias: Any, values: bool = True) -> None:
        inputs = [self._value(call.args[0]), self._weight(call, weight)]
        if call.args[0].dim() == 2:
            node = self._layer_name(call, "Gemm")
            if bias is not None:
                inputs.append(self._constant(bias))
            self._node(node, "Gemm", inputs, [self._output_name(call, node, values)], {"transB": 1})
            return
        node = self._layer_name(call, "MatMul")
        turned = self._unique(f"{inputs[1]}_transposed")
        self._node(f"{turned}_Transpose", "Transpose", [inputs[1]], [turned], {"perm": [1, 0]})
        output = self._output_name(call, node, values)
        if bias is None:
            self._node(node, "MatMul", [inputs[0], turned], [output])
            return
        product = f"{output}_product"
        self._node(node, "MatMul", [inputs[0], turned], [product])
        self._node(self._unique(f"{node}/Add"), "Add", [product, self._constant(bias)], [output])

    def _add_batch_norm(self, call: Call) -> None:
        node = self._layer_name(call, "BatchNormalization")
        if len(call.args) >= 9:  # aten: weight, bias, mean, variance, …, cudnn_enabled.
            weight, bias, mean, variance = call.args[1:5]
            epsilon = call.args[7]
        else:
            mean, variance = call.args[1:3]
            weight, bias = _argument(call, 3, "weight"), _argument(call, 4, "bias")
            epsilon = _argument(call, 7, "eps", 1e-5)
        constants = []
        for name, tensor, default in (
            ("weight", weight, 1),
            ("bias", bias, 0),
            ("mean", mean, 0),
            ("var", variance, 1),
        ):
            if tensor is None:
                constants.append(self._unique(f"{node}.{name}"))
                channels = int(call.outputs[0].shape[1])
                self.constants.append(
                    Constant(constants[-1], np.full(channels, default, np.float32))
                )
            else:
                constants.append(self._constant(tensor))
        inputs = [self._value(call.args[0]), *constants]
        self._node(
            node,
            "BatchNormalization",
            inputs,
            [self._result(call, node)],
            {"epsilon": float(epsilon)},
        )

    def _add_layer_norm(self, call: Call) -> None:
        weight, bias = _argument(call, 2, "weight"), _argument(call, 3, "bias")
        if weight is None:
            self._add_other(call, [call.args[0]])
            return
        node = self._layer_name(call, "LayerNormalization")
        inputs = [self._value(call.args[0]), self._constant(weight)]
        if bias is not None:
            inputs.append(self._constant(bias))
        axis = -len(_argument(call, 1, "normalized_shape"))
        self._node(node, "LayerNormalization", inputs, [self._result(call, node)], {"axis": axis})

    def _add_embedding(self, call: Call) -> None:
        first, second = call.args[
            :2
        ]  # aten has the weight first, torch.nn.functional the positions.
        weight, positions = (first, second) if first.is_floating_point() else (second, first)
        node = self._layer_name(call, "Gather")
        inputs = [self._constant(weight), self._value(positions)]
        self._node(node, "Gather", inputs, [self._result(call, node)], {"axis": 0})

    def _add_other(self, call: Call, known: list[Any]) -> None:
        op = _OPERATORS.get(call.op.strip("_"))
        node = self._layer_name(call, op or call.op)
        inputs = [self._value(t) for t in tensors_in([call.args, call.kwargs])]
        attributes: dict[str, Any] = {}
        if op == "Flatten" and (
            _argument(call, 1, "start_dim", 0) != 1 or call.outputs[0].dim() != 2
        ):
            op = "Reshape"
        if op == "Concat":
            attributes["axis"] = int(_argument(call, 1, "dim", 0)) % call.outputs[0].dim()
        elif op == "Transpose":
            order = list(range(call.outputs[0].dim()))
            if call.op == "transpose":
                a, b = (int(d) % len(order) for d in call.args[1:3])
                order[a], order[b] = order[b], order[a]
            else:
                dims = call.args[1] if isinstance(call.args[1], (list, tuple)) else call.args[1:]
                order = [int(d) % len(order) for d in dims]
            attributes["perm"] = order
        elif op in ("Softmax", "LogSoftmax"):
            attributes["axis"] = int(_argument(call, 1, "dim", -1))
        outputs = [self._result(call, node, index) for index in range(len(call.outputs))]
        self._node(node, op or call.op, inputs, outputs, attributes, "" if op else "pytorch")
