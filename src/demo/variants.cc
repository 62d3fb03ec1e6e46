#include "demo/variants.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "demo/training_log.h"

namespace cboard::demo {
namespace {

constexpr double kPrunedShare = 0.5;

std::size_t FloatBytes(const Layer& layer) {
  return 4 * (layer.weights.size() + layer.biases.size());
}

// Returns the size in bytes of a layer in sparse form: the remaining weights, a mask with one bit
// per weight, and the biases.
std::size_t SparseBytes(const Layer& layer) {
  const auto zeros = static_cast<std::size_t>(std::ranges::count(layer.weights, 0.0F));
  return 4 * (layer.weights.size() - zeros) + (layer.weights.size() + 7) / 8 +
         4 * layer.biases.size();
}

std::vector<double> Latencies(VariantRunner& runner, const Digits& digits) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kRounds = 3;  // The first round is a warm-up.
  std::vector<double> latencies_ms;
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < digits.size(); ++i) {
      const Clock::time_point start = Clock::now();
      runner.Run(digits.image(i));
      const std::chrono::duration<double, std::milli> taken = Clock::now() - start;
      if (round > 0) latencies_ms.push_back(taken.count());
    }
  }
  return latencies_ms;
}

void Measure(DemoVariant& variant, const Digits& test) {
  VariantRunner runner(variant);
  variant.judgement =
      Evaluate(test, [&](std::span<const float> image) { return runner.Run(image); });
  variant.latencies_ms = Latencies(runner, test);
}

DemoVariant InFloats(std::string name, const Network& network, const Digits& test) {
  DemoVariant variant{.name = std::move(name), .network = &network};
  for (const Layer& layer : network.layers) variant.layer_bytes.push_back(FloatBytes(layer));
  Measure(variant, test);
  return variant;
}

}  // namespace

VariantRunner::VariantRunner(const DemoVariant& variant) {
  if (variant.quantized) {
    integer_.emplace(*variant.quantized);
  } else {
    real_.emplace(*variant.network);
  }
}

std::span<const float> VariantRunner::Run(std::span<const float> image) {
  return integer_ ? integer_->Run(image) : real_->Run(image);
}

std::vector<float> VariantRunner::Output(std::size_t layer) const {
  if (integer_) return integer_->Output(layer);
  const std::span<const float> output = real_->output(layer);
  return {output.begin(), output.end()};
}

DemoVariant MakeQuantized(std::string name, const Network& network,
                          std::span<const ActivationRange> ranges, const QuantizationScheme& scheme,
                          const Digits& test) {
  DemoVariant variant{.name = std::move(name), .network = &network};
  variant.quantized = Quantize(network, ranges, scheme);
  variant.config.weight_bits = scheme.weight_bits;
  variant.config.activation_bits = 8;
  variant.config.scheme = "symmetric weights, asymmetric activations";
  variant.config.granularity = scheme.per_channel ? "per_channel" : "per_tensor";
  variant.config.calibration = "minmax";
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    variant.layer_bytes.push_back(variant.quantized->BytesOf(i));
  }
  Measure(variant, test);
  return variant;
}

Result<DemoVariants> MakeVariants(const DigitsSplit& digits, const DemoProgress& progress) {
  DemoVariants made;
  const auto train = [&](std::string_view name, Network start,
                         TrainingOptions options) -> Result<const Network*> {
    TrainingLog log(progress.training_logs / name, name, options, digits.test);
    const Network& deployed =
        made.networks.emplace_back(Train(start, digits, options, [&](const Epoch& epoch) {
          log.Add(epoch);
          progress.say("training " + std::string(name) + ", epoch " +
                       std::to_string(epoch.number + 1) + " of " + std::to_string(options.epochs));
        }));
    CBOARD_RETURN_IF_ERROR(log.Close());
    return &deployed;
  };
  const int later_epochs = std::max(progress.epochs / 3, 1);
  CBOARD_ASSIGN_OR_RETURN(const Network* fp32,
                          train("fp32", Network::Random(1), {.epochs = progress.epochs}));
  CBOARD_ASSIGN_OR_RETURN(
      const Network* qat,
      train("w4a8_qat", *fp32,
            {.epochs = later_epochs, .learning_rate = 0.01, .as_deployed = [](const Network& n) {
               return WithRoundedWeights(n, 4, true);
             }}));
  CBOARD_ASSIGN_OR_RETURN(
      const Network* pruned,
      train("pruned50", *fp32,
            {.epochs = later_epochs, .learning_rate = 0.01, .as_deployed = [](const Network& n) {
               return WithPrunedWeights(n, kPrunedShare);
             }}));

  progress.say("quantizing and measuring");
  made.ranges = Calibrate(*fp32, digits.train);
  std::vector<DemoVariant>& variants = made.variants;
  variants.push_back(InFloats("fp32", *fp32, digits.test));
  variants.push_back(MakeQuantized("int8", *fp32, made.ranges, {}, digits.test));
  variants.push_back(
      MakeQuantized("int8_per_tensor", *fp32, made.ranges, {.per_channel = false}, digits.test));
  variants.push_back(MakeQuantized("w4a8", *fp32, made.ranges, {.weight_bits = 4}, digits.test));
  variants.push_back(MakeQuantized("w4a8_qat", *qat, Calibrate(*qat, digits.train),
                                   {.weight_bits = 4}, digits.test));
  variants.push_back(InFloats("pruned50", *pruned, digits.test));
  variants.back().config.pruning_ratio = kPrunedShare;
  std::ranges::transform(pruned->layers, variants.back().layer_bytes.begin(), SparseBytes);
  return made;
}

}  // namespace cboard::demo
