// How large the values of channels are, which share a scale or do not, and whether that can be
// told.
#pragma once

#include <cstddef>
#include <optional>

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Whether there are enough values of each channel of an output to say something of it: what fewer
// than eight show, they may all show by chance.
bool ShowsChannels(const tensor::Comparison& output);

// Of most values in the channel; nothing where it has none but zeros.
std::optional<double> ChannelMagnitude(const Evidence& evidence, std::size_t channel);

// Of the channel in the middle; nothing with fewer than two that have values.
std::optional<double> MedianChannelMagnitude(const Evidence& evidence);

}  // namespace cboard::compare
