// Reads points of columns.
#include <algorithm>
#include <cstring>

#include "cboard/base/check.h"
#include "reader/index/scalar_column.h"

namespace cboard::reader {
namespace {

template <typename T>
T Load(const std::byte* array, std::size_t index) {
  T value;
  std::memcpy(&value, array + index * sizeof(T), sizeof(T));
  return value;
}

template <typename Stored, typename T, typename Convert>
void ReadArray(const std::byte* array, std::size_t first, std::size_t count, T* out,
               const Convert& convert) {
  for (std::size_t i = 0; i < count; ++i) out[i] = convert(Load<Stored>(array, first + i));
}

}  // namespace

void ColumnBlock::Read(std::size_t first, std::size_t count, std::int64_t* steps,
                       double* wall_times_seconds, double* out_values) const {
  if (layout.step_bytes == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      steps[i] = static_cast<std::int64_t>(step_base + (first + i) * stride);
    }
  } else if (layout.step_bytes == 4) {
    ReadArray<std::uint32_t>(data + steps_at(), first, count, steps, [&](std::uint32_t distance) {
      return static_cast<std::int64_t>(step_base + distance);
    });
  } else {
    ReadArray<std::int64_t>(data + steps_at(), first, count, steps,
                            [](std::int64_t step) { return step; });
  }
  if (layout.wall_bytes == 4) {
    ReadArray<std::uint32_t>(data, first, count, wall_times_seconds, [&](std::uint32_t distance) {
      return std::bit_cast<double>(wall_base + distance);
    });
  } else {
    ReadArray<double>(data, first, count, wall_times_seconds, [](double wall) { return wall; });
  }
  if (layout.value_bytes == 4) {
    ReadArray<float>(data + values_at(), first, count, out_values,
                     [](float value) { return static_cast<double>(value); });
  } else {
    ReadArray<double>(data + values_at(), first, count, out_values,
                      [](double value) { return value; });
  }
}

StoredScalars ColumnBlock::Stored(std::size_t first, std::size_t count) const {
  return {.count = count,
          .step_bytes = layout.step_bytes,
          .wall_time_bytes = layout.wall_bytes,
          .value_bytes = layout.value_bytes,
          .step_base = layout.step_bytes == 0 ? step_base + first * stride : step_base,
          .stride = stride,
          .wall_time_base = wall_base,
          .steps = data + steps_at() + first * layout.step_bytes,
          .wall_times_seconds = data + first * layout.wall_bytes,
          .values = data + values_at() + first * layout.value_bytes};
}

// Returns the block of a point. `index` is the index of the point in the column, not in the view.
const ColumnBlock& ScalarColumnView::BlockOf(std::size_t index) const {
  if (index >= open_.first_index) return open_;
  const auto behind = [](std::size_t i, const ColumnBlock* block) {
    return i < block->first_index;
  };
  return **(std::upper_bound(closed_, closed_ + closed_count_, index, behind) - 1);
}

template <typename Visit>
void ScalarColumnView::ForEachPart(std::size_t begin, std::size_t end, const Visit& visit) const {
  if (stored_ != nullptr) stored_->Require();
  std::size_t index = begin;
  if (index < std::min<std::size_t>(end, open_.first_index)) {
    const ColumnBlock* const* block = std::upper_bound(
        closed_, closed_ + closed_count_, index,
        [](std::size_t i, const ColumnBlock* candidate) { return i < candidate->first_index; });
    for (--block; index < end && index < open_.first_index; ++block) {
      const bool is_last = block + 1 == closed_ + closed_count_;
      const std::size_t block_end = is_last ? open_.first_index : block[1]->first_index;
      const std::size_t part = std::min(end, block_end) - index;
      visit(**block, index - (*block)->first_index, part);
      index += part;
    }
  }
  if (index < end) visit(open_, index - open_.first_index, end - index);
}

void ScalarColumnView::Read(std::size_t first, std::size_t count, std::int64_t* steps,
                            double* wall_times_seconds, double* values) const {
  CBOARD_CHECK(first <= size_ && count <= size_ - first);
  ForEachPart(first_ + first, first_ + first + count,
              [&](const ColumnBlock& block, std::size_t begin, std::size_t part) {
                block.Read(begin, part, steps, wall_times_seconds, values);
                steps += part;
                wall_times_seconds += part;
                values += part;
              });
}

void ScalarColumnView::ForEachStored(const std::function<void(const StoredScalars&)>& visit) const {
  ForEachPart(first_, first_ + size_,
              [&](const ColumnBlock& block, std::size_t begin, std::size_t part) {
                visit(block.Stored(begin, part));
              });
}

ScalarPoint ScalarColumnView::at(std::size_t index) const {
  CBOARD_CHECK(index < size_);
  if (stored_ != nullptr) stored_->Require();
  const ColumnBlock& block = BlockOf(first_ + index);
  ScalarPoint point;
  block.Read(first_ + index - block.first_index, 1, &point.step, &point.wall_time_seconds,
             &point.value);
  return point;
}

ScalarColumnView ScalarColumnView::Slice(std::size_t first, std::size_t count) const {
  CBOARD_CHECK(first <= size_ && count <= size_ - first);
  ScalarColumnView slice = *this;
  slice.first_ += first;
  slice.size_ = count;
  return slice;
}

}  // namespace cboard::reader
