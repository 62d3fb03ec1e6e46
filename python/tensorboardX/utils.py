"""Converts pictures to arrays."""

from compression_board.utils import (
    _prepare_video,
    convert_to_HWC,
    figure_to_image,
    graphviz_to_image,
    make_grid,
)

__all__ = ["_prepare_video", "convert_to_HWC", "figure_to_image", "graphviz_to_image", "make_grid"]
