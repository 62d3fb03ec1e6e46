#include "tensor/tensorboard_bins.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cboard {
namespace {

constexpr std::size_t kMaxLanes = 4;
constexpr std::size_t kFewValues = 1 << 16;
constexpr std::size_t kMaxPending = std::size_t{1} << 31;

template <typename Real>
constexpr std::size_t kCells = std::remove_cvref_t<decltype(CellsOf(Real{}))>::kCount;

// Zero when all `kCount` counters are. Two at a time, since most calls look at empty ones.
template <std::size_t kCount>
std::uint64_t AnyBits(const std::uint32_t* counters) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < kCount; i += 2) {
    std::uint64_t pair;
    std::memcpy(&pair, counters + i, sizeof(pair));
    any |= pair;
  }
  return any;
}

}  // namespace

// Neighbouring values are often alike (zeros, above all). They count into different lanes, so that
// an increment need not wait for the previous one.
template <typename Real>
struct TensorBoardCounter<Real>::Counters {
  std::array<std::array<std::uint32_t, kCells<Real>>, kMaxLanes> lanes{};
};

// All-zero counters that nobody uses. Clearing them would take longer than counting a small tensor,
// so those of the previous tensor are used again: moving counts to bins has cleared them.
template <typename Real>
std::unique_ptr<typename TensorBoardCounter<Real>::Counters>&
TensorBoardCounter<Real>::SpareOfThread() {
  thread_local std::unique_ptr<Counters> spare;
  return spare;
}

template <typename Real>
TensorBoardCounter<Real>::TensorBoardCounter(std::size_t expected_count, TensorBoardCounts counts)
    : counts_(counts),
      lanes_(expected_count < kFewValues ? 2 : kMaxLanes),
      counters_(std::move(SpareOfThread())) {
  if (!counters_) counters_ = std::make_unique<Counters>();
}

template <typename Real>
TensorBoardCounter<Real>::~TensorBoardCounter() {
  if (pending_ == 0) SpareOfThread() = std::move(counters_);
}

template <typename Real>
void TensorBoardCounter<Real>::Add(std::span<const Real> values) {
  while (!values.empty()) {
    const auto part = values.first(std::min(values.size(), kMaxPending - pending_));
    values = values.subspan(part.size());
    lanes_ == 2 ? CountCells<2>(part) : CountCells<kMaxLanes>(part);
    pending_ += part.size();
    if (pending_ == kMaxPending) Finish();
  }
}

template <typename Real>
template <std::size_t kLanes>
void TensorBoardCounter<Real>::CountCells(std::span<const Real> values) {
  const auto& cells = CellsOf(Real{});
  auto& lanes = counters_->lanes;
  // All cells of a step are known before the first is counted: the compiler cannot tell that
  // counters and carries do not overlap.
  constexpr std::size_t kStep = 8;
  std::size_t i = 0;
  for (; i + kStep <= values.size(); i += kStep) {
    std::array<std::size_t, kStep> cell;
    for (std::size_t j = 0; j < kStep; ++j) cell[j] = cells.CellOf(values[i + j]);
    for (std::size_t j = 0; j < kStep; ++j) ++lanes[j % kLanes][cell[j]];
  }
  for (; i < values.size(); ++i) ++lanes[0][cells.CellOf(values[i])];
}

template <typename Real>
void TensorBoardCounter<Real>::Finish() {
  const auto& bin = CellsOf(Real{}).bin;
  // The values of a tensor share few exponents, so most groups of cells are empty.
  constexpr std::size_t kGroup = 16;
  static_assert(kCells<Real> % kGroup == 0);
  for (std::size_t first = 0; first < kCells<Real>; first += kGroup) {
    std::uint64_t any = 0;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      any |= AnyBits<kGroup>(counters_->lanes[lane].data() + first);
    }
    if (any == 0) continue;
    std::array<std::uint64_t, kGroup> sums{};
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      std::uint32_t* cells = counters_->lanes[lane].data() + first;
      for (std::size_t i = 0; i < kGroup; ++i) sums[i] += std::exchange(cells[i], 0);
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

}  // namespace cboard
