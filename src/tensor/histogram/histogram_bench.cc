// Measures values per second of histograms and statistics, for tensors of the size of a bias and of
// a layer.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "cboard/tensor/histogram.h"
#include "cboard/tensor/statistics.h"

namespace cboard::tensor {
namespace {

// Random values that are distributed like the weights of a layer.
template <typename T>
std::vector<T> Normal(std::int64_t count, double deviation) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, deviation);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(normal(random));
  return values;
}

void CountItems(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <typename T>
void BM_TensorBoardHistogram(benchmark::State& state) {
  const std::vector<T> values = Normal<T>(state.range(0), sizeof(T) == 1 ? 30 : 0.05);
  for (auto _ : state) benchmark::DoNotOptimize(ComputeHistogram(values));
  CountItems(state);
}
BENCHMARK(BM_TensorBoardHistogram<float>)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(BM_TensorBoardHistogram<double>)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(BM_TensorBoardHistogram<std::int8_t>)->Arg(10'000)->Arg(1'000'000);

// Half of the weights are pruned, so the same counter is incremented often.
void BM_TensorBoardHistogramOfSparse(benchmark::State& state) {
  std::vector<float> values = Normal<float>(state.range(0), 0.05);
  std::mt19937 random(2);
  for (float& value : values) value = random() % 2 == 0 ? 0 : value;
  for (auto _ : state) benchmark::DoNotOptimize(ComputeHistogram(values));
  CountItems(state);
}
BENCHMARK(BM_TensorBoardHistogramOfSparse)->Arg(1'000'000);

void BM_TensorBoardHistogramOfZeros(benchmark::State& state) {
  const std::vector<float> values(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ComputeHistogram(values));
  CountItems(state);
}
BENCHMARK(BM_TensorBoardHistogramOfZeros)->Arg(1'000'000);

void BM_TensorBoardHistogramOfHalfs(benchmark::State& state) {
  const std::vector<float> values = Normal<float>(state.range(0), 0.05);
  std::vector<std::uint16_t> bits(values.size());
  for (std::size_t i = 0; i < bits.size(); ++i) {
    bits[i] = static_cast<std::uint16_t>(0x2000 + (static_cast<int>(values[i] * 1e5f) & 0x0FFF));
  }
  const TensorView view(DType::kFloat16, bits.data(), {state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(ComputeHistogram(view));
  CountItems(state);
}
BENCHMARK(BM_TensorBoardHistogramOfHalfs)->Arg(1'000'000);

void BM_EqualBins(benchmark::State& state) {
  const std::vector<float> values = Normal<float>(state.range(0), 0.05);
  for (auto _ : state) benchmark::DoNotOptimize(ComputeHistogram(values, EqualBins{100}));
  CountItems(state);
}
BENCHMARK(BM_EqualBins)->Arg(1'000'000);

template <typename T>
void BM_Statistics(benchmark::State& state) {
  const std::vector<T> values = Normal<T>(state.range(0), sizeof(T) == 1 ? 30 : 0.05);
  for (auto _ : state) benchmark::DoNotOptimize(ComputeStatistics(values));
  CountItems(state);
}
BENCHMARK(BM_Statistics<float>)->Arg(10'000)->Arg(1'000'000);
BENCHMARK(BM_Statistics<std::int8_t>)->Arg(10'000)->Arg(1'000'000);

// A layer's weights, quantized by row like convolutions or by column like matrices.
void BM_QuantizedStatistics(benchmark::State& state) {
  const std::vector<std::int8_t> codes = Normal<std::int8_t>(256 * 576, 30);
  const std::vector<float> scales(state.range(0) == 0 ? 256 : 576, 0.01f);
  TensorView view(codes, {256, 576});
  view.quantization =
      Quantization::PerChannel(scales, {}, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ComputeStatistics(view));
  state.SetItemsProcessed(state.iterations() * 256 * 576);
}
BENCHMARK(BM_QuantizedStatistics)->ArgName("axis")->Arg(0)->Arg(1);

template <typename T>
void BM_ChannelStatistics(benchmark::State& state) {
  const std::vector<T> values = Normal<T>(256 * 576, sizeof(T) == 1 ? 30 : 0.05);
  const TensorView view(values, {256, 576});
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        ComputeChannelStatistics(view, static_cast<std::size_t>(state.range(0))));
  }
  state.SetItemsProcessed(state.iterations() * 256 * 576);
}
BENCHMARK(BM_ChannelStatistics<float>)->ArgName("axis")->Arg(0)->Arg(1);
BENCHMARK(BM_ChannelStatistics<std::int8_t>)->ArgName("axis")->Arg(0)->Arg(1);

}  // namespace
}  // namespace cboard::tensor
