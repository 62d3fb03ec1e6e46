// Kernels for channels with few weights, or with weights that are not consecutive. Several channels
// are compared at once, each in one lane of the vectors, so no sum across a vector is needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cboard::tensor {

// The number of channels that are compared at once.
inline constexpr std::size_t kLaneGroup = 8;
using LaneValues = std::array<double, kLaneGroup>;

// Scale and zero point of each lane, with the limits beyond which values are clipped. Not used for
// real values without a quantizer.
struct LaneSteps {
  LaneSteps();

  LaneValues scale, zero_point, low, high;
};

// Sums over the pairs of each lane. If a value on either side is NaN or infinite, a sum of squares
// is not finite, and the other members are undefined. `compressed_…` are sums of code -
// zero_point.
struct LaneErrors {
  LaneValues min, max, sum, sum_squares;
  LaneValues compressed_min, compressed_max, compressed_sum, compressed_sum_squares;
  LaneValues error_squares, error_max;
  LaneValues clipped;  // Number of baseline values beyond the limits.
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

// Computes the code of each value minus `code_min`; -1 if the value is not finite. Like
// quantizers, divides, rounds half to even, adds the zero point and saturates. Writes rows of all
// lanes.
void CodesOfLanes(const float* values, std::size_t stride, std::size_t rows, const LaneSteps& steps,
                  std::int32_t code_min, std::int32_t code_max, std::int32_t* codes);
void CodesOfLanes(const double* values, std::size_t stride, std::size_t rows,
                  const LaneSteps& steps, std::int32_t code_min, std::int32_t code_max,
                  std::int32_t* codes);

}  // namespace cboard::tensor
