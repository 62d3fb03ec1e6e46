#include "cboard/quantize/statistics.h"

#include <algorithm>
#include <cmath>

#include "cboard/tensor/bin_grid.h"

namespace cboard::quantize {
namespace {

// Returns the exponent of the smallest histogram width that contains the magnitude.
int ExponentOf(double max_magnitude) {
  if (!(max_magnitude > 0)) return tensor::BinGrid::kMinExponent;
  const int exponent = std::ilogb(max_magnitude) + 1;  // So that max_magnitude < 2^exponent.
  return std::max(exponent - std::ilogb(static_cast<double>(WideningHistogram::kBins / 2)),
                  tensor::BinGrid::kMinExponent);
}

}  // namespace

double WideningHistogram::width() const { return std::ldexp(1.0, exponent_); }

WideningHistogram WideningHistogram::From(int exponent, std::vector<double> counts) {
  WideningHistogram histogram;
  histogram.exponent_ = exponent;
  histogram.counts_ = std::move(counts);
  return histogram;
}

void WideningHistogram::Widen(int exponent) {
  if (exponent <= exponent_) return;
  const int steps = std::min(exponent - exponent_, 62);
  exponent_ = exponent;
  std::vector<double> wide(counts_.size());
  for (std::int64_t i = 0; i < kBins; ++i) {
    const std::int64_t to = (i - kBins / 2) >> steps;  // Rounds down, also below zero.
    wide[static_cast<std::size_t>(to + kBins / 2)] += counts_[static_cast<std::size_t>(i)];
  }
  counts_ = std::move(wide);
}

Result<void> WideningHistogram::Add(const TensorView& tensor, double max_magnitude) {
  const int exponent = ExponentOf(max_magnitude);
  if (counts_.empty()) {
    counts_.resize(kBins);
    exponent_ = exponent;
  }
  Widen(exponent);
  return tensor::CountInGrid(tensor, {.exponent = exponent_, .first = -kBins / 2}, counts_);
}

void WideningHistogram::Merge(const WideningHistogram& other) {
  if (other.empty()) return;
  if (empty()) {
    *this = other;
    return;
  }
  WideningHistogram added = other;
  added.Widen(exponent_);
  Widen(added.exponent_);
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += added.counts_[i];
}

}  // namespace cboard::quantize
