#include "tensor/histogram/bin_estimators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string>

#include "cboard/base/pairwise_sum.h"
#include "cboard/base/strings.h"

namespace cboard::tensor {
namespace {

// The values of a histogram, and numpy's estimators of the bin width, one method per estimator. A
// width of 0 means that the estimator has no estimate. The estimators may reorder the values.
class Sample {
 public:
  explicit Sample(std::vector<double> values)
      : values_(std::move(values)), size_(static_cast<double>(values_.size())) {
    const auto [min, max] = std::ranges::minmax(values_);
    min_ = min;
    max_ = max;
  }

  double spread() const { return max_ - min_; }
  ValueRange range() const { return BinRangeOf(min_, max_); }

  double Sqrt() const { return spread() / std::sqrt(size_); }
  double Sturges() const { return spread() / (std::log2(size_) + 1.0); }
  double Rice() const { return spread() / (2.0 * std::pow(size_, 1.0 / 3)); }
  double Scott() const {
    return std::pow(24.0 * std::sqrt(std::numbers::pi) / size_, 1.0 / 3.0) *
           DeviationAndSkewness().first;
  }
  double Doane() const;
  double FreedmanDiaconis();
  Result<double> Stone();
  double Auto() {
    const double width = FreedmanDiaconis();
    return width != 0 ? std::min(width, Sturges()) : Sturges();
  }

 private:
  // Returns numpy.std and the skewness. The skewness is the mean cube of the deviations in units of
  // numpy.std.
  std::pair<double, double> DeviationAndSkewness() const;
  double Percentile(double fraction);

  std::vector<double> values_;
  double size_;
  double min_ = 0;
  double max_ = 0;
};

std::pair<double, double> Sample::DeviationAndSkewness() const {
  const double mean = PairwiseSum(values_) / size_;
  std::vector<double> powers(values_.size());
  std::ranges::transform(values_, powers.begin(),
                         [&](double value) { return (value - mean) * (value - mean); });
  const double deviation = std::sqrt(PairwiseSum(powers) / size_);
  if (!(deviation > 0)) return {deviation, 0};
  std::ranges::transform(values_, powers.begin(),
                         [&](double value) { return std::pow((value - mean) / deviation, 3); });
  return {deviation, PairwiseSum(powers) / size_};
}

double Sample::Doane() const {
  if (values_.size() <= 2) return 0;
  const auto [deviation, skewness] = DeviationAndSkewness();
  if (!(deviation > 0)) return 0;
  const double skewness_deviation = std::sqrt(6.0 * (size_ - 2) / ((size_ + 1.0) * (size_ + 3)));
  return spread() /
         (1.0 + std::log2(size_) + std::log2(1.0 + std::abs(skewness) / skewness_deviation));
}

// Returns the same percentile as numpy.percentile with linear interpolation.
double Sample::Percentile(double fraction) {
  const double position = (size_ - 1) * fraction;
  const double whole = std::floor(position);
  const double part = position - whole;
  const auto at = values_.begin() + static_cast<std::ptrdiff_t>(whole);
  std::nth_element(values_.begin(), at, values_.end());
  const double below = *at;
  const double above = at + 1 == values_.end() ? below : *std::min_element(at + 1, values_.end());
  const double difference = above - below;
  return part >= 0.5 ? above - difference * (1 - part) : below + difference * part;
}

double Sample::FreedmanDiaconis() {
  const double upper = Percentile(0.75);
  const double lower = Percentile(0.25);
  return 2.0 * (upper - lower) * std::pow(size_, -1.0 / 3.0);
}

// Returns the number of bins with the smallest estimated squared error. Sorts the values first, so
// that the counts for each number of bins can be found by binary search for the edges.
Result<double> Sample::Stone() {
  if (values_.size() <= 1 || spread() == 0) return 0;
  std::ranges::sort(values_);
  const std::size_t most = std::max<std::size_t>(100, static_cast<std::size_t>(std::sqrt(size_)));
  double best_risk = std::numeric_limits<double>::infinity();
  std::size_t best = 1;
  for (std::size_t bins = 1; bins <= most; ++bins) {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> edges, MakeEqualBins(range(), bins));
    double squares = 0;
    auto left = values_.begin();
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const auto right =
          bin + 1 == bins ? values_.end() : std::lower_bound(left, values_.end(), edges[bin + 1]);
      const double share = static_cast<double>(right - left) / size_;
      squares += share * share;
      left = right;
    }
    const double risk = (2 - (size_ + 1) * squares) / (spread() / static_cast<double>(bins));
    if (risk < best_risk) {
      best_risk = risk;
      best = bins;
    }
  }
  return spread() / static_cast<double>(best);
}

Result<double> BinWidth(BinEstimator estimator, Sample& sample) {
  switch (estimator) {
    case BinEstimator::kAuto:
      return sample.Auto();
    case BinEstimator::kFd:
      return sample.FreedmanDiaconis();
    case BinEstimator::kDoane:
      return sample.Doane();
    case BinEstimator::kScott:
      return sample.Scott();
    case BinEstimator::kStone:
      return sample.Stone();
    case BinEstimator::kRice:
      return sample.Rice();
    case BinEstimator::kSturges:
      return sample.Sturges();
    case BinEstimator::kSqrt:
      return sample.Sqrt();
  }
  return Fail(ErrorCode::kInvalidArgument, "the bin estimator is unknown");
}

}  // namespace

Result<std::size_t> EstimateBinCount(BinEstimator estimator, std::vector<double> values) {
  Sample sample(std::move(values));
  const ValueRange range = sample.range();
  CBOARD_ASSIGN_OR_RETURN(const double width, BinWidth(estimator, sample));
  // Like numpy, uses one bin if the width is 0, for example because both quartiles are equal.
  if (width == 0) return 1;
  const double count = std::ceil((range.last - range.first) / width);
  if (!(count <= static_cast<double>(kMaxEqualBins))) {
    return Fail(ErrorCode::kInvalidArgument,
                "histogram: the bin estimator chose " + ShortestDecimal(count) +
                    " bins, because a few values are far from the others; at most " +
                    std::to_string(kMaxEqualBins) +
                    " are supported. Give a number of bins, or another estimator");
  }
  return static_cast<std::size_t>(count);
}

}  // namespace cboard::tensor
