// The tags of one part of an event file, and their columns.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/reader/snapshot.h"
#include "reader/index/arena.h"
#include "reader/index/blob_column.h"
#include "reader/index/name_table.h"
#include "reader/index/scalar_column.h"

namespace cboard::reader {

// One tag. Depending on its kind, only one of `scalars` and `blobs` is used.
struct Series {
  Series(std::shared_ptr<const TagInfo> tag, Arena& scalar_arena, Arena& blob_arena)
      : scalars(scalar_arena), blobs(blob_arena), info(std::move(tag)) {}

  std::size_t size() const { return scalars.size() + blobs.size(); }

  // Updates the members that every added point changes.
  void RecordStep(std::int64_t step) {
    if (step > max_step) {  // True for nearly all points.
      last_step = max_step = step;
    } else {
      RecordStepOutOfOrder(step);
    }
  }

  ScalarColumn scalars;
  // The largest step. Before the first point, it is the maximum of the type.
  std::int64_t max_step = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_step = 0;
  std::int64_t min_step = 0;
  std::int64_t first_step = 0;
  bool has_steps = false;
  bool steps_ascend = true;
  std::uint32_t mismatched_count = 0;
  std::uint32_t follower = 0;  // The number of the series that was looked up after this one.
  BlobColumn blobs;
  std::shared_ptr<const TagInfo> info;

 private:
  void RecordStepOutOfOrder(std::int64_t step);
};

// The series of one part. Not thread-safe.
class SeriesTable {
 public:
  SeriesTable() : SeriesTable(std::make_shared<Arena>()) {}
  explicit SeriesTable(std::shared_ptr<Arena> scalar_arena)
      : scalar_arena_(std::move(scalar_arena)) {}

  // Returns the number of the series of the tag `name`, or -1. It is fastest if tags come in the
  // same order as before, which is usual: training loops log their tags in a fixed order.
  std::int64_t Find(std::string_view name);

  // Prefetches the series that comes next if the tags have the same order as before.
  void PrefetchNext() const {
    if (next_ >= series_.size()) return;
    const Series& series = series_[next_];
    __builtin_prefetch(&series.max_step, 1);
    __builtin_prefetch(series.info.get());
    series.blobs.PrefetchRoom();
  }

  // Adds a series and returns its number. The table must not contain its tag.
  std::uint32_t Add(std::shared_ptr<const TagInfo> info);

  std::size_t size() const { return series_.size(); }
  Series& operator[](std::size_t number) { return series_[number]; }
  const Series& operator[](std::size_t number) const { return series_[number]; }

  const std::shared_ptr<Arena>& scalar_arena() const { return scalar_arena_; }
  const std::shared_ptr<Arena>& blob_arena() const { return blob_arena_; }

 private:
  std::shared_ptr<Arena> scalar_arena_;
  std::shared_ptr<Arena> blob_arena_ = std::make_shared<Arena>();
  std::vector<Series> series_;  // In the order in which they were added.
  NameTable numbers_;           // Maps the names in `series_` to numbers.
  // The series that was looked up last, and the series that followed it in the past.
  std::uint32_t last_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace cboard::reader
