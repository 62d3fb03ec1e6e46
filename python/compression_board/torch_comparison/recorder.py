"""Records the functions that a PyTorch module calls, with the modules that call them.

Works for every module that Python runs: eager modules, and modules of torchao, FX, torch.export and
pt2e. A compiled module runs as if it were not compiled.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Callable

from ..torch_exported import interpreter, is_exported, module_of, op_name
from ..tuning.torch_models import is_compiled, uncompiled, uncompiled_path, untyped_torch


@dataclass
class Call:
    """A call of a function: its name, the path of its module, and its arguments and results."""

    op: str
    scope: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    outputs: list[Any]


def tensors_in(value: Any) -> Iterator[Any]:
    """Returns the tensors in arguments or results, in order."""
    if isinstance(value, untyped_torch().Tensor):
        yield value
    elif isinstance(value, dict) or (hasattr(value, "items") and hasattr(value, "values")):
        for entry in value.values():
            yield from tensors_in(entry)
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from tensors_in(entry)


@contextlib.contextmanager
def _scopes(model: Any, stack: list[str]) -> Iterator[None]:
    """Stores the path of the running module on `stack`, with hooks. Removes them afterwards."""
    handles = []

    def enter(path: str) -> Callable[..., None]:
        return lambda module, inputs: stack.append(path)

    def leave(module: Any, inputs: Any, output: Any) -> None:
        stack.pop()

    for name, module in model.named_modules():
        path = uncompiled_path(name)
        handles.append(module.register_forward_pre_hook(enter(path)))
        handles.append(module.register_forward_hook(leave))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextlib.contextmanager
def _evaluating(model: Any) -> Iterator[None]:
    """Sets the model to evaluation mode: no dropout, no updates of normalizations. Restores the
    mode of every module afterwards.
    """
    if is_exported(model):  # Has no modes.
        yield
        return
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        yield
    finally:
        for module in training:
            module.training = True


def record(model: Any, args: tuple[Any, ...], kwargs: dict[str, Any],
           on_call: Callable[[Call], None]) -> Any:  # fmt: skip
    """Runs `model` once and calls `on_call` after each function, before the next one runs.

    Returns the output of the model. The model is not changed.
    """
    torch = untyped_torch()
    from torch.overrides import TorchFunctionMode

    stack: list[str] = [""]

    class Recorder(TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            result = func(*args, **(kwargs or {}))
            outputs = list(tensors_in(result))
            if outputs:
                name = op_name(func)
                if name == "__get__":
                    name = getattr(getattr(func, "__self__", None), "__name__", name)
                on_call(Call(name, stack[-1], args, kwargs or {}, outputs))
            return result

    compiled = is_compiled(model)
    stance = torch.compiler.set_stance("force_eager") if compiled else contextlib.nullcontext()
    model = uncompiled(model)
    with stance, torch.no_grad(), _evaluating(model):
        if is_exported(model):

            def before(node: Any) -> None:
                stack[-1] = module_of(node)

            runner = interpreter(model, before, lambda node, value: None)
            names = [node.name for node in model.graph.nodes if node.op == "placeholder"]
            args = (*args, *(kwargs[name] for name in names[len(args) :] if name in kwargs))
            with Recorder():
                return runner.run(*args)
        with _scopes(model, stack), Recorder():
            return model(*args, **kwargs)
