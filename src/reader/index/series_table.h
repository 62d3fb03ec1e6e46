// The tags of one part of an event file, with their columns.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "cboard/reader/snapshot.h"
#include "reader/index/arena.h"
#include "reader/index/blob_column.h"
#include "reader/index/name_table.h"
#include "reader/index/scalar_column.h"

namespace cboard::reader {

// One tag. Only one of its two columns is used, depending on the kind.
struct Series {
  Series(std::shared_ptr<const TagInfo> tag, Arena& scalar_arena, Arena& blob_arena)
      : scalars(scalar_arena), blobs(blob_arena), info(std::move(tag)) {}

  std::size_t size() const { return scalars.size() + blobs.size(); }

  // The members that are used for each added point.
  void RecordStep(std::int64_t step) {
    if (step > max_step) {  // True for nearly all points.
      last_step = max_step = step;
    } else {
      RecordStepOutOfOrder(step);
    }
  }

  ScalarColumn scalars;
  // The max value of the type until there are points.
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

// Not thread-safe.
class SeriesTable {
 public:
  // The number of the series of the tag `name`, or -1. Fastest if tags come in the same order as
  // before, because training loops log their tags in a fixed order.
  std::int64_t Find(std::string_view name);

  // Prefetches the series that is expected next if tags come in the same order as before.
  void PrefetchNext() const {
    if (next_ >= series_.size()) return;
    const Series& series = series_[next_];
    __builtin_prefetch(&series.max_step, 1);
    __builtin_prefetch(series.info.get());
    series.blobs.PrefetchRoom();
  }

  // Adds a series and returns its number; the table must not have its tag yet.
  std::uint32_t Add(std::shared_ptr<const TagInfo> info);

  std::size_t size() const { return series_.size(); }
  Series& operator[](std::size_t number) { return series_[number]; }
  const Series& operator[](std::size_t number) const { return series_[number]; }

  const std::shared_ptr<Arena>& scalar_arena() const { return scalar_arena_; }
  const std::shared_ptr<Arena>& blob_arena() const { return blob_arena_; }

 private:
  std::shared_ptr<Arena> scalar_arena_ = std::make_shared<Arena>();
  std::shared_ptr<Arena> blob_arena_ = std::make_shared<Arena>();
  std::vector<Series> series_;  // In the order in which they were added.
  NameTable numbers_;           // Maps the names in `series_` to numbers.
  // The last looked-up series, and the series that followed it before.
  std::uint32_t last_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace cboard::reader
