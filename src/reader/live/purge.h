// Removes points that a restart replaces.
//
// A training that restarts from a checkpoint logs the steps since then once more. By TensorBoard's
// rules the second START of a run, and every later one, makes void all earlier points of the run
// with the same step or a later one; in files older than "brain.Event:2" a step that goes back does
// the same to its tag.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "reader/index/file_index.h"

namespace cboard::reader {

inline constexpr std::int64_t kNoBound = std::numeric_limits<std::int64_t>::max();

// The restarts of the files of a run, prepared once for all of its tags.
class RestartTable {
 public:
  // Borrows `files`, which are in the order of time. With `purge` false there are no restarts.
  RestartTable(std::span<const std::shared_ptr<const FileView>> files, bool purge);

  bool empty() const { return empty_; }

  // Points `first` up to `end` of a series stay if their step is below `bound` (kNoBound: all).
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::int64_t bound = kNoBound;
  };

  // The ranges of the `size` points of series `series` in file `file` that remain, the last one
  // first. `later` is the bound from this tag's restarts in later files; restarts in this file
  // lower it.
  std::vector<Range> RangesOf(std::size_t file, std::uint32_t series, std::uint64_t size,
                              std::int64_t& later) const;

 private:
  std::span<const std::shared_ptr<const FileView>> files_;
  std::vector<std::vector<const Restart*>> restarts_;  // By file, without the first START event.
  std::vector<std::int64_t> later_sessions_;  // The smallest START in the files after each.
  bool empty_ = true;
};

}  // namespace cboard::reader
