#include "writer/summary/shape_text.h"

namespace cboard::writer::summary {

std::string ShapeText(std::span<const std::int64_t> shape) {
  if (shape.empty()) return "a scalar";
  std::string text;
  for (const std::int64_t size : shape) {
    if (!text.empty()) text += 'x';
    text += std::to_string(size);
  }
  return text;
}

}  // namespace cboard::writer::summary
