#include "compression/model_comparison/output_ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cboard::compare {
namespace {

// ∫(t - round(t))² dt from some fixed point to t: a twelfth for each whole step.
double RoundingIntegral(double t) {
  const double whole = std::floor(t + 0.5);
  const double rest = t - whole;
  return whole / 12 + rest * rest * rest / 3;
}

double Cube(double x) { return x * x * x; }

// The mean of the squared error, in steps, for what is spread evenly from `a` to `b`, of codes that
// reach from `low` to `high`, all in steps.
double MeanSquare(double a, double b, double low, double high) {
  if (a == b) {
    const double nearest = std::clamp(std::nearbyint(a), low, high);
    return (a - nearest) * (a - nearest);
  }
  double sum = 0;
  if (a < low) sum += (Cube(low - a) - Cube(low - std::min(b, low))) / 3;
  if (b > high) sum += (Cube(b - high) - Cube(std::max(a, high) - high)) / 3;
  const double from = std::clamp(a, low, high), to = std::clamp(b, low, high);
  if (to > from) sum += RoundingIntegral(to) - RoundingIntegral(from);
  return std::max(sum, 0.0) / (b - a);
}

}  // namespace

void ValueBins::Add(std::span<const float> values) {
  constexpr std::uint32_t kShift = 23 - kMantissaBits;
  constexpr std::uint32_t kPages = 1 << 9;
  constexpr std::uint32_t kInfinite = 0xFF;
  for (const float value : values) {
    if (value == 0) {
      ++zeros_;
      ++count_;
      continue;
    }
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t page = bits >> 23;
    if ((page & kInfinite) == kInfinite) continue;
    if (pages_.empty()) pages_.resize(kPages);
    if (!pages_[page]) pages_[page] = std::make_unique<Page>();
    Bin& bin = (*pages_[page])[(bits >> kShift) & ((1 << kMantissaBits) - 1)];
    bin.min = bin.count == 0 ? value : std::min(bin.min, value);
    bin.max = bin.count == 0 ? value : std::max(bin.max, value);
    ++bin.count;
    ++count_;
    min_ = std::min(min_, double{value});
    max_ = std::max(max_, double{value});
  }
}

template <typename Visit>
void ValueBins::ForEachBin(const Visit& visit) const {
  for (const auto& page : pages_) {
    if (!page) continue;
    for (const Bin& bin : *page) {
      if (bin.count > 0) visit(bin);
    }
  }
}

double ValueBins::SquaredError(const QuantizationGrid& grid) const {
  if (!(grid.scale > 0)) return HUGE_VAL;
  const double low = static_cast<double>(grid.code_min) - grid.zero_point;
  const double high = static_cast<double>(grid.code_max) - grid.zero_point;
  double sum = 0;
  ForEachBin([&](const Bin& bin) {
    sum += static_cast<double>(bin.count) *
           MeanSquare(double{bin.min} / grid.scale, double{bin.max} / grid.scale, low, high);
  });
  return sum * grid.scale * grid.scale;
}

double ValueBins::ShareBeyond(double low, double high) const {
  double beyond = 0;
  ForEachBin([&](const Bin& bin) {
    const double width = double{bin.max} - double{bin.min};
    const auto count = static_cast<double>(bin.count);
    if (width == 0) {
      beyond += bin.min < low || bin.max > high ? count : 0;
    } else {
      const double kept =
          std::max(0.0, std::min(high, double{bin.max}) - std::max(low, double{bin.min}));
      beyond += count * (1 - kept / width);
    }
  });
  return count_ == 0 ? 0 : beyond / static_cast<double>(count_);
}

CodeScheme CodeScheme::Of(const QuantizationGrid& grid) {
  return {.code_min = grid.code_min,
          .code_max = grid.code_max,
          .is_symmetric = grid.code_min < 0 && grid.zero_point == 0};
}

QuantizationGrid GridFor(CodeRange range, const CodeScheme& scheme) {
  double low = std::min(range.low, 0.0), high = std::max(range.high, 0.0);
  const double codes = static_cast<double>(scheme.code_max) - scheme.code_min;
  if (scheme.is_symmetric) {
    high = std::max(-low, high);
    low = -high;
  }
  QuantizationGrid grid{
      .scale = (high - low) / codes, .code_min = scheme.code_min, .code_max = scheme.code_max};
  if (grid.scale > 0) {
    const double zero =
        scheme.is_symmetric ? 0 : std::nearbyint(scheme.code_min - low / grid.scale);
    grid.zero_point =
        static_cast<std::int32_t>(std::clamp<double>(zero, scheme.code_min, scheme.code_max));
  }
  return grid;
}

CodeRange BestRange(const ValueBins& values, const CodeScheme& scheme) {
  CodeRange best{values.min(), values.max()};
  double least = values.SquaredError(GridFor(best, scheme));
  const auto try_range = [&](const CodeRange& range) {
    const double error = values.SquaredError(GridFor(range, scheme));
    if (error >= least) return;
    least = error;
    best = range;
  };
  // From coarse to fine; twice, because where one side ends changes the steps of the other.
  for (const double factor : {0.8, 0.95, 0.99}) {
    constexpr int kTries = 24;
    for (const bool is_high : {true, false, true, false}) {
      const CodeRange from = best;
      for (int i = -4; i < kTries; ++i) {
        const double share = std::pow(factor, i);
        CodeRange range = from;
        if (scheme.is_symmetric) {
          range = {from.low * share, from.high * share};
        } else {
          (is_high ? range.high : range.low) *= share;
        }
        range.low = std::max(range.low, values.min());
        range.high = std::min(range.high, values.max());
        try_range(range);
      }
    }
  }
  return best;
}

}  // namespace cboard::compare
