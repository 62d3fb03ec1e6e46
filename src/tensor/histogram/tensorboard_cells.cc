#include "tensor/histogram/tensorboard_cells.h"

#include <cmath>
#include <limits>
#include <vector>

#include "cboard/base/check.h"
#include "cboard/tensor/histogram.h"

namespace cboard::tensor {
namespace {

constexpr std::size_t kEdges = kTensorBoardBins + 1;
constexpr std::size_t kPositiveEdges = kEdges / 2;
constexpr std::size_t kZeroBin = kPositiveEdges;  // [0, 1e-12)

// Computes the edges by repeated multiplication, as TensorBoard does. pow() would round
// differently.
std::array<double, kEdges> MakeEdges() {
  std::array<double, kEdges> edges{};
  double edge = 1e-12;
  for (std::size_t i = 0; i < kPositiveEdges; ++i, edge *= 1.1) {
    edges[kZeroBin + 1 + i] = edge;
    edges[kZeroBin - 1 - i] = -edge;
  }
  CBOARD_CHECK(edge >= 1e20);
  return edges;
}

// Returns the bits of the smallest Real that is >= edge.
template <typename Bits, typename Real>
Bits FirstFrom(double edge) {
  auto real = static_cast<Real>(edge);
  if (static_cast<double>(real) < edge) {
    real = std::nextafter(real, std::numeric_limits<Real>::infinity());
  }
  return std::bit_cast<Bits>(real);
}

// Returns the bits of the smallest Real that is > edge.
template <typename Bits, typename Real>
Bits FirstAbove(double edge) {
  auto real = static_cast<Real>(edge);
  if (static_cast<double>(real) <= edge) {
    real = std::nextafter(real, std::numeric_limits<Real>::infinity());
  }
  return std::bit_cast<Bits>(real);
}

// The start of a bin, as the bit pattern of a floating-point magnitude.
template <typename Bits>
struct Threshold {
  Bits magnitude;
  std::size_t bin;
};

// Returns the magnitudes at which bins start, in ascending order. A bin includes its left edge. A
// positive edge thus belongs to the bin with larger magnitudes, and a negative edge to the bin with
// smaller magnitudes.
template <typename Bits, typename Real>
std::vector<Threshold<Bits>> Thresholds(bool negative) {
  std::vector<Threshold<Bits>> thresholds;
  // -0.0 belongs to the same bin as 0. Negative values belong to the bin before.
  if (negative) thresholds.push_back({FirstAbove<Bits, Real>(0), kZeroBin - 1});
  for (std::size_t i = 0; i < kPositiveEdges; ++i) {
    const double edge = TensorBoardBinEdges()[kZeroBin + 1 + i];
    if (i + 1 == kPositiveEdges) {  // The last bin also includes its right edge.
      thresholds.push_back({FirstAbove<Bits, Real>(edge), kOutsideBins});
    } else if (negative) {
      thresholds.push_back({FirstAbove<Bits, Real>(edge), kZeroBin - 2 - i});
    } else {
      thresholds.push_back({FirstFrom<Bits, Real>(edge), kZeroBin + 1 + i});
    }
  }
  return thresholds;
}

// Calls `visit` for all cells of one sign, smallest magnitudes first. Passes the bin at the start
// of the cell, and the offset of the edge inside the cell if there is an edge.
template <typename Bits, typename Real, typename Visitor>
void ForEachCell(bool negative, int shift, Visitor&& visit) {
  const auto thresholds = Thresholds<Bits, Real>(negative);
  auto next = thresholds.begin();
  std::size_t bin = kZeroBin;
  const std::size_t cells = std::size_t{1} << (8 * sizeof(Bits) - 1 - static_cast<unsigned>(shift));
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const bool has_edge = next != thresholds.end() && next->magnitude >> shift == cell;
    const Bits offset = has_edge ? next->magnitude & ((Bits{1} << shift) - 1) : Bits{0};
    visit(cell, static_cast<std::uint16_t>(bin), has_edge, offset);
    if (has_edge) bin = (next++)->bin;
  }
  CBOARD_CHECK(next == thresholds.end());
}

FloatCells MakeFloatCells() {
  FloatCells cells;
  for (const bool negative : {false, true}) {
    const std::size_t base = negative ? FloatCells::kCount / 2 : 0;
    ForEachCell<std::uint32_t, float>(
        negative, FloatCells::kShift,
        [&](std::size_t cell, std::uint16_t bin, bool has_edge, std::uint32_t offset) {
          cells.bin[base + cell] = bin;
          if (has_edge) cells.carry[base + cell] = (1u << FloatCells::kShift) - offset;
        });
  }
  return cells;
}

DoubleCells MakeDoubleCells() {
  DoubleCells cells;
  std::size_t used = 0;
  for (const bool negative : {false, true}) {
    const std::size_t base = negative ? cells.merged.size() / 2 : 0;
    bool can_merge = false;  // True if the previous cell has the same sign and no edge.
    ForEachCell<std::uint64_t, double>(
        negative, DoubleCells::kShift,
        [&](std::size_t cell, std::uint16_t bin, bool has_edge, std::uint64_t offset) {
          // A cell that contains an edge is not merged with its neighbours, because it needs its
          // own entry in `carry`.
          if (!can_merge || has_edge) {
            CBOARD_CHECK(used < DoubleCells::kCount);
            cells.bin[used++] = bin;
          }
          cells.merged[base + cell] = static_cast<std::uint16_t>(used - 1);
          can_merge = !has_edge;
          if (!has_edge) return;
          CBOARD_CHECK(offset != 0);  // For offset 0 the carry would be 2^64.
          cells.carry[used - 1] = ~(offset << (64 - DoubleCells::kShift)) + 1;
        });
  }
  return cells;
}

}  // namespace

std::span<const double> TensorBoardBinEdges() {
  static const std::array<double, kEdges> edges = MakeEdges();
  return edges;
}

const FloatCells& CellsOf(float) {
  static const FloatCells cells = MakeFloatCells();
  return cells;
}

const DoubleCells& CellsOf(double) {
  static const DoubleCells cells = MakeDoubleCells();
  return cells;
}

}  // namespace cboard::tensor
