// How the values of a tensor are distributed, as far as a histogram knows: evenly inside each bin.
//
//   const double distance = Wasserstein1(fp32, int8);
//
// Two of them are compared through their quantiles, so that bins need not match, and a comb of
// quantized values does not look like a difference by itself.
#pragma once

#include <span>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::analysis {

// `count` values between `low` and `high`; all of them equal when these are.
struct ValueBin {
  double low = 0;
  double high = 0;
  double count = 0;
};

class ValueDistribution {
 public:
  // Bins in ascending order; empty ones are dropped. Fails with kInvalidArgument when bins overlap
  // or are upside down, when an edge or count is not finite or a count negative, and when nothing
  // was counted.
  static Result<ValueDistribution> FromBins(std::span<const ValueBin> bins);

  double count() const { return count_; }
  double min() const { return pieces_.front().low; }
  double max() const { return pieces_.back().high; }
  double mean() const { return mean_; }
  double deviation() const { return deviation_; }  // Standard deviation.
  double root_mean_square() const { return root_mean_square_; }

  // The share of values at or below `x`, and below which value a share lies.
  double ShareBelow(double x) const;
  double Quantile(double share) const;

  // x -> scale * x + shift; `scale` must be positive.
  ValueDistribution Scaled(double scale, double shift) const;
  // x -> the nearest value in [low, high].
  ValueDistribution Clamped(double low, double high) const;
  // Clamped, then rounded to the nearest of `codes` values that divide [low, high] evenly.
  ValueDistribution Rounded(double low, double high, int codes) const;

  // The share of values that are 0, or so near to it that nothing else can be meant.
  double ShareOfZeros() const;
  // A share of the values becomes 0: the smallest of them, or as many of each size.
  ValueDistribution WithSmallestZero(double share) const;
  ValueDistribution WithSomeZero(double share) const;

  // The least possible mean (and root mean square) of |x - y| over all ways to pair the values of
  // one with those of the other. The actual pairing, element by element, can only be worse.
  friend double Wasserstein1(const ValueDistribution& a, const ValueDistribution& b);
  friend double Wasserstein2(const ValueDistribution& a, const ValueDistribution& b);

 private:
  struct Piece {
    double low, high;
    double end;  // The share of values in this piece and all before it; 1 for the last.
  };

  ValueDistribution(std::vector<ValueBin> bins, double count);

  // The share of values at most this far from 0.
  double ShareWithin(double reach) const;
  // Sets values closer to 0 than `reach` to 0, and a `share` of all other values.
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
