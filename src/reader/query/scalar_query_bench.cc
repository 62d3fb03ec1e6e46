// Curves of 30 million points for 1,000 pixels.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "cboard/reader/scalar_query.h"
#include "reader/index/arena.h"
#include "reader/index/scalar_column.h"
#include "reader/query/value_range.h"

namespace cboard::reader {
namespace {

constexpr std::size_t kPoints = 30'000'000;

const ScalarSeries& LongSeries() {
  static const ScalarSeries series = [] {
    auto arena = std::make_shared<Arena>();
    ScalarColumn column(*arena);
    for (std::size_t i = 0; i < kPoints; ++i) {
      const double x = static_cast<double>(i);
      column.Append(static_cast<std::int64_t>(i), 1.7e9 + x / 1000,
                    static_cast<double>(static_cast<float>(std::sin(x / 1e6))), kPoints - i);
    }
    return ScalarSeries({column.View(arena)});
  }();
  return series;
}

void Sample(benchmark::State& state, const ScalarQuery& query) {
  const ScalarSeries& series = LongSeries();
  for (auto _ : state) benchmark::DoNotOptimize(SampleSeries(series, true, query));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(series.size()));
}

void BM_SampleByStep(benchmark::State& state) { Sample(state, {.max_points = 4000}); }
void BM_SampleByTime(benchmark::State& state) {
  Sample(state, {.axis = ScalarAxis::kRelative, .max_points = 4000});
}
void BM_SampleSmoothed(benchmark::State& state) {
  Sample(state, {.max_points = 4000, .smoothing = 0.9});
}
// A tenth of the axis: what lies outside is not looked at.
void BM_SampleZoomed(benchmark::State& state) {
  Sample(state, {.range = {1e7, 1.3e7}, .max_points = 4000});
}
BENCHMARK(BM_SampleByStep)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SampleByTime)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SampleSmoothed)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SampleZoomed)->Unit(benchmark::kMillisecond);

// The limits: decoding the columns alone, and looking at values alone.
void BM_Decode(benchmark::State& state) {
  const ScalarSeries& series = LongSeries();
  for (auto _ : state) {
    series.ForEachBlock(
        [](const ScalarBlock& block) { benchmark::DoNotOptimize(block.values[0]); });
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(series.size()));
}
void BM_Range(benchmark::State& state) {
  const std::vector<double> values(4096, 1.5);
  for (auto _ : state) benchmark::DoNotOptimize(RangeOf(values));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}
BENCHMARK(BM_Decode)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Range);

}  // namespace
}  // namespace cboard::reader
