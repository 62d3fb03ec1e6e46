// Decides which layers have metrics by channel. These take a few hundred bytes per channel. That is
// little beside the weights of real channels, but too much if a file names millions of channels of
// a weight or two, or uses one weight in thousands of nodes. The choice is the same for the same
// files.
#pragma once

#include <cstddef>
#include <vector>

#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Memory for figures by channel: a quarter of the size of both files, with a minimum that is enough
// for any small file.
class ChannelBudget {
 public:
  ChannelBudget(const model::ModelGraph& baseline, const model::ModelGraph& variant);

  // Reserves memory for `comparisons` comparisons with this many channels each; false if there is
  // too little.
  bool Take(std::size_t channels, std::size_t comparisons = 1);

 private:
  std::size_t left_;  // In channels.
};

// For each pair, whether its weights are compared by channel or only in total. Pairs with the most
// weights per channel come first.
std::vector<bool> PairsWithChannels(const PairedModels& models);

}  // namespace cboard::compare
