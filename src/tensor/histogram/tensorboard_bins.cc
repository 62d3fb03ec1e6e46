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

// Maximum number of values before the counters are emptied, so that no counter overflows.
template <typename Count>
constexpr std::size_t kMaxPending = std::numeric_limits<Count>::max() / 2;

template <typename Real>
constexpr std::size_t kCells = std::remove_cvref_t<decltype(CellsOf(Real{}))>::kCount;

// Number of counters that are checked at once. The values of a tensor have few different exponents,
// so most of these groups of counters are zero.
constexpr std::size_t kGroup = 32;

// Prefetches the next block of a tensor while the current block is counted. Otherwise the sum of
// the next block, which is computed before it is counted, would wait for memory. A prefetch is only
// a hint; the address may be beyond the tensor.
void PrefetchNextBlock(const void* values) {
  // Size in bytes of the blocks into which ForEachBlock divides float32 arrays.
  constexpr std::uintptr_t kBlockBytes = 16384;
  hwy::Prefetch(
      reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(values) + kBlockBytes));
}

// Returns zero if all counters of a group are zero. Reads eight bytes at a time, because most
// groups are zero.
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

// The counters of all cells. Neighbouring values are often equal (mostly zeros), and increments of
// the same counter would wait for each other. Each counter therefore exists several times, once per
// lane. Emptying the counters takes as long as counting some thousands of values, so small tensors
// use fewer and smaller counters.
template <typename Real>
struct TensorBoardCounter<Real>::Counters {
  // Number of counters in a lane. It is more than the number of cells, so that the counters of a
  // cell in two lanes are not a multiple of 4096 bytes apart. Otherwise a load would wait for an
  // unrelated store, because processors first compare only the low bits of addresses.
  static constexpr std::size_t kLaneLength = kCells<Real> + 16;

  template <typename Count, std::size_t kLanes>
  using Lanes = std::array<std::array<Count, kLaneLength>, kLanes>;

  Lanes<std::uint16_t, 2> few{};
  Lanes<std::uint32_t, 4> many{};
};

// Returns the thread's unused counters, which are all zero. Small tensors reuse the counters of the
// previous tensor, because clearing new counters would take longer than counting the values. Moving
// counts to bins has set them to zero.
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
  // Computes all cells of a step before counting any of them. Otherwise the compiler would reload
  // the table after each count, because it cannot know that counters and table do not overlap.
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
