"""One call, several boards."""

from compression_board.writer import SummaryWriter


def _visdom(**kwargs):
    from .visdom_writer import VisdomWriter

    return VisdomWriter(**kwargs)


_WRITERS = {"tensorboard": SummaryWriter, "visdom": _visdom}


class TorchVis:
    """Passes every add_* call on to a SummaryWriter, a VisdomWriter, or both."""

    def __init__(self, *args, **init_kwargs):
        self.subscribers = {}
        self.register(*(args or ("tensorboard",)), **init_kwargs)

    def register(self, *args, **init_kwargs):
        for name in args:
            if name not in _WRITERS:
                raise ValueError(f"there is no board '{name}'; there are tensorboard and visdom")
            self.subscribers[name] = _WRITERS[name](**init_kwargs.get(name, {}))

    def unregister(self, *args):
        for name in args:
            self.subscribers.pop(name).close()

    def __getattr__(self, attr):
        if attr == "subscribers":
            raise AttributeError(attr)

        def broadcast(*args, **kwargs):
            for subscriber in self.subscribers.values():
                getattr(subscriber, attr)(*args, **kwargs)

        return broadcast

    def __del__(self):
        for subscriber in getattr(self, "subscribers", {}).values():
            subscriber.close()
