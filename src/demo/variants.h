// The network and what was made of it: how well each one reads digits, how long it takes, how much
// it weighs. All of it measured here.
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
  const Network* network = nullptr;           // The weights, as floating point.
  std::optional<QuantizedNetwork> quantized;  // Runs in integers, if it does.
  std::vector<std::size_t> layer_bytes;       // One per layer.
  Evaluation judgement;
  std::vector<double> latencies_ms;  // One per picture that was timed.
};

// Runs a variant: in integers, or in floating point.
class VariantRunner {
 public:
  explicit VariantRunner(const DemoVariant& variant);
  std::span<const float> Run(std::span<const float> image);
  // Output for the last picture as real values.
  std::vector<float> Output(std::size_t layer) const;

 private:
  std::optional<FloatRunner> real_;
  std::optional<QuantizedRunner> integer_;
};

// Owns the networks that variants borrow.
struct DemoVariants {
  std::list<Network> networks;
  std::vector<ActivationRange> ranges;  // Ranges of the first network's activations.
  std::vector<DemoVariant> variants;    // fp32 first.
};

// `network` in integers, measured. Borrows it.
DemoVariant MakeQuantized(std::string name, const Network& network,
                          std::span<const ActivationRange> ranges, const QuantizationScheme& scheme,
                          const Digits& test);

struct DemoProgress {
  int epochs = 25;
  std::filesystem::path training_logs;  // Trainings are logged below it.
  std::function<void(std::string_view)> say;
};

// Trains the network, then makes int8 (per channel), int8_per_tensor, w4a8 (after training),
// w4a8_qat (trained for it) and pruned50.
Result<DemoVariants> MakeVariants(const DigitsSplit& digits, const DemoProgress& progress);

}  // namespace cboard::demo
