// Weights that were set to zero: how many, what that costs, and what fewer of them would.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Weights that are zero now and were not in the baseline. Weights that a quantizer rounds to zero
// do not count, and neither do all-zero channels, unless all of their weights are as small as
// others that were pruned.
struct PrunedWeights {
  std::uint64_t count = 0;
  std::uint64_t channels = 0;  // Channels that are all zero.
  double sum_squares = 0;      // Sum of squares of the pruned weights: their part of the error.
  double largest = 0;          // The magnitude of the largest of them.
};

// Looks at weights row by row.
class PruningSearch {
 public:
  // The compressed weights are multiples of `step`; 0 for floats.
  void AddRow(std::span<const float> before, std::span<const float> after, float step);

  PrunedWeights Found() const;

 private:
  PrunedWeights found_;               // In channels of which something is left.
  std::vector<PrunedWeights> empty_;  // The others, one by one.
};

// Cost of pruning the smallest weights of the baseline.
class SmallestWeights {
 public:
  SmallestWeights() : bins_(kBins) {}

  void Add(std::span<const float> baseline);

  // Ways to prune less than `pruned`, or others, and what they would keep: as many, and no more
  // than leave `limit_db`. `now` is of all weights.
  std::vector<Fix> Fixes(const tensor::PairStatistics& now, const PrunedWeights& pruned,
                         double limit_db) const;

 private:
  // By exponent and the first bits of the mantissa: neighbours differ by less than 1 %.
  static constexpr std::size_t kShift = 16, kBins = std::size_t{1} << (31 - kShift);
  struct Bin {
    std::uint64_t count = 0;
    double sum_squares = 0;
  };
  // Among nonzero weights: the first `count`, or as many as fit before their squares add up to
  // `sum_squares`, whichever is fewer.
  struct Taken {
    double count = 0;
    double sum_squares = 0;
  };
  Taken Take(double count, double sum_squares) const;

  std::vector<Bin> bins_;
};

}  // namespace cboard::compare
