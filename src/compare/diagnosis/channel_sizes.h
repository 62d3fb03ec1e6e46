// Sizes of channels that share a scale.
#pragma once

#include <cstddef>
#include <optional>

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Returns true if each channel of an output has at least eight values: with fewer, differences may
// be due to chance.
bool ShowsChannels(const tensor::Comparison& output);

// Typical magnitude of the values in the channel; nullopt if all are zero.
std::optional<double> ChannelMagnitude(const Evidence& evidence, std::size_t channel);

// Magnitude of the median channel; nullopt with fewer than two channels that have values.
std::optional<double> MedianChannelMagnitude(const Evidence& evidence);

}  // namespace cboard::compare
