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

// Typical magnitude of the values in the channel; nullopt if all are zero.
std::optional<double> ChannelMagnitude(const Evidence& evidence, std::size_t channel);

// Magnitude of the median channel; nullopt with fewer than two channels that have values.
std::optional<double> MedianChannelMagnitude(const Evidence& evidence);

}  // namespace cboard::compare
