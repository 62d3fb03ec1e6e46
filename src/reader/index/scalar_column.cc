#include "reader/index/scalar_column.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <vector>

#include "cboard/base/check.h"

namespace cboard::reader {
namespace {

constexpr std::size_t kMinBlockPoints = 8;
constexpr std::size_t kMaxBlockPoints = 1024;

// The base of a block is below its first step and wall time by these distances, so that later
// points may have lower values. Steps may decrease as far as they may increase; wall times decrease
// only by small corrections.
constexpr std::uint64_t kStepsBack = std::uint64_t{1} << 31;
constexpr std::uint64_t kWallBack = std::uint64_t{1} << 28;

constexpr bool FitsIn32Bits(std::uint64_t distance) { return distance >> 32 == 0; }

bool IsFloat(double value) {
  return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<float>(value))) ==
         std::bit_cast<std::uint64_t>(value);
}

std::uint64_t Bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

PointLayout ScalarColumn::LayoutWith(std::uint64_t step, std::uint64_t wall, double value) {
  PointLayout layout = open_.layout;
  if (layout.step_bytes == 0) {
    if (open_count_ == 1) {  // The distance of two steps defines the spacing.
      open_.stride = step - open_.step_base;
      next_step_ = step;
    } else if (step != next_step_) {
      layout.step_bytes = FitsAsDistances(step) ? 4 : 8;
    }
  } else if (layout.step_bytes == 4 && !FitsIn32Bits(step - open_.step_base)) {
    layout.step_bytes = 8;
  }
  if (layout.wall_bytes == 4 && !FitsIn32Bits(wall - open_.wall_base)) layout.wall_bytes = 8;
  if (layout.value_bytes == 4 && !IsFloat(value)) layout.value_bytes = 8;
  return layout;
}

// True if evenly spaced steps and one further step can be stored as 32-bit distances from the first
// step.
bool ScalarColumn::FitsAsDistances(std::uint64_t step) const {
  const auto stride = static_cast<std::int64_t>(open_.stride);
  constexpr std::int64_t kMaxStride = static_cast<std::int64_t>(kStepsBack / kMaxBlockPoints) - 1;
  return stride >= -kMaxStride && stride <= kMaxStride &&
         FitsIn32Bits(step - (open_.step_base - kStepsBack));
}

void ScalarColumn::Append(std::int64_t step, double wall_time_seconds, double value,
                          std::size_t expected_more) {
  const auto step_bits = static_cast<std::uint64_t>(step);
  const std::uint64_t wall = Bits(wall_time_seconds);
  PointLayout next_layout;
  if (open_count_ == open_.capacity) {
    if (open_count_ > 0) {
      next_layout = LayoutOfSecondHalf();
      Close();
    }
    Open(next_layout, step_bits, wall, expected_more);
  }
  const PointLayout layout = LayoutWith(step_bits, wall, value);
  if (layout != open_.layout && !ChangeLayout(layout)) {
    next_layout = layout;
    // Chooses the width of wall times again, because the wall time may be near the base of the new
    // block.
    next_layout.wall_bytes = LayoutOfSecondHalf().wall_bytes;
    Close();
    Open(next_layout, step_bits, wall, expected_more);
  }
  StoreWide(step_bits, wall, value);
}

void ScalarColumn::StoreWide(std::uint64_t step, std::uint64_t wall, double value) {
  const PointLayout layout = open_.layout;
  if (layout.step_bytes == 0) next_step_ = step + open_.stride;
  if (layout.step_bytes == 4) Store(steps_, static_cast<std::uint32_t>(step - open_.step_base));
  if (layout.step_bytes == 8) Store(steps_, step);
  if (layout.wall_bytes == 4) Store(walls_, static_cast<std::uint32_t>(wall - open_.wall_base));
  if (layout.wall_bytes == 8) Store(walls_, wall);
  if (layout.value_bytes == 4) Store(values_, static_cast<float>(value));
  if (layout.value_bytes == 8) Store(values_, value);
  ++open_count_;
}

void ScalarColumn::Open(PointLayout layout, std::uint64_t step, std::uint64_t wall,
                        std::size_t expected_more) {
  const auto points = static_cast<std::size_t>(closed_points_);
  const std::size_t wanted = expected_more > 0 ? expected_more + expected_more / 32 + 1 : points;
  const std::size_t regular =
      std::clamp(std::max(wanted, points / 16), kMinBlockPoints, kMaxBlockPoints);
  // A block with wider points contains fewer of them. All blocks thus have the same size and leave
  // no gaps.
  area_bytes_ = regular * PointLayout{}.point_bytes();
  const std::size_t capacity = area_bytes_ / layout.point_bytes();
  open_header_ = arena_->Allocate(sizeof(ColumnBlock) + area_bytes_);
  const std::uint64_t stride = open_.stride;
  open_ = {.first_index = closed_points_,
           .step_base = layout.step_bytes == 4 ? step - kStepsBack : step,
           .stride = stride,  // The spacing is probably that of the previous block.
           .wall_base = wall - kWallBack,
           .capacity = static_cast<std::uint32_t>(capacity),
           .layout = layout};
  next_step_ = step;
  open_count_ = 0;
  seen_ = false;
  PointArrays(open_header_ + sizeof(ColumnBlock));
}

void ScalarColumn::PointArrays(std::byte* data) {
  open_.data = data;
  walls_ = data;
  values_ = data + open_.values_at();
  steps_ = open_.layout.step_bytes == 0 ? nullptr : data + open_.steps_at();
  const bool narrow =
      open_.layout.step_bytes <= 4 && open_.layout.wall_bytes == 4 && open_.layout.value_bytes == 4;
  quick_capacity_ = narrow ? open_.capacity : 0;
}

void ScalarColumn::Close() {
  closed_.Append(new (open_header_) ColumnBlock(open_), *arena_);
  closed_points_ += open_count_;
  open_count_ = 0;
  open_.capacity = 0;
  quick_capacity_ = 0;
}

// Changes the layout of the open block, if the block then still has space for a point.
bool ScalarColumn::ChangeLayout(PointLayout layout) {
  const std::size_t capacity = area_bytes_ / layout.point_bytes();
  if (open_count_ >= capacity) return false;

  const std::size_t count = open_count_;
  std::int64_t steps[kMaxBlockPoints];
  double walls[kMaxBlockPoints];
  double values[kMaxBlockPoints];
  open_.Read(0, count, steps, walls, values);
  if (seen_) {  // Existing views continue to read the old arrays.
    open_header_ = arena_->Allocate(sizeof(ColumnBlock) + area_bytes_);
    seen_ = false;
  }
  if (open_.layout.step_bytes == 0 && layout.step_bytes == 4) open_.step_base -= kStepsBack;
  open_.layout = layout;
  open_.capacity = static_cast<std::uint32_t>(capacity);
  PointArrays(open_header_ + sizeof(ColumnBlock));
  const std::uint64_t next_step = next_step_;
  open_count_ = 0;
  for (std::size_t i = 0; i < count; ++i) {
    StoreWide(static_cast<std::uint64_t>(steps[i]), Bits(walls[i]), values[i]);
  }
  next_step_ = next_step;
  return true;
}

// Returns the layout that the newer half of a full block needs. The next block starts with it, so
// that one irregular point makes only one block wide.
PointLayout ScalarColumn::LayoutOfSecondHalf() const {
  PointLayout layout = open_.layout;
  if (layout == PointLayout{}) return layout;
  std::int64_t steps[kMaxBlockPoints];
  double walls[kMaxBlockPoints];
  double values[kMaxBlockPoints];
  const std::size_t count = open_count_ - open_count_ / 2;
  open_.Read(open_count_ / 2, count, steps, walls, values);

  const auto step = [&](std::size_t i) { return static_cast<std::uint64_t>(steps[i]); };
  bool even = true, near_steps = true, near_walls = true, floats = true;
  for (std::size_t i = 0; i < count; ++i) {
    even = even && (i < 2 || step(i) - step(i - 1) == step(1) - step(0));
    near_steps = near_steps && FitsIn32Bits(step(i) - (step(0) - kStepsBack));
    near_walls = near_walls && FitsIn32Bits(2 * (Bits(walls[i]) - Bits(walls[0])));
    floats = floats && IsFloat(values[i]);
  }
  layout.step_bytes = even ? 0 : near_steps ? 4 : 8;
  layout.wall_bytes = near_walls ? 4 : 8;
  layout.value_bytes = floats ? 4 : 8;
  return layout;
}

void ScalarColumn::Adopt(const ScalarColumnView& stored) {
  CBOARD_CHECK(size() == 0 && stored.first_ == 0);
  closed_.Reserve(stored.closed_count_ + 1, *arena_);
  for (std::size_t i = 0; i < stored.closed_count_; ++i) {
    closed_.Append(stored.closed_[i], *arena_);
  }
  if (stored.open_.first_index < stored.size_) {
    closed_.Append(new (arena_->Allocate(sizeof(ColumnBlock))) ColumnBlock(stored.open_), *arena_);
  }
  closed_points_ = stored.size_;
}

ScalarColumnView ScalarColumn::View(const std::shared_ptr<const Arena>& owner) const {
  seen_ = true;
  ScalarColumnView view;
  view.owner_ = owner;
  view.closed_ = closed_.data();
  view.closed_count_ = closed_.size();
  view.open_ = open_;
  if (open_count_ == 0) view.open_.first_index = closed_points_;
  view.size_ = size();
  return view;
}

}  // namespace cboard::reader
