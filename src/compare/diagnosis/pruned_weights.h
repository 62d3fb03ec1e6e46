// Finds weights that pruning has set to zero: their number, their share of the error, and the
// smaller error of pruning fewer weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {

// Weights that are zero in the variant but not in the baseline. Weights that the quantizer rounds
// to zero do not count. Channels that are completely zero count only if all of their weights are as
// small as other pruned weights.
struct PrunedWeights {
  std::uint64_t count = 0;
  std::uint64_t channels = 0;  // Channels in which all weights are zero.
  double sum_squares = 0;      // Sum of squares of the pruned weights, which is their error.
  double largest = 0;          // Largest magnitude of a pruned weight.
};

// Collects pruned weights of a layer row by row.
class PruningSearch {
 public:
  // Adds a row of weights of the baseline and of the variant. The variant's weights are multiples
  // of `step`. For float weights, `step` is 0.
  void AddRow(std::span<const float> before, std::span<const float> after, float step);

  PrunedWeights Found() const;

 private:
  PrunedWeights found_;               // Weights in channels that are not completely zero.
  std::vector<PrunedWeights> empty_;  // One entry per channel that is completely zero.
};

// Computes the error of pruning the smallest weights of the baseline.
class SmallestWeights {
 public:
  SmallestWeights() : bins_(kBins) {}

  void Add(std::span<const float> baseline);

  // Returns two fixes with their SQNR. The first prunes as many weights as now, but the smallest
  // ones. The second prunes as many weights as an SQNR of `limit_db` allows. `now` is the
  // comparison of all weights.
  std::vector<Fix> Fixes(const tensor::PairStatistics& now, const PrunedWeights& pruned,
                         double limit_db) const;

 private:
  // Weights are counted in bins by exponent and the first bits of the mantissa, so values of one
  // bin differ by less than 1 %.
  static constexpr std::size_t kShift = 16, kBins = std::size_t{1} << (31 - kShift);
  struct Bin {
    std::uint64_t count = 0;
    double sum_squares = 0;
  };
  // The smallest nonzero weights: `count` weights, or fewer if the sum of their squares reaches
  // `sum_squares` before.
  struct Taken {
    double count = 0;
    double sum_squares = 0;
  };
  Taken Take(double count, double sum_squares) const;

  std::vector<Bin> bins_;
};

}  // namespace cboard::compare
