"""One SummaryWriter for a whole program."""

from compression_board.global_writer import GlobalSummaryWriter

__all__ = ["GlobalSummaryWriter"]
