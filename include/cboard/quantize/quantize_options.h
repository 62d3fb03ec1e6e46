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

// The bits of weights and activations.
enum class Precision {
  kW8A8,     // Weights and activations of 8 bits: integer arithmetic.
  kW8A16,    // Weights of 8 bits in blocks; activations stay float.
  kW4A16,    // Weights of 4 bits in blocks; activations stay float.
  kW4A8,     // Weights of 4 bits in blocks; activations become 8 bits at run time.
  kHalf,     // Weights and activations of float16.
  kDynamic,  // Weights of 8 bits; activations become 8 bits at run time, without calibration.
};

// The program and processor that will run the model.
enum class Target {
  kThisMachine,  // kOrtVnni if this processor has VNNI, else kOrtCpu.
  kOrtCpu,       // Any processor: weights cannot saturate VPMADDUBSW.
  kOrtVnni,      // Processors with VNNI: weights use all 8 bits.
  kTensorRt,     // Symmetric int8 activations.
  kOpenVino,     // As kOrtVnni.
};

enum class RangeMethod { kAuto, kMinMax, kPercentile, kEntropy, kMse };

Result<Precision> PrecisionOf(std::string_view name);      // "w8a8", "w4a16", "fp16", …
Result<Target> TargetOf(std::string_view name);            // "ort-cpu", …
Result<RangeMethod> RangeMethodOf(std::string_view name);  // "auto", "minmax", …
std::string_view NameOf(Precision precision);
std::string_view NameOf(Target target);
std::string_view NameOf(RangeMethod method);

// Whether this processor multiplies 8-bit numbers without saturation (AVX-VNNI or AVX512-VNNI).
bool HasVnni();

struct QuantizeOptions {
  Precision precision = Precision::kW8A8;
  Target target = Target::kThisMachine;
  RangeMethod ranges = RangeMethod::kAuto;
  double percentile = 99.99;  // kPercentile: the share of values that the range covers.
  bool per_channel = true;    // A weight scale for each output channel.

  // Nodes, weights and tensors that stay float: names with * and ? as wildcards, or op types.
  std::vector<std::string> keep_float;

  // Algorithms. A setting of true is tried; its result is kept only if it improves the outputs on
  // held-out samples.
  bool bias_correction = true;
  bool equalize = true;  // Between Conv, Gemm and MatMul layers.
  bool smooth = true;    // Behind normalizations: SmoothQuant, and AWQ for weights in blocks.
  // Activations that 8 bits do not hold stay float if outputs are too far from the float model's;
  // their layers keep weights of 8 bits.
  bool repair = true;
  bool gptq = false;

  // Samples for calibration: see runtime/samples.h.
  std::filesystem::path data;
  model::InputShapes shapes;      // Sizes that the model leaves open, for generated samples.
  std::size_t max_samples = 128;  // Samples to read at most.
  std::int64_t batch_size = 1;
  std::uint64_t seed = 0;  // Seed of generated samples.

  // Statistics of activations: read if the file exists; else written there after calibration.
  std::filesystem::path statistics;

  // Compares both models layer by layer afterwards, with up to 20 samples:
  // QuantizeReport::comparison.
  bool explain = false;
  // Where stages, statistics and the comparison are logged; implies `explain`. Empty for nowhere.
  std::filesystem::path logdir;

  std::size_t block_size = 32;  // kW8A16, kW4A16, kW4A8: weights that share a scale.

  std::size_t threads = 0;  // 0 uses all processors. The result does not depend on it.

  // Reports the work of the current stage. Returns false to stop.
  std::function<bool(std::string_view stage, std::size_t done, std::size_t total)> progress;
};

}  // namespace cboard::quantize
