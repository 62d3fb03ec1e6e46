#include "reader/index/series_table.h"

#include <algorithm>
#include <utility>

#include "cboard/base/check.h"

namespace cboard::reader {

void Series::RecordStepOutOfOrder(std::int64_t step) {
  if (!has_steps) {
    has_steps = true;
    first_step = last_step = min_step = max_step = step;
    return;
  }
  steps_ascend = steps_ascend && step >= last_step;
  min_step = std::min(min_step, step);
  last_step = step;
}

std::int64_t SeriesTable::Find(std::string_view name) {
  std::uint32_t found = next_;
  if (found >= series_.size() || series_[found].info->name != name) {
    const std::int64_t number =
        numbers_.Find(name, [this](std::int64_t candidate) -> std::string_view {
          return series_[static_cast<std::size_t>(candidate)].info->name;
        });
    if (number < 0) return number;
    found = static_cast<std::uint32_t>(number);
  }
  series_[last_].follower = found;
  last_ = found;
  next_ = series_[found].follower;
  return found;
}

std::uint32_t SeriesTable::Add(std::shared_ptr<const TagInfo> info) {
  const auto number = static_cast<std::uint32_t>(series_.size());
  CBOARD_CHECK(Find(info->name) < 0);
  numbers_.Add(info->name, number);
  // Reserves space for several series. If the table grew from one series, each of the first ones
  // would be copied three times.
  if (series_.empty()) series_.reserve(8);
  series_.emplace_back(std::move(info), *scalar_arena_, *blob_arena_);
  return number;
}

}  // namespace cboard::reader
