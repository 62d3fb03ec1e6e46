"""Comet."""

from compression_board.comet_utils import CometLogger

__all__ = ["CometLogger"]
