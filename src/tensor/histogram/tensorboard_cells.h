// Finds the bin of a value among TensorBoard's exponential bins without a search.
//
// The bits of a floating-point number are approximately its logarithm. A cell consists of all
// values with equal sign, exponent and first four mantissa bits. The largest and the smallest value
// of a cell differ by less than a factor of 1.1, which is the distance between two edges; a cell
// therefore contains at most one edge. Each cell has a number that is added to the bits of a value.
// It is chosen so that the addition carries into the next cell exactly if the value is at or beyond
// the edge. After the addition, all values of a cell belong to a single bin, so counting cells
// counts bins.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace cboard::tensor {

inline constexpr std::size_t kTensorBoardBins = 1548;

// A special bin index for values outside all bins.
inline constexpr std::uint16_t kOutsideBins = kTensorBoardBins;

// The table of cells for floats. A cell consists of all values with equal sign, exponent and first
// four mantissa bits. There are only 8192 cells, so all are used, including those of NaNs.
struct FloatCells {
  static constexpr int kShift = 19;
  static constexpr std::size_t kCount = 1 << 13;

  std::array<std::uint32_t, kCount> carry{};  // 0: the cell contains no edge.
  std::array<std::uint16_t, kCount> bin{};    // Bin of the cell after the addition.

  std::size_t CellOf(float value) const {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits + carry[bits >> kShift]) >> kShift;
  }
};

// The table of cells for doubles. A cell consists of all values with equal sign, exponent and first
// four mantissa bits. There are 65536 cells. Neighbouring cells without an edge are merged, to have
// fewer counters.
struct DoubleCells {
  static constexpr int kShift = 48;
  static constexpr std::size_t kCount = 3520;

  std::array<std::uint16_t, 1 << 16> merged{};
  std::array<std::uint64_t, kCount> carry{};  // For bits that are shifted left by 64 - kShift.
  std::array<std::uint16_t, kCount> bin{};

  std::size_t CellOf(double value) const {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::size_t cell = merged[bits >> kShift];
    const std::uint64_t within = bits << (64 - kShift);
    // Returns the cell of the value after the cell's carry was added. This compiles to an
    // add-with-carry instruction.
    return cell + (within + carry[cell] < within ? 1 : 0);
  }
};

// Returns the table of cells, which is computed at the first call.
const FloatCells& CellsOf(float);
const DoubleCells& CellsOf(double);

}  // namespace cboard::tensor
