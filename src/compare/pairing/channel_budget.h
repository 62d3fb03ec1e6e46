// Decides which layers have metrics by channel. The metrics take a few hundred bytes per channel.
// This is little compared with the weights of a typical channel, but too much if a file has
// millions of channels with one or two weights each, or uses one weight in thousands of nodes. The
// choice depends only on the files.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// The memory for metrics by channel: a quarter of the size of both files, but at least enough for
// small files.
class ChannelBudget {
 public:
  ChannelBudget(const model::ModelGraph& baseline, const model::ModelGraph& variant);

  // Reserves memory for `comparisons` comparisons with `channels` channels each. Returns false if
  // there is not enough memory.
  bool Take(std::size_t channels, std::size_t comparisons = 1);

 private:
  std::size_t left_;  // Number of channels.
};

// Returns for each pair of layers whether its weights are compared by channel (true) or only in
// total. Pairs with the most weights per channel have priority.
std::vector<bool> PairsWithChannels(const PairedModels& models);

}  // namespace cboard::compare
