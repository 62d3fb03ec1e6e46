// Shows the features that the network computes as points in space, for each epoch.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cboard/writer/summary_writer.h"
#include "demo/prediction_log.h"

namespace cboard::demo {

struct FeaturesOfEpoch {
  std::int64_t epoch = 0;
  std::vector<float> features;  // kFeatures per picture.
};

// Returns the first three principal directions (PCA) of rows of `width` numbers. They are
// orthogonal unit vectors along which the rows differ most. There are fewer than three if the rows
// differ in fewer dimensions.
std::vector<std::vector<double>> PrincipalDirections(std::span<const float> rows,
                                                     std::size_t width);

// Logs one point per image, at the position of its features along the principal directions of the
// last epoch. The color shows the digit. All epochs use the same directions, so points move only
// because the network learns.
Result<void> LogFeatureClouds(std::string_view tag, std::span<const FeaturesOfEpoch> epochs,
                              const Digits& digits, SummaryWriter& writer);

}  // namespace cboard::demo
