"""A drop-in replacement for tensorboardX 2.6.5, on Compression Board's C++ engine."""

from compression_board.event_files import RecordWriter
from compression_board.global_writer import GlobalSummaryWriter
from compression_board.writer import FileWriter, SummaryWriter

__version__ = "2.6.5"

__all__ = ["FileWriter", "GlobalSummaryWriter", "RecordWriter", "SummaryWriter"]
