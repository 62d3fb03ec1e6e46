// Weights that were set to zero: their number, their cost, and the cost of pruning fewer.
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

  // Fixes: pruning the same number of the smallest weights, or as many as keep `limit_db`, with the
  // resulting SQNR. `now` is the comparison of all weights.
  std::vector<Fix> Fixes(const tensor::PairStatistics& now, const PrunedWeights& pruned,
                         double limit_db) const;

 private:
  // Bins by exponent and the first bits of the mantissa: values of a bin differ by less than 1 %.
  static constexpr std::size_t kShift = 16, kBins = std::size_t{1} << (31 - kShift);
  struct Bin {
    std::uint64_t count = 0;
    double sum_squares = 0;
  };
  // Takes the smallest nonzero weights: `count` of them, or as many as have squares that add up to
  // `sum_squares`, whichever is fewer.
  struct Taken {
    double count = 0;
    double sum_squares = 0;
  };
  Taken Take(double count, double sum_squares) const;

  std::vector<Bin> bins_;
};

}  // namespace cboard::compare
