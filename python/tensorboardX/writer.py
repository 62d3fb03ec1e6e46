"""SummaryWriter and FileWriter."""

from compression_board.writer import DummyFileWriter, FileWriter, SummaryWriter

__all__ = ["DummyFileWriter", "FileWriter", "SummaryWriter"]
