// Logs the predictions of a variant for test digits: precision and recall at every threshold, and
// the features that enter the last layer.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cboard/writer/summary_writer.h"
#include "demo/variants.h"

namespace cboard::demo {

// The predictions of a network. Each list has one entry per image.
struct Reading {
  std::vector<std::array<double, kDigitClasses>> probabilities;
  std::vector<float> features;  // kFeatures per picture: the outputs of fc0.

  std::size_t size() const { return probabilities.size(); }
};

// Index of the layer before the last one. Its outputs are the features.
inline constexpr std::size_t kFeatureLayer = 3;
inline constexpr std::size_t kFeatures = 32;

Reading Read(const DemoVariant& variant, const Digits& digits);
Reading Read(const Network& network, const Digits& digits);

// Logs the precision and recall of the statement "this is the digit …" at 127 thresholds, with the
// tags digit/0 … digit/9.
Result<void> LogPrCurves(const Reading& reading, const Digits& digits, std::int64_t step,
                         SummaryWriter& writer);

// Logs the mean of precision and recall over the ten digits at each threshold, as one curve. The
// counts of the curve are sums over all digits.
Result<void> LogMacroPrCurve(std::string_view tag, const Reading& reading, const Digits& digits,
                             std::int64_t step, SummaryWriter& writer);

// Logs the data for the projector. Each image is a row with its features, its label, the
// prediction, the probability, and the image itself.
Result<void> LogFeatures(const Reading& reading, const Digits& digits, SummaryWriter& writer);

}  // namespace cboard::demo
