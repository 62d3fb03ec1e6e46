// Compares a model before and after INT8 quantization, then prints what was logged.
//
//   compression_comparison [LOGDIR]
#include <cboard/compression/compression_writer.h>

#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  cboard::CompressionWriter writer(argc > 1 ? argv[1] : "runs/my_experiment");

  const cboard::Metrics fp32 = {
      {"accuracy", 0.9945}, {"latency_mean_ms", 261.02}, {"model_size_mb", 217.61}};
  const cboard::Metrics int8 = {
      {"accuracy", 0.9945}, {"latency_mean_ms", 217.14}, {"model_size_mb", 9.42}};

  const auto compared = writer.LogCompressionComparison("alexnet", fp32, int8);
  const auto ratios = writer.LogCompressionRatios("alexnet", fp32, int8);
  const auto aurora = writer.LogAurora("alexnet", fp32, int8);

  // Per-sample latencies become one histogram per variant.
  const std::vector<double> fp32_ms = {255.1, 258.9, 261.2, 262.0, 267.9};
  const std::vector<double> int8_ms = {212.4, 215.0, 217.3, 218.8, 222.2};
  const auto latencies = writer.LogLatencyDistribution("alexnet", fp32_ms, int8_ms);

  for (const auto* report : {&compared, &ratios, &aurora, &latencies}) {
    if (!*report) {
      std::fprintf(stderr, "%s\n", report->error().message.c_str());
      return 1;
    }
  }
  const auto closed = writer.Close();
  if (!closed) {
    std::fprintf(stderr, "%s\n", closed.error().message.c_str());
    return 1;
  }
  std::printf("Look at it with: compression-board --logdir %s\n", writer.directory().c_str());
}
