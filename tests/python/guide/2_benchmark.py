from tensorboardX.compression.benchmark import log_benchmark_results

writer = log_benchmark_results("compression-engine/results/benchmark.json", logdir="runs/benchmark")
writer.close()
