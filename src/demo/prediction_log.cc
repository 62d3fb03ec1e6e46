#include "demo/prediction_log.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace cboard::demo {
namespace {

constexpr std::size_t kThresholds = 127;

template <typename Runner, typename Output>
Reading ReadWith(Runner& runner, const Digits& digits, Output output) {
  Reading reading;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    reading.probabilities.push_back(Probabilities(runner.Run(digits.image(i))));
    const auto features = output();
    reading.features.insert(reading.features.end(), features.begin(), features.end());
  }
  return reading;
}

struct Counts {
  std::array<double, kThresholds> true_positives = {}, false_positives = {};
  double positives = 0;
};

// Counts each prediction at all thresholds i / 126 that its probability reaches.
Counts CountsOf(const Reading& reading, const Digits& digits, std::size_t digit) {
  Counts counts;
  for (std::size_t i = 0; i < reading.size(); ++i) {
    const bool is_it = digits.labels[i] == digit;
    const auto reached = static_cast<std::size_t>(
        std::floor(reading.probabilities[i][digit] * static_cast<double>(kThresholds - 1)));
    auto& side = is_it ? counts.true_positives : counts.false_positives;
    for (std::size_t t = 0; t <= std::min(reached, kThresholds - 1); ++t) ++side[t];
    if (is_it) ++counts.positives;
  }
  return counts;
}

std::string Percent(double share) { return std::to_string(std::lround(share * 100)); }

}  // namespace

Reading Read(const DemoVariant& variant, const Digits& digits) {
  VariantRunner runner(variant);
  return ReadWith(runner, digits, [&] { return runner.Output(kFeatureLayer); });
}

Reading Read(const Network& network, const Digits& digits) {
  FloatRunner runner(network);
  return ReadWith(runner, digits, [&] { return runner.output(kFeatureLayer); });
}

Result<void> LogPrCurves(const Reading& reading, const Digits& digits, std::int64_t step,
                         SummaryWriter& writer) {
  for (std::size_t digit = 0; digit < kDigitClasses; ++digit) {
    std::vector<double> predictions;
    std::vector<std::uint8_t> labels;
    for (std::size_t i = 0; i < reading.size(); ++i) {
      predictions.push_back(reading.probabilities[i][digit]);
      labels.push_back(digits.labels[i] == digit ? 1 : 0);
    }
    CBOARD_RETURN_IF_ERROR(
        writer.AddPrCurve("digit/" + std::to_string(digit), labels, predictions, step));
  }
  return {};
}

Result<void> LogMacroPrCurve(std::string_view tag, const Reading& reading, const Digits& digits,
                             std::int64_t step, SummaryWriter& writer) {
  std::array<double, kThresholds> precision = {}, recall = {}, hits = {}, alarms = {};
  double positives = 0;
  for (std::size_t digit = 0; digit < kDigitClasses; ++digit) {
    const Counts counts = CountsOf(reading, digits, digit);
    positives += counts.positives;
    for (std::size_t t = 0; t < kThresholds; ++t) {
      const double named = counts.true_positives[t] + counts.false_positives[t];
      // If there are no predictions, the precision is 1.
      precision[t] += (named > 0 ? counts.true_positives[t] / named : 1) / kDigitClasses;
      recall[t] += counts.true_positives[t] / std::max(counts.positives, 1.0) / kDigitClasses;
      hits[t] += counts.true_positives[t];
      alarms[t] += counts.false_positives[t];
    }
  }
  const double all = static_cast<double>(reading.size()) * kDigitClasses;
  writer::PrCurveRows rows;
  for (std::size_t t = 0; t < kThresholds; ++t) {
    rows.true_positives.push_back(static_cast<float>(hits[t]));
    rows.false_positives.push_back(static_cast<float>(alarms[t]));
    rows.true_negatives.push_back(static_cast<float>(all - positives - alarms[t]));
    rows.false_negatives.push_back(static_cast<float>(positives - hits[t]));
    rows.precision.push_back(static_cast<float>(precision[t]));
    rows.recall.push_back(static_cast<float>(recall[t]));
  }
  return writer.AddPrCurveRaw(tag, rows, step, kThresholds);
}

Result<void> LogFeatures(const Reading& reading, const Digits& digits, SummaryWriter& writer) {
  writer::EmbeddingDetails details{.metadata_header = {"digit", "read as", "right", "sure, %"},
                                   .tag = "fc0"};
  for (std::size_t i = 0; i < reading.size(); ++i) {
    const auto& given = reading.probabilities[i];
    const auto read_as = std::ranges::max_element(given) - given.begin();
    details.metadata.push_back({std::to_string(digits.labels[i]), std::to_string(read_as),
                                read_as == digits.labels[i] ? "right" : "wrong",
                                Percent(std::ranges::max(given))});
  }
  const auto rows = static_cast<std::int64_t>(reading.size());
  details.label_images = TensorView(digits.pixels, {rows, 1, kDigitSize, kDigitSize});
  return writer.AddEmbedding(TensorView(reading.features, {rows, kFeatures}), details, 0);
}

}  // namespace cboard::demo
