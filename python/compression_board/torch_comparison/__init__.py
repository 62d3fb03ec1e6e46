"""Compares two PyTorch modules: records what they compute, and gives it to the engine."""

from .compared_modules import compare_modules, is_module

__all__ = ["compare_modules", "is_module"]
