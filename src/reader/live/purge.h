// Removes points that a restart of the training has replaced.
//
// A training that restarts from a checkpoint logs the steps after the checkpoint again. By
// TensorBoard's rules, every START of a run except the first makes all earlier points of the run
// with the same or a larger step invalid. In files older than "brain.Event:2", a decreasing step
// does the same for the points of its tag.
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
  // Creates the table. Borrows `files`, which are in the order of time. If `purge` is false,
  // restarts are ignored.
  RestartTable(std::span<const std::shared_ptr<const FileView>> files, bool purge);

  bool empty() const { return empty_; }

  // A range of points of a series, from `first` to before `end`. Its points remain if their step is
  // below `bound`. If `bound` is kNoBound, all of them remain.
  struct Range {
    std::uint64_t first = 0;
    std::uint64_t end = 0;
    std::int64_t bound = kNoBound;
  };

  // Returns the ranges that remain of a series, the last range first. The series has the number
  // `series` in file number `file`, and `size` points. `later` is the bound from restarts in later
  // files; restarts in this file lower it.
  std::vector<Range> RangesOf(std::size_t file, std::uint32_t series, std::uint64_t size,
                              std::int64_t& later) const;

 private:
  std::span<const std::shared_ptr<const FileView>> files_;
  std::vector<std::vector<const Restart*>> restarts_;  // By file, without the first START event.
  // For each file, the smallest step of any START in later files.
  std::vector<std::int64_t> later_sessions_;
  bool empty_ = true;
};

}  // namespace cboard::reader
