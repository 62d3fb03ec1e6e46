// The points of one scalar tag of one file, exact, in 8 bytes each as long as they are regular.
//
// Points lie in blocks. A block stores wall times as 32-bit distances in units of the last place
// from a base, values as 32-bit floats, and steps not at all while they are evenly spaced; when
// they are not, as 32-bit distances. A value that does not fit (a distant wall time, a double that
// is no float) widens the array in question to 64 bits, for that block.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>

#include "cboard/reader/series.h"
#include "reader/index/arena.h"
#include "reader/index/block_list.h"
#include "reader/index/stored_columns.h"

namespace cboard::reader {

// Bytes per point of the three arrays of a block.
struct PointLayout {
  std::uint8_t step_bytes = 0;   // 0: evenly spaced. 4: distances from a base. 8: in full.
  std::uint8_t wall_bytes = 4;   // 4: distances from a base. 8: in full.
  std::uint8_t value_bytes = 4;  // 4: float. 8: double.

  std::size_t point_bytes() const {
    return std::size_t{step_bytes} + std::size_t{wall_bytes} + std::size_t{value_bytes};
  }
  friend bool operator==(const PointLayout&, const PointLayout&) = default;
};

struct ColumnBlock {
  std::uint64_t first_index = 0;  // In the column.
  std::uint64_t step_base = 0;    // Arithmetic on steps and wall times wraps around, as bits do.
  std::uint64_t stride = 0;
  std::uint64_t wall_base = 0;
  const std::byte* data = nullptr;  // Wall times, values, steps: `capacity` of each; any alignment.
  std::uint32_t capacity = 0;
  PointLayout layout;

  std::size_t values_at() const { return std::size_t{capacity} * layout.wall_bytes; }
  std::size_t steps_at() const {
    return std::size_t{capacity} * (layout.wall_bytes + layout.value_bytes);
  }

  // Reads `count` points from `first` on into the arrays.
  void Read(std::size_t first, std::size_t count, std::int64_t* steps, double* wall_times_seconds,
            double* values) const;

  // `count` points from `first` on, where they lie.
  StoredScalars Stored(std::size_t first, std::size_t count) const;
};

// A column as it was at one moment. Never changes, cheap to copy, readable from any thread, valid
// after the column is gone.
class ScalarColumnView {
 public:
  ScalarColumnView() = default;

  // `size` points in `count` blocks that `owner` keeps alive. `stored`, which it also keeps,
  // provides their bytes; if it is nullptr, they are already in memory.
  ScalarColumnView(std::shared_ptr<const void> owner, const ColumnBlock* const* blocks,
                   std::size_t count, std::size_t size, const StoredColumns* stored = nullptr)
      : owner_(std::move(owner)),
        stored_(stored),
        closed_(blocks),
        closed_count_(count),
        size_(size) {
    open_.first_index = size;
  }

  // All points of one block, whose arrays `owner` keeps.
  ScalarColumnView(std::shared_ptr<const void> owner, const ColumnBlock& block,
                   const StoredColumns* stored)
      : owner_(std::move(owner)), stored_(stored), open_(block), size_(block.capacity) {
    open_.first_index = 0;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ScalarPoint at(std::size_t index) const;  // `index` must be below size().

  // Reads `count` points from `first` on, which must be there, into arrays of that length.
  void Read(std::size_t first, std::size_t count, std::int64_t* steps, double* wall_times_seconds,
            double* values) const;

  // Calls `visit` with all points in order, those of a block at a time.
  void ForEachStored(const std::function<void(const StoredScalars&)>& visit) const;

  // `count` points from `first` on, which must be there.
  ScalarColumnView Slice(std::size_t first, std::size_t count) const;

 private:
  friend class ScalarColumn;
  const ColumnBlock& BlockOf(std::size_t index) const;

  // Calls visit(block, first, count) for points [begin, end) of the column, a part of each block.
  template <typename Visit>
  void ForEachPart(std::size_t begin, std::size_t end, const Visit& visit) const;

  std::shared_ptr<const void> owner_;
  const StoredColumns* stored_ = nullptr;
  const ColumnBlock* const* closed_ = nullptr;
  std::size_t closed_count_ = 0;
  ColumnBlock open_;       // A copy: the column may change its own.
  std::size_t first_ = 0;  // Where this view begins in the column.
  std::size_t size_ = 0;
};

// Grows by one thread; views of it are read by others meanwhile. Borrows the arena.
class ScalarColumn {
 public:
  explicit ScalarColumn(Arena& arena) : arena_(&arena) {}

  // Adds a point if it fits into the open block without changes; returns whether it did.
  bool TryAppend(std::int64_t step, std::uint64_t wall_bits, float value) {
    const std::uint64_t wall = wall_bits - open_.wall_base;
    if (open_count_ >= quick_capacity_ || wall > std::numeric_limits<std::uint32_t>::max()) {
      return false;
    }
    const auto step_bits = static_cast<std::uint64_t>(step);
    if (steps_ == nullptr) {
      if (step_bits != next_step_) return false;
      next_step_ += open_.stride;
    } else {
      const std::uint64_t distance = step_bits - open_.step_base;
      if (distance > std::numeric_limits<std::uint32_t>::max()) return false;
      Store(steps_, static_cast<std::uint32_t>(distance));
    }
    Store(walls_, static_cast<std::uint32_t>(wall));
    Store(values_, value);
    ++open_count_;
    return true;
  }

  // Adds any point. `expected_more` is how many points may follow, as far as anybody can tell: a
  // new block gets about that much room.
  void Append(std::int64_t step, double wall_time_seconds, double value,
              std::size_t expected_more = 0);

  // Begins with the blocks of a stored column, used in place: the arena must keep their owner
  // alive. Only before the first Append.
  void Adopt(const ScalarColumnView& stored);

  std::size_t size() const { return closed_points_ + open_count_; }

  // Calls visit(block, count) for all blocks in order.
  template <typename Visit>
  void ForEachBlock(const Visit& visit) const {
    for (std::size_t i = 0; i < closed_.size(); ++i) {
      const std::uint64_t end =
          i + 1 < closed_.size() ? closed_.data()[i + 1]->first_index : closed_points_;
      visit(*closed_.data()[i], static_cast<std::size_t>(end - closed_.data()[i]->first_index));
    }
    if (open_count_ > 0) visit(open_, open_count_);
  }

  // `owner` keeps the arena alive as long as the view. Bytes written so far are never moved
  // afterwards, so the view does not change.
  ScalarColumnView View(const std::shared_ptr<const Arena>& owner) const;

 private:
  template <typename T>
  void Store(std::byte* array, T value) {
    std::memcpy(array + open_count_ * sizeof(T), &value, sizeof(T));
  }

  PointLayout LayoutWith(std::uint64_t step, std::uint64_t wall, double value);
  PointLayout LayoutOfSecondHalf() const;
  bool FitsAsDistances(std::uint64_t step) const;
  void Open(PointLayout layout, std::uint64_t step, std::uint64_t wall, std::size_t expected_more);
  void Close();
  bool ChangeLayout(PointLayout layout);
  void PointArrays(std::byte* data);
  void StoreWide(std::uint64_t step, std::uint64_t wall, double value);

  // Members that TryAppend uses, together in memory.
  std::byte* walls_ = nullptr;
  std::byte* values_ = nullptr;
  std::byte* steps_ = nullptr;  // Null while steps are evenly spaced.
  std::size_t open_count_ = 0;
  std::size_t quick_capacity_ = 0;  // That of the block, 0 if an array of it is wide.
  std::uint64_t next_step_ = 0;
  ColumnBlock open_;

  Arena* arena_;
  BlockList<const ColumnBlock*> closed_;
  std::uint64_t closed_points_ = 0;
  std::size_t area_bytes_ = 0;        // Size of the open block's arrays.
  std::byte* open_header_ = nullptr;  // Where the open block is recorded when it is closed.
  mutable bool seen_ = false;         // Whether a view has the open block.
};

}  // namespace cboard::reader
