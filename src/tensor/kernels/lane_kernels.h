// Channels of few weights, or whose weights lie apart: several are compared at once, each in an
// element of the vectors, so that none is added up across a vector.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cboard::tensor {

// So many channels are a group.
inline constexpr std::size_t kLaneGroup = 8;
using LaneValues = std::array<double, kLaneGroup>;

// The quantizer of each lane, with the limits beyond which it clips. Real values that went through
// none have these.
struct LaneSteps {
  LaneSteps();

  LaneValues scale, zero_point, low, high;
};

// Sums over the pairs of each lane. A NaN or an infinity on either side shows as a sum of squares
// that is not finite; the other members are undefined then. `compressed_…` are sums of code -
// zero_point.
struct LaneErrors {
  LaneValues min, max, sum, sum_squares;
  LaneValues compressed_min, compressed_max, compressed_sum, compressed_sum_squares;
  LaneValues error_squares, error_max;
  LaneValues clipped;  // How many references are beyond the limits.
};

// Processes `rows` ≥ 1 rows; element i of lane l is at i * stride + l. Reads all lanes of a group,
// and ignores unused ones.
LaneErrors ErrorsOfLanes(const float* reference, const std::int8_t* codes, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);
LaneErrors ErrorsOfLanes(const float* reference, const std::uint8_t* codes, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);
LaneErrors ErrorsOfLanes(const float* reference, const float* compressed, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);
LaneErrors ErrorsOfLanes(const double* reference, const double* compressed, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);

// The code that a quantizer gives each value, less `code_min`; -1 for one that is not finite. As
// quantizers do: divide, round half to even, add the zero point, saturate. Writes rows of all
// lanes.
void CodesOfLanes(const float* values, std::size_t stride, std::size_t rows, const LaneSteps& steps,
                  std::int32_t code_min, std::int32_t code_max, std::int32_t* codes);
void CodesOfLanes(const double* values, std::size_t stride, std::size_t rows,
                  const LaneSteps& steps, std::int32_t code_min, std::int32_t code_max,
                  std::int32_t* codes);

}  // namespace cboard::tensor
