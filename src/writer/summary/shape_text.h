// Formats tensor shapes for error messages.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace cboard::writer::summary {

// Formats a shape: "2x3x4", or "a scalar" if there are no dimensions.
std::string ShapeText(std::span<const std::int64_t> shape);

}  // namespace cboard::writer::summary
