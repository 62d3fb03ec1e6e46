// Kernels for channels with few weights, or with weights that are not consecutive in memory.
// Several channels are compared at once. Each channel uses one lane of the vectors, so no sum
// across a vector is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cboard::tensor {

// The number of channels that are compared at once.
inline constexpr std::size_t kLaneGroup = 8;
using LaneValues = std::array<double, kLaneGroup>;

// Scale and zero point of each lane (channel), and the limits outside which values are clipped.
// They are not used for real values without a quantizer.
struct LaneSteps {
  LaneSteps();

  LaneValues scale, zero_point, low, high;
};

// Sums over the pairs of each lane (channel). If a baseline or compressed value is NaN or infinite,
// a sum of squares is not finite, and the other members are undefined. The members `compressed_…`
// are sums of code - zero_point.
struct LaneErrors {
  LaneValues min, max, sum, sum_squares;
  LaneValues compressed_min, compressed_max, compressed_sum, compressed_sum_squares;
  LaneValues error_squares, error_max;
  LaneValues clipped;  // Number of baseline values beyond the limits.
};

// Compares `rows` rows, at least one, with one value per lane (channel). Element i of lane l is at
// index i * stride + l. All lanes of a group are read; the results of unused lanes are ignored.
LaneErrors ErrorsOfLanes(const float* reference, const std::int8_t* codes, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);
LaneErrors ErrorsOfLanes(const float* reference, const std::uint8_t* codes, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);
LaneErrors ErrorsOfLanes(const float* reference, const float* compressed, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);
LaneErrors ErrorsOfLanes(const double* reference, const double* compressed, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps);

// Computes the code of each value, minus `code_min`; -1 if the value is not finite. Like a
// quantizer, divides by the scale, rounds half to even, adds the zero point and saturates. A row of
// the result has one code per lane (channel).
void CodesOfLanes(const float* values, std::size_t stride, std::size_t rows, const LaneSteps& steps,
                  std::int32_t code_min, std::int32_t code_max, std::int32_t* codes);
void CodesOfLanes(const double* values, std::size_t stride, std::size_t rows,
                  const LaneSteps& steps, std::int32_t code_min, std::int32_t code_max,
                  std::int32_t* codes);

}  // namespace cboard::tensor
