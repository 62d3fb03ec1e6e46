#include "compare/measure/output_ranges.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cboard::compare {
namespace {

// Returns an antiderivative of (t - round(t))². It increases by 1/12 for each whole step.
double RoundingIntegral(double t) {
  const double whole = std::floor(t + 0.5);
  const double rest = t - whole;
  return whole / 12 + rest * rest * rest / 3;
}

double Cube(double x) { return x * x * x; }

// Returns the mean squared error, in steps, of quantizing values that are uniformly distributed
// between `a` and `b`, with codes from `low` to `high`. All values are in steps.
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
  constexpr std::uint32_t kShift = 23 - kMantissaBits, kInBin = (1u << kMantissaBits) - 1;
  if (pages_.empty()) pages_.resize(kPages);
  // Avoids branches that depend on the values, because the CPU cannot predict them if half of the
  // values are zero.
  for (const float value : values) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    std::unique_ptr<Page>& page = pages_[bits >> 23];
    if (!page) [[unlikely]]
      page = std::make_unique<Page>();
    Bin& bin = (*page)[(bits >> kShift) & kInBin];
    ++bin.count;
    bin.first = std::min(bin.first, bits);
    bin.last = std::max(bin.last, bits);
  }
}

// Calls `visit(count, low, high)` for each non-empty bin, except bins of NaN and infinity.
template <typename Visit>
void ValueBins::ForEachBin(const Visit& visit) const {
  constexpr std::size_t kInfinite = 0xFF;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    if (!pages_[i] || i % (kInfinite + 1) == kInfinite) continue;
    for (const Bin& bin : *pages_[i]) {
      if (bin.count == 0) continue;
      const double a = double{std::bit_cast<float>(bin.first)};
      const double b = double{std::bit_cast<float>(bin.last)};
      visit(static_cast<double>(bin.count), std::min(a, b), std::max(a, b));
    }
  }
}

CodeRange ValueBins::Range() const {
  CodeRange range;
  ForEachBin([&](double, double low, double high) {
    range.low = std::min(range.low, low);
    range.high = std::max(range.high, high);
  });
  return range;
}

std::optional<ValueBins::Gap> ValueBins::WidestGap() const {
  struct Span {
    double low, high, count;
  };
  std::vector<Span> spans;
  double all = 0;
  ForEachBin([&](double count, double low, double high) {
    spans.push_back({low, high, count});
    all += count;
  });
  if (spans.size() < 2) return std::nullopt;
  std::ranges::sort(spans, {}, &Span::low);
  Gap widest;
  double below = 0;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    below += spans[i - 1].count;
    if (spans[i].low - spans[i - 1].high > widest.above - widest.below) {
      widest = {spans[i - 1].high, spans[i].low, below / all};
    }
  }
  const bool is_wide = widest.above - widest.below > 0.5 * (spans.back().high - spans[0].low);
  return is_wide ? std::optional(widest) : std::nullopt;
}

double ValueBins::ShareRoundedToZero(double step) const {
  double small = 0, all = 0;
  ForEachBin([&](double count, double low, double high) {
    if (low == 0 && high == 0) return;
    all += count;
    if (std::max(std::abs(low), std::abs(high)) < step / 2) small += count;
  });
  return all == 0 ? 0 : small / all;
}

double ValueBins::SquaredError(const tensor::QuantizationGrid& grid) const {
  if (!(grid.scale > 0)) return HUGE_VAL;
  const double low = static_cast<double>(grid.code_min) - grid.zero_point;
  const double high = static_cast<double>(grid.code_max) - grid.zero_point;
  double sum = 0;
  ForEachBin([&](double count, double first, double last) {
    sum += count * MeanSquare(first / grid.scale, last / grid.scale, low, high);
  });
  return sum * grid.scale * grid.scale;
}

double ValueBins::ClippedShare(const tensor::QuantizationGrid& grid) const {
  const CodeRange range = RangeOf(grid);
  const double low = range.low - grid.scale / 2, high = range.high + grid.scale / 2;
  double beyond = 0, all = 0;
  ForEachBin([&](double count, double first, double last) {
    all += count;
    const double kept = std::max(0.0, std::min(high, last) - std::max(low, first));
    if (first == last) {
      beyond += first < low || last > high ? count : 0;
    } else {
      beyond += count * (1 - kept / (last - first));
    }
  });
  return all == 0 ? 0 : beyond / all;
}

CodeScheme CodeScheme::Of(const tensor::QuantizationGrid& grid) {
  return {.code_min = grid.code_min,
          .code_max = grid.code_max,
          .is_symmetric = grid.code_min < 0 && grid.zero_point == 0};
}

tensor::QuantizationGrid GridFor(CodeRange range, const CodeScheme& scheme) {
  double low = std::min(range.low, 0.0), high = std::max(range.high, 0.0);
  const double codes = static_cast<double>(scheme.code_max) - scheme.code_min;
  if (scheme.is_symmetric) {
    high = std::max(-low, high);
    low = -high;
  }
  tensor::QuantizationGrid grid{
      .scale = (high - low) / codes, .code_min = scheme.code_min, .code_max = scheme.code_max};
  if (grid.scale > 0) {
    const double zero =
        scheme.is_symmetric ? 0 : std::nearbyint(scheme.code_min - low / grid.scale);
    grid.zero_point =
        static_cast<std::int32_t>(std::clamp<double>(zero, scheme.code_min, scheme.code_max));
  }
  return grid;
}

CodeRange RangeOf(const tensor::QuantizationGrid& grid) {
  return {(static_cast<double>(grid.code_min) - grid.zero_point) * grid.scale,
          (static_cast<double>(grid.code_max) - grid.zero_point) * grid.scale};
}

CodeRange BestRange(const ValueBins& values, const CodeScheme& scheme) {
  const CodeRange whole = values.Range();
  CodeRange best = whole;
  double least = values.SquaredError(GridFor(best, scheme));
  const auto try_range = [&](const CodeRange& range) {
    const double error = values.SquaredError(GridFor(range, scheme));
    if (error >= least) return;
    least = error;
    best = range;
  };
  // Searches first with large steps, then with smaller steps. Each end of the range is searched
  // twice, because the best position of one end depends on the other end.
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
        range.low = std::max(range.low, whole.low);
        range.high = std::min(range.high, whole.high);
        try_range(range);
      }
    }
  }
  return RangeOf(GridFor(best, scheme));
}

}  // namespace cboard::compare
