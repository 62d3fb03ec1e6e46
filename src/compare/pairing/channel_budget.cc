#include "compare/pairing/channel_budget.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "cboard/tensor/compare.h"

namespace cboard::compare {
namespace {

constexpr std::uint64_t kMinBytes = std::uint64_t{32} << 20;

}  // namespace

ChannelBudget::ChannelBudget(const model::ModelGraph& baseline, const model::ModelGraph& variant)
    : left_((kMinBytes + baseline.file_bytes() / 4 + variant.file_bytes() / 4) /
            sizeof(tensor::PairStatistics)) {}

bool ChannelBudget::Take(std::size_t channels, std::size_t comparisons) {
  if (channels > left_ / comparisons) return false;
  left_ -= channels * comparisons;
  return true;
}

std::vector<bool> PairsWithChannels(const PairedModels& models) {
  std::vector<WeightSize> sizes;
  for (std::size_t i = 0; i < models.size(); ++i) {
    sizes.push_back(SizeOf(models.baseline, models.Before(i)));
  }
  std::vector<std::size_t> order(models.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) {
    return sizes[i].elements / std::max<std::size_t>(sizes[i].channels, 1);
  });
  ChannelBudget budget(models.baseline, models.variant);
  std::vector<bool> have_channels(models.size());
  for (const std::size_t i : order) have_channels[i] = budget.Take(sizes[i].channels);
  return have_channels;
}

}  // namespace cboard::compare
