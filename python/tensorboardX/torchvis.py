"""One call, several boards."""

from __future__ import annotations

from typing import Any, Callable

from compression_board.writer import SummaryWriter


def _visdom(**kwargs: Any) -> Any:
    from .visdom_writer import VisdomWriter

    return VisdomWriter(**kwargs)


_WRITERS: dict[str, Callable[..., Any]] = {"tensorboard": SummaryWriter, "visdom": _visdom}


class TorchVis:
    """Passes every add_* call on to a SummaryWriter, a VisdomWriter, or both."""

    def __init__(self, *args: Any, **init_kwargs: Any) -> None:
        self.subscribers: dict[str, Any] = {}
        self.register(*(args or ("tensorboard",)), **init_kwargs)

    def register(self, *args: Any, **init_kwargs: Any) -> None:
        for name in args:
            if name not in _WRITERS:
                raise ValueError(f"there is no board '{name}'; there are tensorboard and visdom")
            self.subscribers[name] = _WRITERS[name](**init_kwargs.get(name, {}))

    def unregister(self, *args: Any) -> None:
        for name in args:
            self.subscribers.pop(name).close()

    def __getattr__(self, attr: Any) -> Any:
        if attr == "subscribers":
            raise AttributeError(attr)

        def broadcast(*args: Any, **kwargs: Any) -> None:
            for subscriber in self.subscribers.values():
                getattr(subscriber, attr)(*args, **kwargs)

        return broadcast

    def __del__(self) -> None:
        for subscriber in getattr(self, "subscribers", {}).values():
            subscriber.close()
