#include "reader/index/pack_columns.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace cboard::reader {
namespace {

constexpr std::size_t kPointsPerRead = 1024;

// Returns the distances in `from`, of 32 bits each, plus `shift`. Writes them to `to`. Returns
// false if a result does not fit into 32 bits.
bool CopyDistances(const std::byte* from, std::size_t count, std::uint64_t shift, std::byte* to) {
  std::uint64_t high_bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t distance = 0;
    std::memcpy(&distance, from + i * sizeof distance, sizeof distance);
    const std::uint64_t shifted = distance + shift;
    high_bits |= shifted >> 32;
    distance = static_cast<std::uint32_t>(shifted);
    std::memcpy(to + i * sizeof distance, &distance, sizeof distance);
  }
  return high_bits == 0;
}

// Copies all points of `column` to `memory`, as one block. Returns a block without capacity if the
// blocks of the column differ too much. The block then needs other bytes per point.
ColumnBlock Joined(const ScalarColumnView& column, PointLayout layout, std::byte* memory) {
  ColumnBlock joined{
      .data = memory, .capacity = static_cast<std::uint32_t>(column.size()), .layout = layout};
  std::size_t done = 0;
  bool fits = true;
  column.ForEachStored([&](const StoredScalars& piece) {
    if (done == 0) {
      joined.step_base = piece.step_base;
      joined.stride = piece.stride;
      joined.wall_base = piece.wall_time_base;
    }
    fits =
        fits && layout == PointLayout{piece.step_bytes, piece.wall_time_bytes, piece.value_bytes};
    if (!fits) return;
    std::byte* const walls = memory + done * layout.wall_bytes;
    std::byte* const values = memory + joined.values_at() + done * layout.value_bytes;
    std::byte* const steps = memory + joined.steps_at() + done * layout.step_bytes;
    if (layout.wall_bytes == 4) {
      fits = CopyDistances(piece.wall_times_seconds, piece.count,
                           piece.wall_time_base - joined.wall_base, walls);
    } else {
      std::memcpy(walls, piece.wall_times_seconds, piece.count * layout.wall_bytes);
    }
    std::memcpy(values, piece.values, piece.count * layout.value_bytes);
    if (layout.step_bytes == 0) {
      fits = fits && piece.stride == joined.stride &&
             piece.step_base == joined.step_base + done * joined.stride;
    } else if (layout.step_bytes == 4) {
      fits = fits &&
             CopyDistances(piece.steps, piece.count, piece.step_base - joined.step_base, steps);
    } else {
      std::memcpy(steps, piece.steps, piece.count * layout.step_bytes);
    }
    done += piece.count;
  });
  if (!fits) joined.capacity = 0;
  return joined;
}

// Copies a column whose blocks cannot be joined.
ScalarColumnView Reappended(const ScalarColumnView& column, const std::shared_ptr<Arena>& arena) {
  std::array<std::int64_t, kPointsPerRead> steps;
  std::array<double, kPointsPerRead> walls, values;
  ScalarColumn packed(*arena);
  std::size_t left = column.size();
  while (left > 0) {
    const std::size_t count = std::min(left, kPointsPerRead);
    column.Read(column.size() - left, count, steps.data(), walls.data(), values.data());
    for (std::size_t i = 0; i < count; ++i) packed.Append(steps[i], walls[i], values[i], --left);
  }
  return packed.View(arena);
}

PointLayout LayoutOf(const ScalarColumnView& column) {
  PointLayout layout;
  bool is_first = true;
  column.ForEachStored([&](const StoredScalars& piece) {
    if (std::exchange(is_first, false)) {
      layout = {piece.step_bytes, piece.wall_time_bytes, piece.value_bytes};
    }
  });
  return layout;
}

}  // namespace

std::size_t PackColumns(std::span<ScalarColumnView> columns) {
  std::vector<PointLayout> layouts;
  layouts.reserve(columns.size());
  std::size_t bytes = 0;
  for (const ScalarColumnView& column : columns) {
    layouts.push_back(LayoutOf(column));
    bytes += column.size() * layouts.back().point_bytes();
  }
  const auto memory = std::make_shared_for_overwrite<std::byte[]>(bytes);
  std::shared_ptr<Arena> arena;
  std::byte* at = memory.get();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    ScalarColumnView& column = columns[i];
    const ColumnBlock block = Joined(column, layouts[i], at);
    at += column.size() * layouts[i].point_bytes();
    if (block.capacity == column.size()) {
      column = ScalarColumnView(memory, block, nullptr);
    } else {
      if (!arena) arena = std::make_shared<Arena>();
      column = Reappended(column, arena);
    }
  }
  return bytes + (arena ? arena->size_bytes() : 0);
}

}  // namespace cboard::reader
