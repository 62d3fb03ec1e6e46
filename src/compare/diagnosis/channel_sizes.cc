#include "compare/diagnosis/channel_sizes.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace cboard::compare {

bool ShowsChannels(const tensor::Comparison& output) {
  constexpr std::uint64_t kMinValues = 8;
  return output.total.finite_count() >= kMinValues * output.channels.size();
}

std::optional<double> ChannelMagnitude(const Evidence& evidence, std::size_t channel) {
  const tensor::PairStatistics& values = evidence.comparison->channels[channel];
  if (values.finite_count() == 0 || values.reference.sum_squares == 0) return std::nullopt;
  if (channel < evidence.channel_medians.size()) return double{evidence.channel_medians[channel]};
  return std::sqrt(values.reference.sum_squares / static_cast<double>(values.finite_count()));
}

std::optional<double> MedianChannelMagnitude(const Evidence& evidence) {
  std::vector<double> sizes;
  for (std::size_t c = 0; c < evidence.comparison->channels.size(); ++c) {
    if (const auto size = ChannelMagnitude(evidence, c)) sizes.push_back(*size);
  }
  if (sizes.size() < 2) return std::nullopt;
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::ranges::nth_element(sizes, middle);
  return std::max(*middle, 1e-30);
}

}  // namespace cboard::compare
