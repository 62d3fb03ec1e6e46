// Measures statistics of a layer's outputs, batch by batch, in values per second.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "cboard/compression/stage_statistics.h"

namespace cboard::compression {
namespace {

// A batch of a convolution's output, or, with one value per channel, of a matrix.
template <typename T>
void BM_OutputStatistics(benchmark::State& state) {
  const std::vector<std::int64_t> shape = {8, 64, state.range(0), state.range(0)};
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, sizeof(T) == 1 ? 30 : 1);
  std::vector<T> values(static_cast<std::size_t>(8 * 64 * state.range(0) * state.range(0)));
  for (T& value : values) value = static_cast<T>(normal(random));
  OutputStatistics statistics;
  for (auto _ : state) benchmark::DoNotOptimize(statistics.Add(TensorView(values, shape)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}
BENCHMARK(BM_OutputStatistics<float>)->Arg(1)->Arg(7)->Arg(28);
BENCHMARK(BM_OutputStatistics<double>)->Arg(28);
BENCHMARK(BM_OutputStatistics<std::int8_t>)->Arg(28);

}  // namespace
}  // namespace cboard::compression
