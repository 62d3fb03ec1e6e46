// Finds TensorBoard's exponential bins without searching for them.
//
// The bits of a floating-point number are a coarse logarithm already. Its sign, exponent and first
// four mantissa bits name a cell; a cell spans less than the factor 1.1 that lies between two
// edges, so it holds at most one. Adding to the bits of a value what its cell's edge lacks to the
// next cell carries exactly the values beyond the edge over there: after that one addition, each
// cell belongs to a single bin, and counting cells counts bins.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace cboard::tensor {

inline constexpr std::size_t kTensorBoardBins = 1548;

// The bin of values that are in none.
inline constexpr std::uint16_t kOutsideBins = kTensorBoardBins;

// Floats have few enough cells, 8192, to use them all, those of NaNs included.
struct FloatCells {
  static constexpr int kShift = 19;
  static constexpr std::size_t kCount = 1 << 13;

  std::array<std::uint32_t, kCount> carry{};  // 0: no edge in this cell.
  std::array<std::uint16_t, kCount> bin{};    // After the carry.

  std::size_t CellOf(float value) const {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return (bits + carry[bits >> kShift]) >> kShift;
  }
};

// Doubles have 65536. Those without an edge are merged with their neighbours, so that few are left
// to count in.
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
    return cell + (within + carry[cell] < within ? 1 : 0);  // Compiles to add with carry.
  }
};

// Built at the first use.
const FloatCells& CellsOf(float);
const DoubleCells& CellsOf(double);

}  // namespace cboard::tensor
