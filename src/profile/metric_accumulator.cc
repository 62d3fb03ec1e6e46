#include "profile/metric_accumulator.h"

#include <algorithm>
#include <cmath>

namespace cboard::profile {

void MetricAccumulator::Add(double value, double seconds) {
  if (!std::isfinite(value)) return;
  max_ = count_ == 0 ? value : std::max(max_, value);
  sum_ += value;
  integral_ += value * seconds;
  if (count_ % stride_ == 0) {
    if (kept_.size() == kMaxKept) {
      for (std::size_t i = 0; i < kMaxKept / 2; ++i) kept_[i] = kept_[2 * i];
      kept_.resize(kMaxKept / 2);
      stride_ *= 2;
    }
    // After the stride was doubled, the current value still belongs to it, because kMaxKept is
    // even.
    kept_.push_back(value);
  }
  ++count_;
}

MetricSummary MetricAccumulator::Summarize(const std::string& name) const {
  MetricSummary summary{.name = name, .sample_count = count_, .max = max_, .energy_j = {}};
  if (count_ == 0) return summary;
  summary.mean = sum_ / static_cast<double>(count_);
  std::vector<double> sorted = kept_;
  // The 95th percentile is the smallest value that at least 95 % of the values do not exceed.
  const auto rank =
      static_cast<std::size_t>(std::ceil(0.95 * static_cast<double>(sorted.size()))) - 1;
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(rank));
  summary.p95 = sorted[rank];
  if (name.ends_with("_w")) summary.energy_j = integral_;
  return summary;
}

}  // namespace cboard::profile
