"""Observes the outputs of a model during evaluation, without changing the model."""

from __future__ import annotations

import difflib
import threading
from collections.abc import Iterable
from typing import Any, Callable

from ..torch_exported import is_exported
from .torch_models import fused_in, is_compiled, is_script, leaves, uncompiled, untyped_torch

Record = Callable[..., None]  # (operation, tensor[, precision])


def _chosen(modules: dict[str, Any], white_list: Any) -> dict[str, Any]:
    """Returns the `modules` whose name or type is in `white_list`."""
    if white_list is None:
        return modules
    wanted = [white_list] if isinstance(white_list, (str, type)) else list(white_list)
    names = {entry for entry in wanted if isinstance(entry, str)}
    types = tuple(entry for entry in wanted if isinstance(entry, type))
    for name in sorted(names - modules.keys()):
        close = difflib.get_close_matches(name, modules, n=3) or list(modules)[:3]
        raise ValueError(f"the model has no leaf module '{name}'; similar names are: {', '.join(close)}, …")
    return {n: module for n, module in modules.items() if n in names or isinstance(module, types)}


def tensors_in(output: Any, op: str) -> Iterable[tuple[str, Any]]:
    """Yields (name, tensor) for each tensor that a module returned. The first tensor has the
    module's name.
    """
    import torch

    def walk(value: Any) -> Iterable[Any]:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, dict):
            for entry in value.values():
                yield from walk(entry)
        elif isinstance(value, (list, tuple)):
            for entry in value:
                yield from walk(entry)

    for index, tensor in enumerate(walk(output)):
        if not tensor.is_complex():
            yield (op if index == 0 else f"{op}_{index}"), tensor


class ModuleObservers:
    """Forward hooks on the leaves of an eager, FX or compiled model; no module is added to it."""

    def __init__(self, model: Any, white_list: Any, record: Record) -> None:
        self.original = self.model = model
        self.fused = fused_in(uncompiled(model))
        self._is_compiled = is_compiled(model)
        self._stance: Any = None
        self._record = record
        self._lock = threading.Lock()  # The model may run in threads.
        self._handles: list[Any] = []
        self._modules = _chosen(leaves(model), white_list)
        if not self._modules:
            raise ValueError(
                f"nothing can be observed: the model {type(model).__name__} has no leaf modules, or white_list names none of them"
            )

    def install(self) -> None:
        if self._is_compiled:  # Compiled code calls no hooks. The compiled code itself is kept.
            self._stance = untyped_torch().compiler.set_stance("force_eager")
        for name, module in self._modules.items():
            # FloatFunctional.add, mul and cat call no forward() of their own, so a hook there would
            # not run. They pass their result to the child activation_post_process, which is hooked.
            target = module
            if type(module).__name__ in ("FloatFunctional", "QFunctional"):
                target = module.activation_post_process
            self._handles.append(target.register_forward_hook(self._hook(name)))

    def _hook(self, name: str) -> Callable[[Any, Any, Any], None]:
        def hook(module: Any, inputs: Any, output: Any) -> None:
            with self._lock:
                for op, tensor in tensors_in(output, name):
                    self._record(op, tensor)

        return hook

    def observes(self, model: Any) -> bool:
        return model is self.model

    def remove(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        if self._stance is not None:
            self._stance.__exit__(None, None, None)
            self._stance = None


def observe(model: Any, white_list: Any, record: Record) -> Any:
    """Returns observers for `model` that are not attached to it yet. Raises ValueError if no module
    can be observed.
    """
    if is_script(model):
        from .torch_script import ScriptObservers

        return ScriptObservers(model, white_list, record, _chosen)
    if not hasattr(model, "named_modules"):
        raise TypeError(f"expected a torch.nn.Module, got {type(model).__name__}")
    if is_exported(model):
        from .torch_exported_observers import ExportedObservers

        return ExportedObservers(model, white_list, record, _chosen)
    return ModuleObservers(model, white_list, record)
