// Inner loops of pixel_values.h. They multiply float32 values by 255 and convert the products to
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cboard::writer::media {

// Multiplies values by 255, truncates the fraction, and lets the integer wrap around to a byte.
// Products outside the range of 32-bit integers, and NaN, become 0.
void ScaleAndWrap(const float* values, std::size_t count, std::uint8_t* bytes);

// Multiplies values by 255, clamps them to 0…255 and truncates the fraction; NaN becomes 0.
void ScaleAndClamp(const float* values, std::size_t count, std::uint8_t* bytes);

}  // namespace cboard::writer::media
