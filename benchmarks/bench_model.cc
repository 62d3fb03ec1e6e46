// Measures model files: opening them, comparing their weights, and capturing the outputs of their
// layers.
//
//   bench_model list    --file M --count N                        open, and visit every tensor
//   bench_model compare --data x.f32 --codes y.i8 --count N [--channels LENGTH | --threads |
//   --damaged]
//   bench_model read    --data x.f32 --codes y.i8 --count N [--threads]   only reading these bytes
//   bench_model buckets --data x.f32 --count N [--threads]        TensorBoard's histogram
//   bench_model models  --file M --variant V --count N            as the command `compare` does
//   bench_model run     --file M --count N [--capture]            samples; or all layers' outputs
//
// --threads: in layers of a million weights, as CompareModels does it. --damaged: with twice the
// scale that the codes were made for.
//
// Each command prints its cost: per list of tensors, per weight (compare, read, buckets, models),
// per sample.
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "base/parallel.h"
#include "cboard/base/file.h"
#include "cboard/compare/compare_models.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/capture.h"
#include "cboard/tensor/compare.h"
#include "cboard/tensor/histogram.h"
#include "measurement.h"
#include "tensor/kernels/fetch_ahead.h"

namespace cboard::bench {
namespace {

constexpr float kScale = 0.002f;  // Scale of the codes in benchmarks/inputs.py.

template <typename T>
T Unwrap(Result<T> result) {
  if (!result) Flags::Stop(result.error().message);
  return *std::move(result);
}

template <typename T>
std::vector<T> ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) Flags::Stop("cannot read " + path);
  std::vector<T> values(static_cast<std::size_t>(file.tellg()) / sizeof(T));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  return values;
}

void List(const Flags& flags) {
  const auto count = flags.Count("--count");
  std::uint64_t elements = 0;
  Measurement measurement;
  for (std::int64_t i = 0; i < count; ++i) {
    const model::ModelGraph model = Unwrap(model::OpenModel(flags.Text("--file")));
    for (const model::ModelTensor& tensor : model.tensors()) {
      elements += tensor.name.size();
      for (const std::int64_t size : tensor.shape) elements += static_cast<std::uint64_t>(size);
    }
  }
  measurement.Print(static_cast<std::uint64_t>(count), elements);
}

constexpr std::size_t kLayerSize = 1'000'000;

// Calls work(first, count) for each layer, on all processors.
template <typename Work>
void ForEachLayer(std::size_t size, const Work& work) {
  const auto done = ForEachInParallel(
      size / kLayerSize,
      [&](std::size_t, std::size_t layer) -> Result<void> {
        work(layer * kLayerSize, kLayerSize);
        return {};
      },
      nullptr, ParallelOptions::ForLargeItems());
  if (!done) Flags::Stop(done.error().message);
}

void CompareLayers(const Flags& flags) {
  const auto reference = ReadAll<float>(flags.Text("--data"));
  const auto codes = ReadAll<std::int8_t>(flags.Text("--codes"));
  const auto count = static_cast<std::uint64_t>(flags.Count("--count"));
  const float scale[] = {kScale};
  Measurement measurement;
  for (std::uint64_t i = 0; i < count; ++i) {
    ForEachLayer(codes.size(), [&](std::size_t first, std::size_t size) {
      TensorView compressed(std::span<const std::int8_t>(codes).subspan(first, size));
      compressed.quantization = Quantization::PerTensor(scale);
      Unwrap(tensor::Compare(TensorView(std::span<const float>(reference).subspan(first, size)),
                             compressed));
    });
  }
  measurement.Print(count * codes.size(), 0);
}

// Compares layers with as many channels as large layers have, each channel with its own scale.
void CompareChannels(const Flags& flags) {
  const auto reference = ReadAll<float>(flags.Text("--data"));
  const auto codes = ReadAll<std::int8_t>(flags.Text("--codes"));
  const auto count = static_cast<std::uint64_t>(flags.Count("--count"));
  constexpr std::size_t kChannels = 1000;
  const std::vector<std::int64_t> shape = {kChannels, flags.Count("--channels")};
  const std::size_t size = kChannels * static_cast<std::size_t>(shape[1]);
  const std::vector<float> scales(kChannels, kScale);
  const tensor::ComparisonOptions options{.channel_axis = 0};
  Measurement measurement;
  std::uint64_t compared = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    for (std::size_t first = 0; first + size <= codes.size(); first += size, compared += size) {
      TensorView compressed(DType::kInt8, codes.data() + first, shape);
      compressed.quantization = Quantization::PerChannel(scales, {}, 0);
      const TensorView original(DType::kFloat32, reference.data() + first, shape);
      Unwrap(tensor::Compare(original, compressed, options));
    }
  }
  measurement.Print(compared, 0);
}

void CompareWeights(const Flags& flags) {
  if (flags.Has("--threads")) return CompareLayers(flags);
  if (flags.Has("--channels")) return CompareChannels(flags);
  const auto reference = ReadAll<float>(flags.Text("--data"));
  const auto codes = ReadAll<std::int8_t>(flags.Text("--codes"));
  const auto count = static_cast<std::uint64_t>(flags.Count("--count"));
  const float scale[] = {flags.Has("--damaged") ? 2 * kScale : kScale};
  TensorView compressed(codes);
  compressed.quantization = Quantization::PerTensor(scale);
  Measurement measurement;
  double cosine = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const tensor::Comparison found = Unwrap(tensor::Compare(reference, compressed));
    cosine = found.total.Cosine();
  }
  measurement.Stop();
  std::fprintf(stderr, "cosine %.12f\n", cosine);
  measurement.Print(count * codes.size(), 0);
}

// Sums the bytes as fast as possible: with the widest vectors of the processor, and with
// prefetching, as the comparison does.
__attribute__((target_clones("avx512f", "avx2", "default"))) std::uint64_t SumOfWords(
    const char* bytes, std::size_t size) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + sizeof(sums) <= size; i += sizeof(sums)) {
    std::uint64_t words[8];
    tensor::FetchAhead(reinterpret_cast<const float*>(bytes + i));
    std::memcpy(words, bytes + i, sizeof(words));
    for (std::size_t j = 0; j < 8; ++j) sums[j] += words[j];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

template <typename T>
std::uint64_t SumOfWords(std::span<const T> values) {
  return SumOfWords(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void Read(const Flags& flags) {
  const auto reference = ReadAll<float>(flags.Text("--data"));
  const auto codes = ReadAll<std::int8_t>(flags.Text("--codes"));
  const auto count = static_cast<std::uint64_t>(flags.Count("--count"));
  Measurement measurement;
  std::atomic<std::uint64_t> sum = 0;
  const auto read = [&](std::size_t first, std::size_t size) {
    return SumOfWords(std::span<const float>(reference).subspan(first, size)) +
           SumOfWords(std::span<const std::int8_t>(codes).subspan(first, size));
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    if (flags.Has("--threads")) {
      ForEachLayer(codes.size(), [&](std::size_t first, std::size_t size) {
        sum.fetch_add(read(first, size), std::memory_order_relaxed);
      });
    } else {
      sum.fetch_add(read(0, codes.size()), std::memory_order_relaxed);
    }
  }
  measurement.Stop();
  std::fprintf(stderr, "%llu\n", static_cast<unsigned long long>(sum.load()));
  measurement.Print(count * codes.size(), 0);
}

void CountBuckets(const Flags& flags) {
  const auto values = ReadAll<float>(flags.Text("--data"));
  const auto count = static_cast<std::uint64_t>(flags.Count("--count"));
  tensor::HistogramData histogram;
  Measurement measurement;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (flags.Has("--threads")) {
      ForEachLayer(values.size(), [&](std::size_t first, std::size_t size) {
        Unwrap(tensor::ComputeHistogram(std::span<const float>(values).subspan(first, size)));
      });
    } else {
      histogram = Unwrap(tensor::ComputeHistogram(values));
    }
  }
  measurement.Stop();
  JsonWriter filled;
  filled.BeginArray();
  for (std::size_t i = 0; i < histogram.bucket_counts.size(); ++i) {
    if (histogram.bucket_counts[i] == 0) continue;
    filled.BeginArray().Value(histogram.bucket_limits[i]).Value(histogram.bucket_counts[i]);
    filled.EndArray();
  }
  filled.EndArray();
  std::fprintf(stderr, "%s\n", filled.text().c_str());
  measurement.Print(count * values.size(), 0);
}

void CompareFiles(const Flags& flags) {
  const auto count = static_cast<std::uint64_t>(flags.Count("--count"));
  std::uint64_t weights = 0;
  double squares = 0, errors = 0;
  Measurement measurement;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto found =
        Unwrap(compare::CompareModels(flags.Text("--file"), flags.Text("--variant"), {}));
    for (const compare::LayerComparison& layer : found.layers) {
      weights += layer.weight->total.count;
      squares += layer.weight->total.reference.sum_squares;
      errors += layer.weight->total.sum_squared_error;
    }
  }
  measurement.Stop();
  std::fprintf(stderr, "sqnr %.9f\n", 10 * std::log10(squares / errors));
  measurement.Print(weights, 0);
}

void Run(const Flags& flags) {
  // Without further tensors, returns the model's own outputs.
  const runtime::ModelCapture model = Unwrap(runtime::ModelCapture::Open(
      flags.Text("--file"),
      {.tensors = flags.Has("--capture") ? std::nullopt
                                         : std::optional<std::vector<std::string>>{std::in_place},
       .session = {.threads = 1}}));
  const auto count = static_cast<std::size_t>(flags.Count("--count"));
  const auto samples =
      Unwrap(runtime::OpenSamples({}, model.session().inputs(), {.max_samples = count}));
  std::vector<runtime::NamedTensor> inputs = Unwrap(samples->Read(0));
  Unwrap(model.Run(inputs));  // The first run allocates ONNX Runtime's own memory.
  Measurement measurement;
  for (std::size_t i = 0; i < count; ++i) Unwrap(model.Run(inputs));
  measurement.Print(count, 0);
}

}  // namespace
}  // namespace cboard::bench

int main(int argc, char** argv) {
  using cboard::bench::Flags;
  const std::string_view command = argc > 1 ? argv[1] : "";
  const Flags flags(argc, argv);
  if (command == "list") {
    cboard::bench::List(flags);
  } else if (command == "compare") {
    cboard::bench::CompareWeights(flags);
  } else if (command == "read") {
    cboard::bench::Read(flags);
  } else if (command == "buckets") {
    cboard::bench::CountBuckets(flags);
  } else if (command == "models") {
    cboard::bench::CompareFiles(flags);
  } else if (command == "run") {
    cboard::bench::Run(flags);
  } else {
    Flags::Stop("bench_model list | compare | read | buckets | models | run");
  }
  return 0;
}
