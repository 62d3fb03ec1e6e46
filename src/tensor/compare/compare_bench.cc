// Compares the speed of comparisons with that of reading the same bytes. The bytes per second of
// both show the used share of the memory bandwidth. Arrays are larger than any cache.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "cboard/tensor/compare.h"
#include "cboard/tensor/quantizer_trial.h"
#include "cboard/tensor/saturation.h"
#include "tensor/kernels/fetch_ahead.h"

namespace cboard::tensor {
namespace {

constexpr std::size_t kCount = 100'000'000;
constexpr float kScale = 0.002f;

struct Data {
  std::vector<float> reference, compressed;
  std::vector<std::int8_t> codes;

  Data() : reference(kCount), compressed(kCount), codes(kCount) {
    // The values repeat with a period far above the sizes of blocks and caches, so they are fast to
    // generate.
    std::mt19937 random(1);
    std::normal_distribution<float> normal(0, 0.05f);
    constexpr std::size_t kPeriod = 1'000'003;
    for (std::size_t i = 0; i < kCount; ++i) {
      reference[i] = i < kPeriod ? normal(random) : reference[i - kPeriod];
      const float code = std::nearbyint(reference[i] / kScale);
      codes[i] = static_cast<std::int8_t>(std::min(std::max(code, -128.f), 127.f));
      compressed[i] = static_cast<float>(codes[i]) * kScale;
    }
  }
};

const Data& Arrays() {
  static const Data data;
  return data;
}

void SetBytes(benchmark::State& state, std::size_t per_element) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(kCount * per_element));
  state.counters["ns/element"] = benchmark::Counter(
      1e-9 * static_cast<double>(state.iterations()) * static_cast<double>(kCount),
      benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// A sum of 64-bit words over the same two arrays, with the same prefetching as comparisons: the
// memory bandwidth of one thread.
template <typename T>
std::uint64_t SumOfWords(const std::vector<T>& values) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(values.data());
  const std::size_t count = values.size() * sizeof(T) / sizeof(std::uint64_t);
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    FetchAhead(reinterpret_cast<const float*>(words + i));
    for (std::size_t j = 0; j < 8; ++j) sums[j] += words[i + j];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

void BM_ReadFp32AndInt8(benchmark::State& state) {
  const Data& data = Arrays();
  for (auto _ : state) {
    benchmark::DoNotOptimize(SumOfWords(data.reference) + SumOfWords(data.codes));
  }
  SetBytes(state, 5);
}
BENCHMARK(BM_ReadFp32AndInt8);

void BM_CompareFp32WithInt8(benchmark::State& state) {
  const Data& data = Arrays();
  const auto channels = state.range(0);
  const std::vector<float> scales(static_cast<std::size_t>(channels), kScale);
  const std::vector<std::int64_t> shape = {channels, static_cast<std::int64_t>(kCount) / channels};
  TensorView codes(data.codes, shape);
  codes.quantization = Quantization::PerChannel(scales, {}, 0);
  const TensorView reference(data.reference, shape);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Compare(reference, codes, {.channel_axis = 0}));
  }
  SetBytes(state, 5);
}
BENCHMARK(BM_CompareFp32WithInt8)->Arg(1)->Arg(20'000);

// Scales along the last dimension, as in the matrices of transformers.
void BM_CompareColumnsWithInt8(benchmark::State& state) {
  const Data& data = Arrays();
  const std::vector<float> scales(1000, kScale);
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(kCount) / 1000, 1000};
  TensorView codes(data.codes, shape);
  codes.quantization = Quantization::PerChannel(scales, {}, 1);
  const TensorView reference(data.reference, shape);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Compare(reference, codes, {.channel_axis = 1}));
  }
  SetBytes(state, 5);
}
BENCHMARK(BM_CompareColumnsWithInt8);

void BM_CompareGroupsOf32WithInt8(benchmark::State& state) {
  const Data& data = Arrays();
  const std::vector<float> scales(kCount / 32, kScale);
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(kCount) / 3200, 3200};
  TensorView codes(data.codes, shape);
  codes.quantization = Quantization::PerGroup(scales, {}, 32);
  const TensorView reference(data.reference, shape);
  for (auto _ : state) {
    benchmark::DoNotOptimize(Compare(reference, codes, {.channel_axis = 0}));
  }
  SetBytes(state, 5);
}
BENCHMARK(BM_CompareGroupsOf32WithInt8);

void BM_CompareFp32WithInt8AndDivergence(benchmark::State& state) {
  const Data& data = Arrays();
  TensorView codes(data.codes);
  codes.quantization = Quantization::PerTensor({&kScale, 1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(Compare(data.reference, codes, {.divergence = true}));
  }
  SetBytes(state, 5);
}
BENCHMARK(BM_CompareFp32WithInt8AndDivergence);

void BM_ReadTwoFp32(benchmark::State& state) {
  const Data& data = Arrays();
  for (auto _ : state) {
    benchmark::DoNotOptimize(SumOfWords(data.reference) + SumOfWords(data.compressed));
  }
  SetBytes(state, 8);
}
BENCHMARK(BM_ReadTwoFp32);

void BM_CompareFp32WithFp32(benchmark::State& state) {
  const Data& data = Arrays();
  for (auto _ : state) benchmark::DoNotOptimize(Compare(data.reference, data.compressed));
  SetBytes(state, 8);
}
BENCHMARK(BM_CompareFp32WithFp32);

// The quantizers that `compare` tries for every layer that is not green.
void BM_TryFiveQuantizers(benchmark::State& state) {
  const Data& data = Arrays();
  constexpr auto kPerChannel = Quantization::Granularity::kPerChannel;
  const std::vector<Quantizer> quantizers = {
      {}, {.percentile = 99.9}, {.percentile = 99.99}, {.bits = 16}, {.granularity = kPerChannel}};
  const TensorView weights(data.reference, {static_cast<std::int64_t>(kCount) / 4000, 4000});
  for (auto _ : state) benchmark::DoNotOptimize(TryQuantizers(weights, quantizers, 0));
  SetBytes(state, 4);
}
BENCHMARK(BM_TryFiveQuantizers);

void BM_CountSaturation(benchmark::State& state) {
  std::mt19937 random(1);
  std::vector<std::uint8_t> activations(196 * 1152);
  std::vector<std::int8_t> weights(128 * 1152);
  for (auto& value : activations) value = static_cast<std::uint8_t>(random());
  for (auto& value : weights) value = static_cast<std::int8_t>(random());
  for (auto _ : state) benchmark::DoNotOptimize(CountSaturation(activations, weights, 1152));
  state.counters["products"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * 196 * 128 * 1152, benchmark::Counter::kIsRate);
}
BENCHMARK(BM_CountSaturation);

}  // namespace
}  // namespace cboard::tensor
