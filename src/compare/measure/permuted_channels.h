// Finds channels that were reordered.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compare/pairing/sim_hash.h"

namespace cboard::compare {

// Finds channels that equal another channel of `before` than their own. Borrows these rows.
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
  double same_;                          // The error of what was found elsewhere, by its energy.
  std::optional<SimHashPlanes> planes_;  // From here on: once a channel is not its own.
  std::optional<SimHashIndex> index_;
  std::vector<double> norms_;
};

}  // namespace cboard::compare
