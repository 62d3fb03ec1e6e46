"""Compares two PyTorch modules: records the results of their functions, and passes them to the
engine.
"""

from .compared_modules import compare_modules, is_module

__all__ = ["compare_modules", "is_module"]
