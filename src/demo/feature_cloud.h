// How the network comes to see digits: its features as points in space, epoch by epoch.
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

// The direction in which rows of `width` numbers differ most, and the next two: rows of unit length
// at right angles to each other. Fewer than three where rows differ in fewer.
std::vector<std::vector<double>> PrincipalDirections(std::span<const float> rows,
                                                     std::size_t width);

// A point per picture, coloured by its digit, along the principal directions of the last epoch: the
// same ones for every epoch, so that points move only because the network learns.
Result<void> LogFeatureClouds(std::string_view tag, std::span<const FeaturesOfEpoch> epochs,
                              const Digits& digits, SummaryWriter& writer);

}  // namespace cboard::demo
