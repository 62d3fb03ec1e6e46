from tensorboardX.compression import CompressionWriter

fp32 = {"accuracy": 0.9945, "latency_mean_ms": 261.02, "model_size_mb": 217.61}
int8 = {"accuracy": 0.9945, "latency_mean_ms": 217.14, "model_size_mb": 9.42}

with CompressionWriter("runs/my_experiment") as writer:
    writer.log_compression_comparison("alexnet", fp32, int8)
    writer.log_compression_ratios("alexnet", fp32, int8)
