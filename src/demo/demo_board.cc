#include "cboard/demo/demo_board.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

#include "cboard/compression/compression_writer.h"
#include "cboard/profile/hardware_monitor.h"
#include "demo/custom_charts.h"
#include "demo/digits.h"
#include "demo/images.h"
#include "demo/layer_log.h"
#include "demo/loss_surface.h"
#include "demo/prediction_log.h"
#include "demo/training_log.h"
#include "demo/variants.h"

namespace cboard::demo {
namespace {

using namespace demo;  // NOLINT: this file implements that module's interface.

constexpr double kMegabyte = 1e6;  // The page also counts 1 kB as 1,000 bytes.

Metrics MetricsOf(const DemoVariant& variant) {
  std::vector<double> sorted = variant.latencies_ms;
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
  };
  const double mean =
      std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(sorted.size());
  const auto bytes = static_cast<double>(
      std::accumulate(variant.layer_bytes.begin(), variant.layer_bytes.end(), std::size_t{0}));
  return {{"accuracy", variant.judgement.accuracy},
          {"f1_score", variant.judgement.f1},
          {"loss", variant.judgement.loss},
          {"latency_mean_ms", mean},
          {"latency_p50_ms", quantile(0.5)},
          {"latency_p99_ms", quantile(0.99)},
          {"throughput", 1000 / mean},
          {"model_size_mb", bytes / kMegabyte}};
}

compression::ModelComparison ComparisonOf(const DemoVariants& made) {
  compression::ModelComparison comparison{.model = std::string(kModel)};
  for (const DemoVariant& variant : made.variants) {
    comparison.variants.push_back({variant.name, MetricsOf(variant), variant.latencies_ms});
  }
  comparison.info = {
      {"library", "compression-board demo"},
      {"category", "cnn"},
      {"input_shape", std::vector<double>{1, kDigitSize, kDigitSize}},
      {"description", "handwritten digits of scikit-learn, every fourth picture kept for testing"},
      {"evaluated_on", "cpu"}};
  return comparison;
}

// Logs the accuracy of each variant for each digit, because compression damages some digits more
// than others.
Result<void> LogClasses(const DemoVariants& made, SummaryWriter& writer) {
  for (const DemoVariant& variant : made.variants) {
    for (std::size_t digit = 0; digit < kDigitClasses; ++digit) {
      CBOARD_RETURN_IF_ERROR(writer.AddScalar(
          std::string(kModel) + "/per_class/accuracy/" + std::to_string(digit) + "/" + variant.name,
          variant.judgement.class_accuracy[digit], 0));
    }
  }
  return {};
}

Result<void> LogImages(const DemoVariants& made, const Digits& test, SummaryWriter& writer) {
  for (const DemoVariant& variant : made.variants) {
    VariantRunner runner(variant);
    const Scores scores = [&](std::span<const float> image) { return runner.Run(image); };
    CBOARD_RETURN_IF_ERROR(writer.AddImage("confusion matrix/" + variant.name,
                                           ConfusionMatrix(test, scores).view(), 0, "HWC"));
    CBOARD_RETURN_IF_ERROR(writer.AddImage("wrongly read digits/" + variant.name,
                                           Misclassified(test, scores, 32).view(), 0, "HWC"));
  }
  return {};
}

Result<void> LogComparison(const DemoVariants& made, const Digits& test,
                           const std::filesystem::path& run) {
  CompressionWriter writer(run);
  const compression::ModelComparison comparison = ComparisonOf(made);
  CBOARD_RETURN_IF_ERROR(writer.LogModel(comparison));
  for (std::size_t i = 1; i < made.variants.size(); ++i) {
    CBOARD_RETURN_IF_ERROR(
        writer.LogCompressionHParams(comparison, made.variants[i].name, made.variants[i].config));
  }
  CBOARD_RETURN_IF_ERROR(LogLayers(made, test, writer));
  CBOARD_RETURN_IF_ERROR(LogClasses(made, writer));
  CBOARD_RETURN_IF_ERROR(LogImages(made, test, writer));
  return writer.Close();
}

constexpr std::string_view kAboutSurface =
    "The loss of the network on test digits when its weights are moved along two random "
    "directions, "
    "each as long in every filter as the filter itself. The trained weights are in the middle. "
    "Height and colour are the *logarithm* of the loss, on the same scale for every variant; a "
    "quantized variant is quantized again at every point.";

// Logs the predictions of each variant: PR curves, features, and the loss around the weights. Each
// variant has its own run, so that one chart shows all variants.
Result<void> LogPredictions(const DemoVariants& made, const Digits& test,
                            const std::filesystem::path& directory) {
  const std::map<std::string, LossSurface> surfaces = LossSurfaces(made, test);
  for (const DemoVariant& variant : made.variants) {
    SummaryWriter writer(directory / variant.name);
    const Reading reading = Read(variant, test);
    CBOARD_RETURN_IF_ERROR(LogPrCurves(reading, test, 0, writer));
    CBOARD_RETURN_IF_ERROR(LogMacroPrCurve("all_digits/macro_average", reading, test, 0, writer));
    CBOARD_RETURN_IF_ERROR(LogFeatures(reading, test, writer));
    if (const auto surface = surfaces.find(variant.name); surface != surfaces.end()) {
      CBOARD_RETURN_IF_ERROR(LogLossSurface(surface->second, surfaces, writer));
      CBOARD_RETURN_IF_ERROR(writer.AddText("loss/around_the_weights", kAboutSurface, 0));
    }
    CBOARD_RETURN_IF_ERROR(writer.Close());
  }
  return {};
}

}  // namespace

Result<void> WriteDemoBoard(const DemoOptions& options) {
  SummaryWriter hardware(options.logdir / "hardware");
  std::string phase;
  std::int64_t phases = 0;
  // Reports a line of progress, and logs it as the phase of the hardware metrics. All epochs of a
  // training are one phase.
  const auto say = [&](std::string_view line) {
    if (options.on_progress) options.on_progress(line);
    const std::string_view now = line.substr(0, line.find(", epoch"));
    if (now == phase) return;
    phase = now;
    // Ignores an error: the demo does not depend on the phase.
    static_cast<void>(hardware.AddText("hardware/phase", now, phases++));
  };
  CBOARD_ASSIGN_OR_RETURN(const Digits all, ReadDigits(options.digits));
  const DigitsSplit digits = Split(all);

  HardwareMonitor monitor(hardware, {.interval_seconds = 0.2});
  CBOARD_RETURN_IF_ERROR(monitor.Start());
  CBOARD_ASSIGN_OR_RETURN(
      const DemoVariants made,
      MakeVariants(digits, {options.epochs, options.logdir / "digits_training", say}));
  say("logging the variants and their layers");
  CBOARD_RETURN_IF_ERROR(LogComparison(made, digits.test, options.logdir / "digits"));
  say("looking at the loss around the weights");
  CBOARD_RETURN_IF_ERROR(LogPredictions(made, digits.test, options.logdir / "digits_variants"));
  CBOARD_RETURN_IF_ERROR(LogCustomCharts(options.logdir / "digits_training"));
  say("logging a tuning and the stages of quantization");
  CBOARD_RETURN_IF_ERROR(LogTuning(made, digits, options.logdir / "eval"));
  CBOARD_RETURN_IF_ERROR(
      LogStages(made.variants[0], made.variants[1], digits.test, options.logdir / "stages"));
  monitor.Stop();
  return hardware.Close();
}

}  // namespace cboard::demo
