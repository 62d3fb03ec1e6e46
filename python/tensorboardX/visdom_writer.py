"""Scalars, texts and pictures in a visdom server."""

from __future__ import annotations

from typing import Any

from compression_board.types import ArrayLike, Bins


class VisdomWriter:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        try:
            from visdom import Visdom
        except ImportError:
            raise ImportError("VisdomWriter needs visdom: pip install visdom") from None
        self.vis = Visdom(*args, **kwargs)
        self._points: dict[str, list[tuple[Any, Any]]] = {}

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        main_tag: Any = "default",
    ) -> None:
        points = self._points.setdefault(tag, [])
        points.append((len(points) if global_step is None else global_step, scalar_value))
        steps, values = zip(*points)
        self.vis.line(Y=list(values), X=list(steps), win=tag, opts={"title": tag})

    def add_scalars(self, main_tag: Any, tag_scalar_dict: Any, global_step: Any = None) -> None:
        for key, value in tag_scalar_dict.items():
            self.add_scalar(f"{main_tag}/{key}", value, global_step)

    def add_text(self, tag: str, text_string: Any, global_step: Any = None) -> None:
        self.vis.text(text_string, win=tag, opts={"title": tag})

    def add_image(self, tag: str, img_tensor: Any, global_step: Any = None) -> None:
        from compression_board.tensors import make_np

        self.vis.image(make_np(img_tensor), win=tag, opts={"title": tag})

    def add_histogram(
        self,
        tag: str,
        values: ArrayLike,
        global_step: Any = None,
        bins: Bins = "tensorflow",
    ) -> None:
        from compression_board.tensors import make_np

        self.vis.histogram(make_np(values).ravel(), win=tag, opts={"title": tag})

    def close(self) -> None:
        self._points.clear()
