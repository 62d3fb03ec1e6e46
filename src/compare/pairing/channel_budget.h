// Which layers have figures by channel. These take a few hundred bytes a channel, which is nothing
// beside the weights of real channels, but more than a machine has where a file names millions of
// channels of a weight or two, or uses one weight in thousands of nodes. What is left out is the
// same whenever the same files are compared.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Room for figures by channel: a quarter of what both files take, and enough for any network whose
// files are small.
class ChannelBudget {
 public:
  ChannelBudget(const model::ModelGraph& baseline, const model::ModelGraph& variant);

  // Whether there is room for `comparisons` more, of this many channels each. Then it is taken.
  bool Take(std::size_t channels, std::size_t comparisons = 1);

 private:
  std::size_t left_;  // In channels.
};

// For each pair, whether its weights are compared by channel, or only as a whole. Those with the
// most weights to a channel come first.
std::vector<bool> PairsWithChannels(const PairedModels& models);

}  // namespace cboard::compare
