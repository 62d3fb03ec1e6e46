// Logs the predictions of a variant on test digits: precision and recall at every threshold, and
// the features before the last layer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cboard/writer/summary_writer.h"
#include "demo/variants.h"

namespace cboard::demo {

// Predictions of a network, one entry per picture.
struct Reading {
  std::vector<std::array<double, kDigitClasses>> probabilities;
  std::vector<float> features;  // kFeatures per picture: the outputs of fc0.

  std::size_t size() const { return probabilities.size(); }
};

// Index of the layer before the last one.
inline constexpr std::size_t kFeatureLayer = 3;
inline constexpr std::size_t kFeatures = 32;

Reading Read(const DemoVariant& variant, const Digits& digits);
Reading Read(const Network& network, const Digits& digits);

// Logs precision and recall of "this is a <digit>" at 127 thresholds: digit/0 … digit/9.
Result<void> LogPrCurves(const Reading& reading, const Digits& digits, std::int64_t step,
                         SummaryWriter& writer);

// Logs the mean over the ten digits at each threshold, as one curve. Its counts are the sums over
// all digits.
Result<void> LogMacroPrCurve(std::string_view tag, const Reading& reading, const Digits& digits,
                             std::int64_t step, SummaryWriter& writer);

// Logs data for the projector: a row per picture with its features, label, prediction, probability
// and the picture itself.
Result<void> LogFeatures(const Reading& reading, const Digits& digits, SummaryWriter& writer);

}  // namespace cboard::demo
