// The points of one scalar tag of one file, stored without loss. A regular point takes 8 bytes.
//
// Points are stored in blocks. A block stores wall times as 32-bit distances from a base (in units
// in the last place), and values as 32-bit floats. It does not store steps that are evenly spaced;
// other steps are 32-bit distances. If an element does not fit (a distant wall time, or a double
// that is not a float), its array in this block has 64 bits per element.
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

// The number of bytes per point, in each of the three arrays of a block.
struct PointLayout {
  std::uint8_t step_bytes = 0;   // Steps. 0: evenly spaced; 4: distances from a base; 8: complete.
  std::uint8_t wall_bytes = 4;   // Wall times. 4: distances from a base; 8: complete.
  std::uint8_t value_bytes = 4;  // Values. 4: float; 8: double.

  std::size_t point_bytes() const {
    return std::size_t{step_bytes} + std::size_t{wall_bytes} + std::size_t{value_bytes};
  }
  friend bool operator==(const PointLayout&, const PointLayout&) = default;
};

struct ColumnBlock {
  std::uint64_t first_index = 0;  // The index of the block's first point in the column.
  // The base of the steps. Steps and wall times are added as unsigned integers, which wrap around.
  std::uint64_t step_base = 0;
  std::uint64_t stride = 0;
  std::uint64_t wall_base = 0;
  // The three arrays: wall times, values and steps, in this order, with `capacity` elements each.
  // They are not aligned.
  const std::byte* data = nullptr;
  std::uint32_t capacity = 0;
  PointLayout layout;

  std::size_t values_at() const { return std::size_t{capacity} * layout.wall_bytes; }
  std::size_t steps_at() const {
    return std::size_t{capacity} * (layout.wall_bytes + layout.value_bytes);
  }

  // Decodes `count` points, from `first` on, into the arrays.
  void Read(std::size_t first, std::size_t count, std::int64_t* steps, double* wall_times_seconds,
            double* values) const;

  // Returns `count` points from `first` on, without copying them.
  StoredScalars Stored(std::size_t first, std::size_t count) const;
};

// An immutable view of a column at one moment. It is cheap to copy, any thread may read it, and it
// is valid after the column is destroyed.
class ScalarColumnView {
 public:
  ScalarColumnView() = default;

  // Creates a view of `size` points in `count` blocks, which `owner` keeps alive. `stored` loads
  // the bytes of the blocks. If it is null, the bytes are already in memory.
  ScalarColumnView(std::shared_ptr<const void> owner, const ColumnBlock* const* blocks,
                   std::size_t count, std::size_t size, const StoredColumns* stored = nullptr)
      : owner_(std::move(owner)),
        stored_(stored),
        closed_(blocks),
        closed_count_(count),
        size_(size) {
    open_.first_index = size;
  }

  // Creates a view of all points of one block. `owner` keeps the arrays of the block alive.
  ScalarColumnView(std::shared_ptr<const void> owner, const ColumnBlock& block,
                   const StoredColumns* stored)
      : owner_(std::move(owner)), stored_(stored), open_(block), size_(block.capacity) {
    open_.first_index = 0;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  ScalarPoint at(std::size_t index) const;  // `index` must be below size().

  // Decodes `count` points from `first` on into arrays of this length. The view must contain these
  // points.
  void Read(std::size_t first, std::size_t count, std::int64_t* steps, double* wall_times_seconds,
            double* values) const;

  // Calls `visit` once per block, in order, with the points of the block.
  void ForEachStored(const std::function<void(const StoredScalars&)>& visit) const;

  // Returns a view of `count` points from `first` on. This view must contain them.
  ScalarColumnView Slice(std::size_t first, std::size_t count) const;

 private:
  friend class ScalarColumn;
  const ColumnBlock& BlockOf(std::size_t index) const;

  // Calls visit(block, first, count) for the points [begin, end) of the column, one block at a
  // time.
  template <typename Visit>
  void ForEachPart(std::size_t begin, std::size_t end, const Visit& visit) const;

  std::shared_ptr<const void> owner_;
  const StoredColumns* stored_ = nullptr;
  const ColumnBlock* const* closed_ = nullptr;
  std::size_t closed_count_ = 0;
  ColumnBlock open_;       // A copy of the column's last block, because the column may change it.
  std::size_t first_ = 0;  // The position of this view in the column.
  std::size_t size_ = 0;
};

// A column that one thread appends to while other threads read views of it. It borrows the arena.
class ScalarColumn {
 public:
  explicit ScalarColumn(Arena& arena) : arena_(&arena) {}

  // Adds a point if it fits into the open block without a change of the layout. Returns true if the
  // point was added.
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

  // Adds any point. `expected_more` is the estimated number of points that will follow. A new block
  // gets space for about this number.
  void Append(std::int64_t step, double wall_time_seconds, double value,
              std::size_t expected_more = 0);

  // Starts the column with the blocks of a stored column, without copying them; the arena must keep
  // their owner alive. Call it only before the first Append().
  void Adopt(const ScalarColumnView& stored);

  std::size_t size() const { return closed_points_ + open_count_; }

  // Calls visit(block, count) for each block, in order.
  template <typename Visit>
  void ForEachBlock(const Visit& visit) const {
    for (std::size_t i = 0; i < closed_.size(); ++i) {
      const std::uint64_t end =
          i + 1 < closed_.size() ? closed_.data()[i + 1]->first_index : closed_points_;
      visit(*closed_.data()[i], static_cast<std::size_t>(end - closed_.data()[i]->first_index));
    }
    if (open_count_ > 0) visit(open_, open_count_);
  }

  // Returns a view of the points so far. `owner` must keep the arena alive; the view keeps `owner`
  // alive. Written bytes never move, so the view does not change.
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

  // TryAppend() uses the members from here on. They are adjacent in memory.
  std::byte* walls_ = nullptr;
  std::byte* values_ = nullptr;
  std::byte* steps_ = nullptr;  // Null while steps are evenly spaced.
  std::size_t open_count_ = 0;
  // The number of points of the block; 0 if one of its arrays has 64-bit elements.
  std::size_t quick_capacity_ = 0;
  std::uint64_t next_step_ = 0;
  ColumnBlock open_;

  Arena* arena_;
  BlockList<const ColumnBlock*> closed_;
  std::uint64_t closed_points_ = 0;
  std::size_t area_bytes_ = 0;        // The size of the open block's arrays in bytes.
  std::byte* open_header_ = nullptr;  // The place in the list for the open block when it is closed.
  mutable bool seen_ = false;         // Whether a view contains the open block.
};

}  // namespace cboard::reader
