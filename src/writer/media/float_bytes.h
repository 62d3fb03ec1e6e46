// The hot loops of pixel_values.h: float32 times 255, as bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cboard::writer::media {

// Drops the fraction and wraps around; what no 32-bit integer can hold, and NaN, becomes 0.
void ScaleAndWrap(const float* values, std::size_t count, std::uint8_t* bytes);

// Clamps to 0…255 and drops the fraction; NaN becomes 0.
void ScaleAndClamp(const float* values, std::size_t count, std::uint8_t* bytes);

}  // namespace cboard::writer::media
