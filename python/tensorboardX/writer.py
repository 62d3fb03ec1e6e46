"""SummaryWriter and FileWriter."""

from compression_board.writer import DummyFileWriter, FileWriter, SummaryWriter  # noqa: F401
