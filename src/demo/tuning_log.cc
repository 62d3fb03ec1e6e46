#include <cmath>

#include "cboard/compression/tuning_logger.h"
#include "demo/graphs.h"
#include "demo/layer_log.h"

namespace cboard::demo {
namespace {

// The fraction of conv0's activation range that the first trial uses.
constexpr double kCutShort = 0.02;

compression::TrialSettings SettingsOf(const QuantizationScheme& scheme) {
  return {{"weight_bits", static_cast<double>(scheme.weight_bits)},
          {"granularity", std::string(scheme.per_channel ? "per_channel" : "per_tensor")},
          {"reach_of_conv0", scheme.reach.empty() ? 1.0 : scheme.reach.front()},
          {"keep_float", std::string(scheme.keep_float.empty() ? "none" : "conv0")}};
}

Result<void> LogTrial(const DemoVariant& variant, const compression::TrialSettings& settings,
                      const Digits& test, TuningLogger& logger) {
  CBOARD_RETURN_IF_ERROR(logger.StartTrial(settings));
  const QuantizedNetwork* quantized = variant.quantized ? &*variant.quantized : nullptr;
  CBOARD_ASSIGN_OR_RETURN(
      const compression::EncodedStageGraph graph,
      compression::EncodeStageGraph(
          GraphOf(quantized, quantized ? GraphDetail::kQuantized : GraphDetail::kFloat)));
  CBOARD_RETURN_IF_ERROR(logger.AddGraph(graph.graph_def));
  for (std::size_t i = 0; i < NetworkShape().size(); ++i) {
    const std::string_view layer = NetworkShape()[i].name;
    const bool integer = quantized && !quantized->layers[i].keep_float;
    const std::string_view precision = integer ? "int8" : "fp32";
    CBOARD_RETURN_IF_ERROR(logger.AddParameter(layer, "weight", WeightsOf(variant, i), precision));
    CBOARD_RETURN_IF_ERROR(
        logger.AddParameter(layer, "bias", variant.network->layers[i].biases, precision));
    CBOARD_RETURN_IF_ERROR(logger.AddOutput(layer, CollectOutputs(variant, test, i), precision));
  }
  // Rounds the accuracy to three digits: it becomes a part of the directory's name, and 449 images
  // give no more precision.
  const double accuracy = std::round(variant.judgement.accuracy * 1000) / 1000;
  CBOARD_RETURN_IF_ERROR(logger.FinishTrial(accuracy));
  return {};
}

}  // namespace

Result<void> LogTuning(const DemoVariants& made, const DigitsSplit& digits,
                       const std::filesystem::path& directory) {
  TuningLogger logger({.directory = directory, .earlier = compression::ExistingTrials::kContinue});
  const DemoVariant& baseline = made.variants.front();
  CBOARD_RETURN_IF_ERROR(LogTrial(baseline, {}, digits.test, logger));
  // The settings of the trials: one layer with a range that is too small, the same layer in float,
  // and then settings that tuners usually try.
  QuantizationScheme cut_short{.reach = {kCutShort, 1, 1, 1, 1}}, kept = cut_short;
  kept.keep_float = {0};
  const QuantizationScheme schemes[] = {cut_short,
                                        kept,
                                        {.weight_bits = 4, .per_channel = false},
                                        {.weight_bits = 4},
                                        {.per_channel = false},
                                        {}};
  for (const QuantizationScheme& scheme : schemes) {
    const DemoVariant trial =
        MakeQuantized("trial", *baseline.network, made.ranges, scheme, digits.test);
    CBOARD_RETURN_IF_ERROR(LogTrial(trial, SettingsOf(scheme), digits.test, logger));
  }
  return {};
}

}  // namespace cboard::demo
