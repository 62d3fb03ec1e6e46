// Removes points that a restart replaces.
//
// A training that restarts from a checkpoint logs the steps since the checkpoint again. By
// TensorBoard's rules, every START of a run except the first invalidates all earlier points of the
// run with the same or a larger step. In files older than "brain.Event:2", a decreasing step does
// the same for its tag.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "reader/index/file_index.h"

namespace cboard::reader {

inline constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

// The restarts in the files of a run, prepared once for all of its tags.
class RestartTable {
 public:
  // Borrows `files`, which are in the order of time. If `purge` is false, restarts are ignored.
  RestartTable(std::span<const std::shared_ptr<const FileView>> files, bool purge);

  bool empty() const { return empty_; }

  // A range: points `first` up to `end` of a series remain if their step is below `bound`
  // (kNoBound: all).
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::int64_t bound = kNoBound;
  };

  // The remaining ranges of the `size` points of series `series` in file `file`, the last range
  // first. `later` is the bound from restarts in later files; restarts in this file lower it.
  std::vector<Range> RangesOf(std::size_t file, std::uint32_t series, std::uint64_t size,
                              std::int64_t& later) const;

 private:
  std::span<const std::shared_ptr<const FileView>> files_;
  std::vector<std::vector<const Restart*>> restarts_;  // By file, without the first START event.
  // For each file, the smallest step of a START in the files after it.
  std::vector<std::int64_t> later_sessions_;
  bool empty_ = true;
};

}  // namespace cboard::reader
