#include "tensor/histogram/tensorboard_bins.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace cboard::tensor {
namespace {

// Maximum value of a counter; counters are emptied before they can overflow.
template <typename Count>
constexpr std::size_t kMaxPending = std::numeric_limits<Count>::max() / 2;

template <typename Real>
constexpr std::size_t kCells = std::remove_cvref_t<decltype(CellsOf(Real{}))>::kCount;

// Number of counters that are checked together. The values of a tensor have few exponents, so most
// groups of cells are empty.
constexpr std::size_t kGroup = 32;

// Prefetches the next block of a tensor while the current one is counted. Blocks are summed before
// they are counted, and the sum would wait for memory. It is only a hint and may point beyond the
// tensor.
void PrefetchNextBlock(const void* values) {
  // The block size in which ForEachBlock divides arrays of float32.
  constexpr std::uintptr_t kBlockBytes = 16384;
  hwy::Prefetch(
      reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(values) + kBlockBytes));
}

// Returns zero if all counters of a group are zero. Reads eight bytes at a time, because most
// groups are empty.
template <typename Count>
std::uint64_t AnyBits(const Count* counters) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kGroup; i += sizeof(any) / sizeof(Count)) {
    std::uint64_t several;
    std::memcpy(&several, counters + i, sizeof(several));
    any |= several;
  }
  return any;
}

}  // namespace

// Counters in several lanes. Neighbouring values are often equal (mostly zeros); in different lanes
// their increments do not wait for each other. Emptying the counters takes as long as counting some
// thousands of values, so few values get fewer and smaller counters.
template <typename Real>
struct TensorBoardCounter<Real>::Counters {
  // The length of a lane. It is longer than the number of cells, so that the same cell of two lanes
  // is not a multiple of 4096 bytes apart: loads would wait for stores to addresses that differ
  // only in higher bits.
  static constexpr std::size_t kLaneLength = kCells<Real> + 16;

  template <typename Count, std::size_t kLanes>
  using Lanes = std::array<std::array<Count, kLaneLength>, kLanes>;

  Lanes<std::uint16_t, 2> few{};
  Lanes<std::uint32_t, 4> many{};
};

// A pool of unused counters, all zero. Clearing counters would take longer than counting a small
// tensor. The counters of the previous tensor are reused: moving counts to bins has cleared them.
template <typename Real>
std::unique_ptr<typename TensorBoardCounter<Real>::Counters>&
TensorBoardCounter<Real>::SpareOfThread() {
  thread_local std::unique_ptr<Counters> spare;
  return spare;
}

template <typename Real>
TensorBoardCounter<Real>::TensorBoardCounter(std::size_t expected_count, TensorBoardCounts counts)
    : counts_(counts),
      few_(expected_count <= kMaxPending<std::uint16_t>),
      counters_(std::move(SpareOfThread())) {
  if (!counters_) counters_ = std::make_unique<Counters>();
}

template <typename Real>
TensorBoardCounter<Real>::~TensorBoardCounter() {
  if (pending_ == 0) SpareOfThread() = std::move(counters_);
}

template <typename Real>
void TensorBoardCounter<Real>::Add(std::span<const Real> values) {
  few_ ? AddTo(counters_->few, values) : AddTo(counters_->many, values);
}

template <typename Real>
void TensorBoardCounter<Real>::Finish() {
  few_ ? Collect(counters_->few) : Collect(counters_->many);
}

template <typename Real>
template <typename Lanes>
void TensorBoardCounter<Real>::AddTo(Lanes& lanes, std::span<const Real> values) {
  constexpr std::size_t kMaxPendingValues = kMaxPending<typename Lanes::value_type::value_type>;
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), kMaxPendingValues - pending_));
    values = values.subspan(part.size());
    CountCells(lanes, part);
    pending_ += part.size();
    if (pending_ == kMaxPendingValues) Collect(lanes);
  }
}

template <typename Real>
template <typename Lanes>
void TensorBoardCounter<Real>::CountCells(Lanes& lanes, std::span<const Real> values) {
  const auto& cells = CellsOf(Real{});
  // Computes all cells of a step before the first is counted, because the compiler does not know
  // that counters and carries do not overlap.
  constexpr std::size_t kStep = 8;
  std::size_t i = 0;
  for (; i + kStep <= values.size(); i += kStep) {
    PrefetchNextBlock(&values[i]);
    std::array<std::size_t, kStep> cell;
    for (std::size_t j = 0; j < kStep; ++j) cell[j] = cells.CellOf(values[i + j]);
    for (std::size_t j = 0; j < kStep; ++j) ++lanes[j % lanes.size()][cell[j]];
  }
  for (; i < values.size(); ++i) ++lanes[0][cells.CellOf(values[i])];
}

template <typename Real>
template <typename Lanes>
void TensorBoardCounter<Real>::Collect(Lanes& lanes) {
  const auto& bin = CellsOf(Real{}).bin;
  static_assert(kCells<Real> % kGroup == 0);
  for (std::size_t first = 0; first < kCells<Real>; first += kGroup) {
    std::uint64_t any = 0;
    for (const auto& lane : lanes) any |= AnyBits(lane.data() + first);
    if (any == 0) continue;
    std::array<std::uint64_t, kGroup> sums{};
    for (auto& lane : lanes) {
      for (std::size_t i = 0; i < kGroup; ++i) {
        sums[i] += std::exchange(lane[first + i], std::uint16_t{0});
      }
    }
    for (std::size_t i = 0; i < kGroup; ++i) {
      if (bin[first + i] != kOutsideBins) counts_[bin[first + i]] += sums[i];
    }
  }
  pending_ = 0;
}

template class TensorBoardCounter<float>;
template class TensorBoardCounter<double>;

void AddToTensorBoardBin(double value, std::uint64_t count, TensorBoardCounts counts) {
  const DoubleCells& cells = CellsOf(double{});
  const std::size_t bin = cells.bin[cells.CellOf(value)];
  if (bin != kOutsideBins) counts[bin] += count;
}

}  // namespace cboard::tensor
