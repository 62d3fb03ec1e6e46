"""Logs the stages of post-training quantization as runs that TensorBoard and the board open.

    import compression_board

    compression_board.set_log_folder("/logger/dir/path")
    quantized = compression_board.stages.quantize_fx(model, calibration_batches)

Then, in a shell: compression-board --logdir /logger/dir/path

For other quantizers, use StageLogger. Names and layout are those of the Model Compression Toolkit;
docs/stages.md explains them.
"""

from .fx import quantize_fx
from .logger import (
    STAGES,
    ModelSimilarity,
    OutputStatistics,
    StageLogger,
    StageNode,
    log_folder,
    set_log_folder,
)

__all__ = [
    "STAGES",
    "ModelSimilarity",
    "OutputStatistics",
    "StageLogger",
    "StageNode",
    "log_folder",
    "quantize_fx",
    "set_log_folder",
]
