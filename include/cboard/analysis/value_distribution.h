// The distribution of a tensor's values, estimated from a histogram: uniform inside each bin.
//
//   const double distance = Wasserstein1(fp32, int8);
//
// Two distributions are compared by their quantiles. Their bins need not match, and the gaps
// between quantized values do not count as a difference by themselves.
#pragma once

#include <span>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::analysis {

// `count` values between `low` and `high`. If `low` equals `high`, all values are equal.
struct ValueBin {
  double low = 0;
  double high = 0;
  double count = 0;
};

class ValueDistribution {
 public:
  // Builds a distribution from bins in ascending order; empty bins are dropped. Fails with
  // kInvalidArgument if bins overlap, if `low` exceeds `high`, if an edge or count is not finite,
  // if a count is negative, or if all counts are 0.
  static Result<ValueDistribution> FromBins(std::span<const ValueBin> bins);

  double count() const { return count_; }
  double min() const { return pieces_.front().low; }
  double max() const { return pieces_.back().high; }
  double mean() const { return mean_; }
  double deviation() const { return deviation_; }  // Standard deviation.
  double root_mean_square() const { return root_mean_square_; }

  // ShareBelow returns the share of values that are at most `x`. Quantile is its inverse: it
  // returns the value for which a given share of the values is at most that value.
  double ShareBelow(double x) const;
  double Quantile(double share) const;

  // Applies x -> scale * x + shift to all values; `scale` must be positive.
  ValueDistribution Scaled(double scale, double shift) const;
  // Replaces each value by the nearest value in [low, high].
  ValueDistribution Clamped(double low, double high) const;
  // Clamps the values, then rounds each to the nearest of `codes` values that divide [low, high]
  // evenly.
  ValueDistribution Rounded(double low, double high, int codes) const;

  // Returns the share of values that are 0, or so close to 0 that they stand for 0.
  double ShareOfZeros() const;
  // Sets a share of the values to 0. One function chooses the values with the smallest magnitude,
  // the other one chooses an equal share of every magnitude.
  ValueDistribution WithSmallestZero(double share) const;
  ValueDistribution WithSomeZero(double share) const;

  // Wasserstein distances: the smallest possible mean (or root mean square) of |x - y| over all
  // ways to pair the values of `a` with the values of `b`. The actual error, element by element, is
  // at least as large.
  friend double Wasserstein1(const ValueDistribution& a, const ValueDistribution& b);
  friend double Wasserstein2(const ValueDistribution& a, const ValueDistribution& b);

 private:
  struct Piece {
    double low, high;
    double end;  // Share of values in this piece and all pieces before it; 1 for the last.
  };

  ValueDistribution(std::vector<ValueBin> bins, double count);

  // Returns the share of values with a magnitude of at most `reach`.
  double ShareWithin(double reach) const;
  // Sets to 0 all values with a magnitude below `reach`, and a `share` of all other values.
  ValueDistribution Zeroed(double reach, double share) const;

  template <typename Visit>
  static void ForEachCommonPiece(const ValueDistribution& a, const ValueDistribution& b,
                                 Visit&& visit);

  std::vector<Piece> pieces_;
  double count_ = 0;
  double mean_ = 0;
  double deviation_ = 0;
  double root_mean_square_ = 0;
};

double Wasserstein1(const ValueDistribution& a, const ValueDistribution& b);
double Wasserstein2(const ValueDistribution& a, const ValueDistribution& b);

}  // namespace cboard::analysis
