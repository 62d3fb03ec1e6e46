// Settings of post-training quantization.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/input_shapes.h"

namespace cboard::quantize {

// The bit widths of weights and activations.
enum class Precision {
  kW8A8,     // Weights and activations of 8 bits: integer arithmetic.
  kW8A16,    // Weights of 8 bits in blocks; activations stay float.
  kW4A16,    // Weights of 4 bits in blocks; activations stay float.
  kW4A8,     // Weights of 4 bits in blocks; activations become 8 bits at run time.
  kHalf,     // Weights and activations in float16.
  kDynamic,  // Weights of 8 bits; activations become 8 bits at run time. Needs no calibration.
};

// The program and processor that will run the model.
enum class Target {
  kThisMachine,  // kOrtVnni if this processor has VNNI, else kOrtCpu.
  kOrtCpu,       // Any processor: weights are limited so that VPMADDUBSW does not saturate.
  kOrtVnni,      // Processors with VNNI: weights use all 8 bits.
  kTensorRt,     // Symmetric int8 activations.
  kOpenVino,     // Same as kOrtVnni.
};

enum class RangeMethod { kAuto, kMinMax, kPercentile, kEntropy, kMse };

Result<Precision> PrecisionOf(std::string_view name);      // "w8a8", "w4a16", "fp16", …
Result<Target> TargetOf(std::string_view name);            // "ort-cpu", …
Result<RangeMethod> RangeMethodOf(std::string_view name);  // "auto", "minmax", …
std::string_view NameOf(Precision precision);
std::string_view NameOf(Target target);
std::string_view NameOf(RangeMethod method);

// True if this processor multiplies 8-bit numbers without saturation (AVX-VNNI or AVX512-VNNI).
bool HasVnni();

struct QuantizeOptions {
  Precision precision = Precision::kW8A8;
  Target target = Target::kThisMachine;
  RangeMethod ranges = RangeMethod::kAuto;
  double percentile = 99.99;  // kPercentile: the percentage of values inside the range.
  bool per_channel = true;    // One weight scale per output channel.

  // Nodes, weights and tensors that stay float: names with * and ? as wildcards, or op types.
  std::vector<std::string> keep_float;

  // Algorithms to improve the quantization. Each enabled algorithm is tried; its result is used
  // only if it improves the outputs on held-out samples.
  bool bias_correction = true;
  bool equalize = true;  // Between Conv, Gemm and MatMul layers.
  bool smooth = true;    // After normalizations: SmoothQuant; AWQ for weights in blocks.
  // Keeps activations in float if 8 bits are not enough for them and the outputs differ too much
  // from those of the float model. The layers that use these activations still have 8-bit weights.
  bool repair = true;
  bool gptq = false;

  // Samples for calibration; runtime/samples.h describes the formats.
  std::filesystem::path data;
  model::InputShapes shapes;      // Sizes of dynamic dimensions, for random samples.
  std::size_t max_samples = 128;  // Maximum number of samples.
  std::int64_t batch_size = 1;
  std::uint64_t seed = 0;  // Seed of random samples.

  // File for the statistics of activations: it is read if it exists, otherwise written after
  // calibration.
  std::filesystem::path statistics;

  // Compares both models by layer after the quantization, with up to 20 samples; sets
  // QuantizeReport::comparison.
  bool explain = false;
  // Log directory for stages, statistics and the comparison; implies `explain`. If it is empty,
  // nothing is logged.
  std::filesystem::path logdir;

  std::size_t block_size = 32;  // kW8A16, kW4A16, kW4A8: number of weights that share a scale.

  std::size_t threads = 0;  // 0 uses all processors. The result does not depend on it.

  // A function that is called with the progress of the current stage. Returning false stops the
  // quantization.
  std::function<bool(std::string_view stage, std::size_t done, std::size_t total)> progress;
};

}  // namespace cboard::quantize
