"""Converts pictures: figures, grids, dimension orders."""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import check, check_format


def figure_to_image(figures: Any, close: bool = True) -> Any:
    """Returns a matplotlib figure as CHW; a list of figures as NCHW."""
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def render(figure: Any) -> Any:
        canvas: Any = FigureCanvasAgg(figure)
        canvas.draw()
        rgb = np.asarray(canvas.buffer_rgba())[:, :, :3]
        if close:
            plt.close(figure)
        return np.ascontiguousarray(np.moveaxis(rgb, 2, 0))

    if isinstance(figures, list):
        return np.stack([render(figure) for figure in figures])
    return render(figures)


def graphviz_to_image() -> None:
    raise NotImplementedError(
        "cannot draw a Graphviz graph; render it to an image and pass that to add_image"
    )


def make_grid(images: Any, ncols: int = 8) -> Any:
    """Returns a batch NCHW of 1, 3 or 4 channels as one picture CHW, in rows of up to `ncols`."""
    images = np.asarray(images)
    fits = images.ndim == 4 and images.shape[1] in (1, 3, 4)
    check(fits, f"expected a batch NCHW of 1, 3 or 4 channels, got the shape {images.shape}")
    if images.shape[1] == 1:
        images = np.repeat(images, 3, axis=1)
    count, channels, height, width = images.shape
    ncols = min(count, ncols)
    nrows = -(-count // ncols)
    cells = np.zeros((nrows * ncols, channels, height, width), dtype=images.dtype)
    cells[:count] = images
    rows = cells.reshape(nrows, ncols, channels, height, width)
    return rows.transpose(2, 0, 3, 1, 4).reshape(channels, nrows * height, ncols * width)


def _prepare_video(V: Any) -> Any:
    """Returns a batch NTCHW of videos side by side, as THWC; adds black videos up to a power of
    two.
    """
    V = np.asarray(V)
    if V.dtype == np.uint8:
        V = np.float32(V) / 255.0
    count, frames, channels, height, width = V.shape
    padded = 1 << (count - 1).bit_length()
    if padded != count:
        V = np.concatenate([V, np.zeros((padded - count, *V.shape[1:]), dtype=V.dtype)])
    rows = 2 ** ((count.bit_length() - 1) // 2)
    cols = padded // rows
    V = V.reshape(rows, cols, frames, channels, height, width)
    return V.transpose(2, 0, 4, 1, 5, 3).reshape(frames, rows * height, cols * width, channels)


def convert_to_HWC(tensor: Any, input_format: str) -> Any:
    """Returns `tensor` in any order of HW, CHW or NCHW as HWC; a batch becomes a grid."""
    tensor = np.asarray(tensor)
    check_format(tensor.shape, input_format)
    order = input_format.upper()

    def to(target: str) -> Any:
        return tensor.transpose([order.find(dim) for dim in target])

    if len(order) == 4:
        return make_grid(to("NCHW")).transpose(1, 2, 0)
    if len(order) == 3:
        image = to("HWC")
        return np.concatenate([image] * 3, 2) if image.shape[2] == 1 else image
    return np.stack([to("HW")] * 3, 2)
