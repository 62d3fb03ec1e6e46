// Measures the import of ten thousand models: reading the JSON, and writing the runs.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cboard/compression/benchmark_import.h"
#include "testing/temp_dir.h"

namespace cboard::compression {
namespace {

// A typical model entry of compression engines, about 700 bytes.
std::string ManyModels(std::int64_t count) {
  const std::string variant =
      R"({"accuracy": 0.9945, "f1_score": 0.9945, "latency_mean_ms": 261.02, "latency_std_ms": 3.1,
          "model_size_mb": 217.61, "memory_usage_mb": 9.46, "energy_consumption_mw": 375.78})";
  std::string text = "{";
  for (std::int64_t i = 0; i < count; ++i) {
    text += (i == 0 ? "\"model" : ",\n\"model") + std::to_string(i) + "\": {\"fp32\": " + variant +
            ", \"int8\": " + variant +
            R"(, "model_info": {"library": "torchvision", "category": "cnn",
               "input_shape": [3, 224, 224]}, "benchmark_time_seconds": 854.32})";
  }
  return text + "}";
}

void BM_Parse(benchmark::State& state) {
  const std::string text = ManyModels(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(ParseBenchmarkJson(text, "bench.json"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Parse)->Arg(10'000)->Unit(benchmark::kMillisecond);

void BM_ParseNaN(benchmark::State& state) {
  std::string text = ManyModels(state.range(0));
  text.insert(text.size() - 1, R"(, "x": {"fp32": {"loss": NaN}, "int8": {"loss": 1}})");
  for (auto _ : state) benchmark::DoNotOptimize(ParseBenchmarkJson(text, "bench.json"));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(BM_ParseNaN)->Arg(10'000)->Unit(benchmark::kMillisecond);

void BM_Import(benchmark::State& state) {
  const auto file = ParseBenchmarkJson(ManyModels(state.range(0)), "bench.json");
  const auto tags = static_cast<TagScheme>(state.range(1));
  for (auto _ : state) {
    const testing::TempDir dir;
    const auto report = ImportBenchmark(*file, {.directory = dir / "base", .tags = tags});
    if (!report) state.SkipWithError(report.error().message.c_str());
    state.PauseTiming();
    std::filesystem::remove_all(dir.path());
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
// Writes the tags of the Python converter, and both schemes.
BENCHMARK(BM_Import)
    ->Args({10'000, static_cast<int>(TagScheme::kFlat)})
    ->Args({10'000, static_cast<int>(TagScheme::kBoth)})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace cboard::compression
