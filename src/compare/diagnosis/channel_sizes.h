// The typical magnitudes of channels that share a scale.
#pragma once

#include <cstddef>
#include <optional>

#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {

// Returns true if each channel of an output has at least eight values: with fewer values,
// differences between channels may be chance.
bool ShowsChannels(const tensor::Comparison& output);

// Typical magnitude of a channel's values; nullopt if all values are zero.
std::optional<double> ChannelMagnitude(const Evidence& evidence, std::size_t channel);

// Magnitude of the median channel; nullopt if fewer than two channels have nonzero values.
std::optional<double> MedianChannelMagnitude(const Evidence& evidence);

}  // namespace cboard::compare
