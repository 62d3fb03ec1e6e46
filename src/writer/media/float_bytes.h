// Inner loops of pixel_values.h: multiply float32 by 255 and convert to bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cboard::writer::media {

// Multiplies values by 255, truncates the fraction and wraps around; values outside of 32-bit
// integers, and NaN, become 0.
void ScaleAndWrap(const float* values, std::size_t count, std::uint8_t* bytes);

// Multiplies values by 255, clamps them to 0…255 and truncates the fraction; NaN becomes 0.
void ScaleAndClamp(const float* values, std::size_t count, std::uint8_t* bytes);

}  // namespace cboard::writer::media
