// The network and its compressed variants, with their measured accuracy, latency and size.
#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compression/compression_writer.h"
#include "demo/digits.h"
#include "demo/network.h"
#include "demo/quantized_network.h"
#include "demo/training.h"

namespace cboard::demo {

inline constexpr std::string_view kModel = "digits_cnn";

struct DemoVariant {
  std::string name;  // fp32, int8, …
  compression::CompressionConfig config;
  const Network* network = nullptr;           // The weights in float.
  std::optional<QuantizedNetwork> quantized;  // Set if the variant runs in integers.
  std::vector<std::size_t> layer_bytes;       // One per layer.
  Evaluation judgement;
  std::vector<double> latencies_ms;  // One per timed picture.
};

// Runs a variant, with integers or in float.
class VariantRunner {
 public:
  explicit VariantRunner(const DemoVariant& variant);
  std::span<const float> Run(std::span<const float> image);
  // Returns the output of a layer for the last image as real values.
  std::vector<float> Output(std::size_t layer) const;

 private:
  std::optional<FloatRunner> real_;
  std::optional<QuantizedRunner> integer_;
};

// The variants, and the networks that they borrow.
struct DemoVariants {
  std::list<Network> networks;
  std::vector<ActivationRange> ranges;  // Ranges of the float network's activations.
  std::vector<DemoVariant> variants;    // fp32 first.
};

// Quantizes `network` and measures the result. The variant borrows the network.
DemoVariant MakeQuantized(std::string name, const Network& network,
                          std::span<const ActivationRange> ranges, const QuantizationScheme& scheme,
                          const Digits& test);

struct DemoProgress {
  int epochs = 25;
  std::filesystem::path training_logs;  // Directory for the logs of trainings.
  std::function<void(std::string_view)> say;
};

// Trains the network, and then makes the variants int8 (per channel), int8_per_tensor, w4a8
// (quantized after training), w4a8_qat (quantization-aware training) and pruned50.
Result<DemoVariants> MakeVariants(const DigitsSplit& digits, const DemoProgress& progress);

}  // namespace cboard::demo
