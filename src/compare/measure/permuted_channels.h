// Finds output channels whose order was changed.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/pairing/sim_hash.h"

namespace cboard::compare {

// Finds channels of the variant that equal another channel of the baseline. Borrows the rows
// `before` of the baseline.
//
//   PermutedChannels permuted(before, row);
//   for (…) if (permuted.IsPermuted(channel, after)) ++count;
class PermutedChannels {
 public:
  PermutedChannels(std::span<const float> before, std::size_t row);

  bool IsPermuted(std::size_t channel, std::span<const float> after);

 private:
  std::span<const float> Before(std::size_t channel) const {
    return before_.subspan(channel * row_, row_);
  }
  SimHash HashOf(std::span<const float> row) const;
  void MakeIndex();

  std::span<const float> before_;
  std::size_t row_;
  double same_;  // Maximum relative error of a channel at another place.
  // The following members are computed when the first moved channel is found.
  std::optional<SimHashPlanes> planes_;
  std::optional<SimHashIndex> index_;
  std::vector<double> norms_;
};

}  // namespace cboard::compare
