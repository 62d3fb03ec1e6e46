"""Comet."""

from compression_board.comet_utils import CometLogger  # noqa: F401
