#include "reader/query/extreme_sampler.h"

#include <algorithm>
#include <cmath>

namespace cboard::reader {

void ExtremeSampler::Add(std::size_t first_index, std::span<const double> lows,
                         std::span<const double> highs) {
  if (lows.empty()) return;
  if (!first_) first_ = first_index;
  last_ = first_index + lows.size() - 1;

  const ValueRange low_range = RangeOf(lows);
  const bool same = lows.data() == highs.data();
  const ValueRange high_range = same ? low_range : RangeOf(highs);
  if (low_range.least <= low_range.greatest && (!least_ || low_range.least < min_value_)) {
    least_ = first_index + PositionOf(low_range.least, lows);
    min_value_ = low_range.least;
  }
  if (high_range.least <= high_range.greatest && (!greatest_ || high_range.greatest > max_value_)) {
    greatest_ = first_index + PositionOf(high_range.greatest, highs);
    max_value_ = high_range.greatest;
  }
  if (!low_range.all_finite) RecordNonFinite(first_index, lows);
  if (!same && !high_range.all_finite) RecordNonFinite(first_index, highs);
}

void ExtremeSampler::RecordNonFinite(std::size_t first_index, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    std::optional<std::size_t>& kind =
        std::isnan(values[i]) ? nan_ : (values[i] > 0 ? positive_ : negative_);
    kind = std::min(kind.value_or(first_index + i), first_index + i);
  }
}

std::span<const std::size_t> ExtremeSampler::EndStretch() {
  std::size_t count = 0;
  for (auto* index : {&first_, &last_, &least_, &greatest_, &nan_, &positive_, &negative_}) {
    if (*index) kept_[count++] = **index;
    index->reset();
  }
  const auto begin = kept_.begin();
  std::sort(begin, begin + static_cast<std::ptrdiff_t>(count));
  const auto end = std::unique(begin, begin + static_cast<std::ptrdiff_t>(count));
  return {kept_.data(), static_cast<std::size_t>(end - begin)};
}

}  // namespace cboard::reader
