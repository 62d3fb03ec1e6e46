#include "cboard/demo/demo_board.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "cboard/compression/compression_writer.h"
#include "cboard/profile/hardware_monitor.h"
#include "demo/digits.h"
#include "demo/layer_log.h"
#include "demo/pictures.h"
#include "demo/stage_log.h"
#include "demo/training_log.h"
#include "demo/tuning_log.h"
#include "demo/variants.h"

namespace cboard {
namespace {

using namespace demo;  // NOLINT: this file is that module's face.

constexpr double kMegabyte = 1024 * 1024;

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

ModelComparison ComparisonOf(const DemoVariants& made) {
  ModelComparison comparison{.model = std::string(kModel)};
  for (const DemoVariant& variant : made.variants) {
    comparison.variants.push_back({variant.name, MetricsOf(variant), variant.latencies_ms});
  }
  comparison.info = {
      {"library", "compression-board demo"},
      {"category", "cnn"},
      {"input_shape", std::vector<double>{1, kDigitSize, kDigitSize}},
      {"description", "handwritten digits of scikit-learn, every fourth picture kept for judging"},
      {"evaluated_on", "cpu"}};
  return comparison;
}

// What each variant reads right of every digit: compression hurts some more than others.
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

Result<void> LogPictures(const DemoVariants& made, const Digits& test, SummaryWriter& writer) {
  for (const DemoVariant& variant : made.variants) {
    VariantRunner runner(variant);
    const Scores scores = [&](std::span<const float> image) { return runner.Run(image); };
    CBOARD_RETURN_IF_ERROR(writer.AddImage("confusion matrix/" + variant.name,
                                           ConfusionMatrix(test, scores).view(), 0, "HWC"));
    CBOARD_RETURN_IF_ERROR(writer.AddImage("wrongly read digits/" + variant.name,
                                           WronglyRead(test, scores, 32).view(), 0, "HWC"));
  }
  return {};
}

// How sure each variant is of the digit 8, the one that networks confuse most.
Result<void> LogPrCurves(const DemoVariants& made, const Digits& test, SummaryWriter& writer) {
  constexpr std::size_t kDigit = 8;
  for (const DemoVariant& variant : made.variants) {
    VariantRunner runner(variant);
    std::vector<float> predictions;
    std::vector<std::uint8_t> labels;
    for (std::size_t i = 0; i < test.size(); ++i) {
      predictions.push_back(static_cast<float>(Probabilities(runner.Run(test.image(i)))[kDigit]));
      labels.push_back(test.labels[i] == kDigit ? 1 : 0);
    }
    CBOARD_RETURN_IF_ERROR(writer.AddPrCurve("is it an 8/" + variant.name, labels, predictions, 0));
  }
  return {};
}

Result<void> LogComparison(const DemoVariants& made, const Digits& test,
                           const std::filesystem::path& run) {
  CompressionWriter writer(run);
  const ModelComparison comparison = ComparisonOf(made);
  CBOARD_RETURN_IF_ERROR(writer.LogModel(comparison));
  for (std::size_t i = 1; i < made.variants.size(); ++i) {
    CBOARD_RETURN_IF_ERROR(
        writer.LogCompressionHParams(comparison, made.variants[i].name, made.variants[i].config));
  }
  CBOARD_RETURN_IF_ERROR(LogLayers(made, test, writer));
  CBOARD_RETURN_IF_ERROR(LogClasses(made, writer));
  CBOARD_RETURN_IF_ERROR(LogPictures(made, test, writer));
  CBOARD_RETURN_IF_ERROR(LogPrCurves(made, test, writer));
  return writer.Close();
}

}  // namespace

Result<void> WriteDemoBoard(const DemoOptions& options) {
  SummaryWriter hardware(options.logdir / "hardware");
  std::string phase;
  std::int64_t phases = 0;
  // A line is also what the hardware was doing from then on; of a training, without its epochs.
  const auto say = [&](std::string_view line) {
    if (options.on_progress) options.on_progress(line);
    const std::string_view now = line.substr(0, line.find(", epoch"));
    if (now == phase) return;
    phase = now;
    static_cast<void>(hardware.AddText("hardware/phase", now, phases++));  // Only a note.
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
  say("logging a tuning and the stages of quantization");
  CBOARD_RETURN_IF_ERROR(LogTuning(made, digits, options.logdir / "eval"));
  CBOARD_RETURN_IF_ERROR(
      LogStages(made.variants[0], made.variants[1], digits.test, options.logdir / "stages"));
  monitor.Stop();
  return hardware.Close();
}

}  // namespace cboard
