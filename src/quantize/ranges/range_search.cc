#include "quantize/ranges/range_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cboard::quantize {
namespace {

constexpr std::int64_t kHalf = WideningHistogram::kBins / 2;

Range WithZero(double low, double high, bool is_symmetric) {
  low = std::min(low, 0.0);
  high = std::max(high, 0.0);
  if (is_symmetric && low < 0) {
    high = std::max(high, -low);
    low = -high;
  }
  return {low, high};
}

double CenterOf(std::int64_t bin, double width) { return (static_cast<double>(bin) + 0.5) * width; }

Range FindPercentile(const TensorStatistics& statistics, double percentile) {
  const auto& counts = statistics.histogram.counts();
  const double width = statistics.histogram.width();
  double total = 0;
  for (const double count : counts) total += count;
  const double outside = total * (1 - percentile / 100) / 2;
  double seen = 0;
  std::size_t low = 0;
  while (low + 1 < counts.size() && (seen += counts[low]) <= outside) ++low;
  seen = 0;
  std::size_t high = counts.size() - 1;
  while (high > low && (seen += counts[high]) <= outside) --high;
  return {
      std::max(statistics.min, static_cast<double>(static_cast<std::int64_t>(low) - kHalf) * width),
      std::min(statistics.max,
               static_cast<double>(static_cast<std::int64_t>(high) + 1 - kHalf) * width)};
}

// Finds the smallest divergence between the magnitudes and their approximation by `levels` bins, as
// TensorRT does.
double FindEntropyLimit(const TensorStatistics& statistics, std::size_t levels) {
  const auto& counts = statistics.histogram.counts();
  const double width = statistics.histogram.width();
  std::vector<double> magnitudes(kHalf);
  for (std::int64_t i = -kHalf; i < kHalf; ++i) {
    magnitudes[static_cast<std::size_t>(i >= 0 ? i : -i - 1)] +=
        counts[static_cast<std::size_t>(i + kHalf)];
  }
  std::size_t used = magnitudes.size();
  while (used > 1 && magnitudes[used - 1] == 0) --used;
  // Uses about 2048 magnitudes, like other implementations.
  const std::size_t step = std::max<std::size_t>(1, used / 2048);
  std::vector<double> bins((used + step - 1) / step);
  for (std::size_t i = 0; i < used; ++i) bins[i / step] += magnitudes[i];
  // Ignores the peak at zero, which is always exact.
  bins[0] = std::min(bins[0], bins.size() > 1 ? bins[1] : bins[0]);
  double best = std::numeric_limits<double>::infinity();
  std::size_t best_count = bins.size();
  double total = 0;
  for (const double count : bins) total += count;
  double inside = 0;
  for (std::size_t i = 0; i < std::min(levels, bins.size()); ++i) inside += bins[i];
  for (std::size_t count = std::min(levels, bins.size()); count <= bins.size(); ++count) {
    if (count > levels) inside += bins[count - 1];
    if ((count - levels) % 8 != 0 && count != bins.size()) continue;
    const double outliers = total - inside;
    double divergence = 0;
    for (std::size_t level = 0; level < levels; ++level) {
      const std::size_t begin = level * count / levels, end = (level + 1) * count / levels;
      double sum = 0, filled = 0;
      for (std::size_t i = begin; i < end; ++i) {
        sum += bins[i];
        filled += bins[i] > 0 ? 1 : 0;
      }
      for (std::size_t i = begin; i < end; ++i) {
        const double p = bins[i] + (i + 1 == count ? outliers : 0);
        if (p <= 0) continue;
        const double q = std::max(filled > 0 ? sum / filled : 0, 1e-9);
        divergence += p / total * std::log(p / q * (inside / total));
      }
    }
    if (divergence < best) {
      best = divergence;
      best_count = count;
    }
  }
  return static_cast<double>(best_count * step) * width;
}

Range FindMse(const TensorStatistics& statistics, const RangeSettings& settings) {
  const RangeCost cost(statistics);
  const Range widest = WithZero(statistics.min, statistics.max, settings.is_symmetric);
  Range best = widest;
  double least = cost.MeanSquaredError(widest, settings.bits);
  // Narrows the range in steps of 3 %, both sides together and each alone, until nothing improves.
  const auto attempt = [&](const Range& range) {
    const double error = cost.MeanSquaredError(range, settings.bits);
    if (error >= least) return false;
    least = error;
    best = range;
    return true;
  };
  double factor = 1;
  for (int i = 0; i < 200; ++i) {
    factor *= 0.97;
    attempt({widest.low * factor, widest.high * factor});
    if (settings.is_symmetric) continue;
    attempt({widest.low, widest.high * factor});
    attempt({widest.low * factor, widest.high});
  }
  if (settings.is_symmetric) return best;
  for (int round = 0; round < 60; ++round) {
    const Range now = best;
    bool is_better = false;
    for (const double by : {0.9, 0.97, 0.99, 1.01, 1.03, 1.1}) {
      is_better |= attempt({now.low, std::min(now.high * by, widest.high)});
      is_better |= attempt({std::max(now.low * by, widest.low), now.high});
    }
    if (!is_better) break;
  }
  return best;
}

}  // namespace

RangeCost::RangeCost(const TensorStatistics& statistics) {
  const auto& counts = statistics.histogram.counts();
  width_ = statistics.histogram.width();
  below_.resize(counts.size() + 1);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double center = CenterOf(static_cast<std::int64_t>(i) - kHalf, width_);
    below_[i + 1] = {below_[i].count + counts[i], below_[i].first + counts[i] * center,
                     below_[i].second + counts[i] * center * center};
  }
  count_ = below_.back().count;
  power_ = below_.back().second;
}

RangeCost::Sums RangeCost::Below(double limit) const {
  const double place = std::clamp(limit / width_ + static_cast<double>(kHalf), 0.0,
                                  static_cast<double>(below_.size() - 1));
  const auto bin = static_cast<std::size_t>(place);
  if (bin + 1 >= below_.size()) return below_.back();
  const double part = place - static_cast<double>(bin);
  const Sums &from = below_[bin], &to = below_[bin + 1];
  return {from.count + part * (to.count - from.count), from.first + part * (to.first - from.first),
          from.second + part * (to.second - from.second)};
}

double RangeCost::MeanSquaredError(const Range& range, int bits) const {
  if (count_ == 0) return 0;
  const double step = (range.high - range.low) / ((1 << bits) - 1);
  const Sums low = Below(range.low), high = Below(range.high);
  const Sums& all = below_.back();
  const auto clipped = [](const Sums& sums, double limit) {
    return std::max(0.0, sums.second - 2 * limit * sums.first + limit * limit * sums.count);
  };
  double error = clipped(low, range.low);
  error += clipped({all.count - high.count, all.first - high.first, all.second - high.second},
                   range.high);
  // Values within half a step of zero become zero; the error of others is step / sqrt(12).
  const Sums below_zero = Below(std::max(range.low, -step / 2)),
             above_zero = Below(std::min(range.high, step / 2));
  const double near_count = std::max(0.0, above_zero.count - below_zero.count);
  error +=
      std::min(std::max(0.0, above_zero.second - below_zero.second), near_count * step * step / 12);
  error += std::max(0.0, high.count - low.count - near_count) * step * step / 12;
  return error / count_;
}

double RangeCost::SqnrDb(const Range& range, int bits) const {
  const double error = MeanSquaredError(range, bits) * count_;
  if (error <= 0 || power_ <= 0) return 200;
  return 10 * std::log10(power_ / error);
}

double RangeCost::ClipRate(const Range& range) const {
  if (count_ == 0) return 0;
  return (Below(range.low).count + count_ - Below(range.high).count) / count_;
}

Range FindRange(const TensorStatistics& statistics, RangeMethod method,
                const RangeSettings& settings) {
  const Range widest = WithZero(statistics.min, statistics.max, settings.is_symmetric);
  if (statistics.histogram.empty() || widest.low == widest.high) return widest;
  switch (method) {
    case RangeMethod::kMinMax:
      return widest;
    case RangeMethod::kPercentile: {
      const Range range = FindPercentile(statistics, settings.percentile);
      return WithZero(range.low, range.high, settings.is_symmetric);
    }
    case RangeMethod::kEntropy: {
      const double limit = FindEntropyLimit(statistics, std::size_t{1} << (settings.bits - 1));
      return WithZero(std::max(statistics.min, -limit), std::min(statistics.max, limit),
                      settings.is_symmetric);
    }
    case RangeMethod::kAuto:
    case RangeMethod::kMse:
      return FindMse(statistics, settings);
  }
  return widest;
}

}  // namespace cboard::quantize
