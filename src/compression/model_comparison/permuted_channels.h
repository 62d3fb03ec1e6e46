// Channels that are there, in another order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compression/model_comparison/plane_signs.h"

namespace cboard::compare {

// Counts channels that are not their own in `before`, but another one. Borrows these rows.
//
//   PermutedChannels permuted(before, row);
//   for (…) permuted.Add(channel, after);
//   permuted.count();
class PermutedChannels {
 public:
  PermutedChannels(std::span<const float> before, std::size_t row) : before_(before), row_(row) {}

  void Add(std::size_t channel, std::span<const float> after);

  std::size_t count() const { return count_; }

 private:
  std::span<const float> Before(std::size_t channel) const {
    return before_.subspan(channel * row_, row_);
  }
  PlaneSigns SignsOf(std::span<const float> row) const;
  void MakeIndex();

  std::span<const float> before_;
  std::size_t row_;
  std::optional<RowPlanes> planes_;  // From here on: once a channel is not its own.
  std::optional<SignIndex> index_;
  std::vector<double> norms_;
  std::size_t count_ = 0;
};

}  // namespace cboard::compare
