#include "reader/live/purge.h"

#include <algorithm>
#include <ranges>

namespace cboard::reader {

RestartTable::RestartTable(std::span<const std::shared_ptr<const FileView>> files, bool purge)
    : files_(files), restarts_(files.size()), later_sessions_(files.size(), kNoBound) {
  if (!purge) return;
  bool has_started = false;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const Restart& restart : files[i]->restarts) {
      if (restart.is_session_start && !has_started) {
        has_started = true;  // The first START begins the run; it is not a restart.
        continue;
      }
      restarts_[i].push_back(&restart);
      empty_ = false;
    }
  }
  std::int64_t bound = kNoBound;
  for (std::size_t i = files.size(); i-- > 0;) {
    later_sessions_[i] = bound;
    for (const Restart* restart : restarts_[i]) {
      if (restart->is_session_start) bound = std::min(bound, restart->step);
    }
  }
}

std::vector<RestartTable::Range> RestartTable::RangesOf(std::size_t file, std::uint32_t series,
                                                        std::uint64_t size,
                                                        std::int64_t& later) const {
  std::vector<Range> ranges;
  std::int64_t bound = std::min(later, later_sessions_[file]);
  std::uint64_t end = size;
  for (const Restart* restart : std::views::reverse(restarts_[file])) {
    if (!restart->is_session_start && restart->series != series) continue;
    const std::uint64_t before =
        series < restart->counts.size() ? std::min(restart->counts[series], end) : 0;
    if (before < end) ranges.push_back({before, end, bound});
    end = before;
    bound = std::min(bound, restart->step);
    if (!restart->is_session_start) later = std::min(later, restart->step);
  }
  if (end > 0) ranges.push_back({0, end, bound});
  return ranges;
}

}  // namespace cboard::reader
