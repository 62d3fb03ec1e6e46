"""Logs a training, epoch by epoch."""

from compression_board.compression.training import TrainingLogger, create_training_logger

__all__ = ["TrainingLogger", "create_training_logger"]
