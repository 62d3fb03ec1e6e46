"""Compares three variants of a model with its baseline; logs AURORA, a report and a training.

python examples/compression_benchmark_example.py
compression-board --logdir runs
"""

from compression_board import CompressionWriter, TrainingLogger, aurora

VARIANTS = {
    "fp32": {"accuracy": 0.761, "latency_mean_ms": 20.4, "model_size_mb": 44.7,
             "throughput": 49.0, "energy_consumption_mw": 310.0, "memory_usage_mb": 96.0},
    "int8": {"accuracy": 0.757, "latency_mean_ms": 8.1, "model_size_mb": 11.3,
             "throughput": 123.0, "energy_consumption_mw": 140.0, "memory_usage_mb": 41.0},
    "int4": {"accuracy": 0.702, "latency_mean_ms": 6.9, "model_size_mb": 5.8,
             "throughput": 144.0, "energy_consumption_mw": 118.0, "memory_usage_mb": 33.0},
}  # fmt: skip

with CompressionWriter("runs/example") as writer:
    writer.log_variants("resnet18", VARIANTS, baseline="fp32")
    writer.log_variants_report("resnet18", VARIANTS, baseline="fp32")
    writer.log_model_metadata("resnet18", {"library": "torchvision", "input_shape": [3, 224, 224]})

for name in ("int8", "int4"):
    print(f"{name}: AURORA {aurora(VARIANTS['fp32'], VARIANTS[name]).score:.3f}")

with TrainingLogger("resnet18", logdir="runs/example_training") as logger:
    for epoch in range(5):
        loss = 1.0 / (epoch + 1)
        quality = 1 - loss / 2
        logger.log_epoch(epoch, loss, quality, quality, loss * 1.2, quality - 0.05, quality - 0.05)
