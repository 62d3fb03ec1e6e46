#include "writer/media/draw_boxes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "cboard/base/strings.h"
#include "cboard/tensor/convert.h"
#include "writer/media/dimension_order.h"
#include "writer/media/font.h"
#include "writer/media/resize.h"

namespace cboard::writer::media {
namespace {

constexpr std::int64_t kLineWidth = 2;
constexpr std::int64_t kMargin = 1;

// The color of a pixel: one byte per channel of the image.
using Color = std::array<std::uint8_t, 4>;

Color RedFor(std::size_t channels) {
  constexpr std::uint8_t kLumaOfRed = 76;
  return channels < 3 ? Color{kLumaOfRed, 255} : Color{255, 0, 0, 255};
}

Color BlackFor(std::size_t channels) { return channels < 3 ? Color{0, 255} : Color{0, 0, 0, 255}; }

// A rectangle of pixels; `right` and `bottom` are exclusive. Parts of it may be outside the image.
struct Rectangle {
  std::int64_t left, top, right, bottom;
};

void Fill(Pixels& pixels, const Rectangle& area, const Color& color) {
  const auto width = static_cast<std::int64_t>(pixels.width);
  const auto height = static_cast<std::int64_t>(pixels.height);
  const auto left = static_cast<std::size_t>(std::clamp<std::int64_t>(area.left, 0, width));
  const auto right = static_cast<std::size_t>(std::clamp<std::int64_t>(area.right, 0, width));
  const auto top = static_cast<std::size_t>(std::clamp<std::int64_t>(area.top, 0, height));
  const auto bottom = static_cast<std::size_t>(std::clamp<std::int64_t>(area.bottom, 0, height));
  for (std::size_t y = top; y < bottom; ++y) {
    for (std::size_t x = left; x < right; ++x) {
      std::memcpy(pixels.row(y) + x * pixels.channels, color.data(), pixels.channels);
    }
  }
}

// Draws a box like tensorboardX, with two-pixel lines as in Pillow's ImageDraw.line: vertical lines
// are inside the box, and horizontal lines extend one pixel beyond it.
void Outline(Pixels& pixels, const Rectangle& box, const Color& color) {
  const Rectangle outer = {box.left, box.top - 1, box.right + 1, box.bottom + kLineWidth};
  Fill(pixels, {outer.left, outer.top, outer.right, outer.top + kLineWidth}, color);
  Fill(pixels, {outer.left, outer.bottom - kLineWidth, outer.right, outer.bottom}, color);
  Fill(pixels, {outer.left, outer.top, outer.left + kLineWidth, outer.bottom}, color);
  Fill(pixels, {outer.right - kLineWidth, outer.top, outer.right, outer.bottom}, color);
}

void DrawText(Pixels& pixels, std::int64_t left, std::int64_t top, std::string_view text,
              const Color& color) {
  const std::u32string characters = DecodeUtf8(text);
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const std::int64_t x = left + static_cast<std::int64_t>(i) * kCellWidth;
    if (x >= static_cast<std::int64_t>(pixels.width)) return;
    const Glyph& glyph = GlyphOf(characters[i]);
    for (int row = 0; row < kGlyphHeight; ++row) {
      for (int column = 0; column < kGlyphWidth; ++column) {
        if (!HasInk(glyph, row, column)) continue;
        Fill(pixels, {x + column, top + row, x + column + 1, top + row + 1}, color);
      }
    }
  }
}

void DrawLabel(Pixels& pixels, const Rectangle& box, std::string_view label) {
  if (label.empty()) return;
  const auto length = static_cast<std::int64_t>(DecodeUtf8(label).size());
  const std::int64_t top = box.bottom + 1 - kGlyphHeight - 2 * kMargin;
  Fill(pixels, {box.left, top, box.left + length * kCellWidth + 2 * kMargin, box.bottom + 1},
       RedFor(pixels.channels));
  DrawText(pixels, box.left + kMargin, top + kMargin, label, BlackFor(pixels.channels));
}

// Limits a coordinate to a value that is far outside any image, but small enough for additions. An
// infinite box then has no visible edges.
std::int64_t ToPixel(double coordinate) {
  constexpr double kFar = 1e15;
  return static_cast<std::int64_t>(std::clamp(coordinate, -kFar, kFar));
}

Result<void> CheckBoxes(const TensorView& boxes, std::size_t label_count) {
  CBOARD_RETURN_IF_ERROR(boxes.Validate());
  if (boxes.shape.size() != 2 || boxes.shape[1] != 4) {
    return Fail(
        ErrorCode::kInvalidArgument,
        "boxes have shape " + ShapeText(boxes.shape) +
            ", but must have shape [count, 4] with left, top, right and bottom of each box");
  }
  const auto count = static_cast<std::size_t>(boxes.shape[0]);
  if (label_count != 0 && label_count != count) {
    return Fail(ErrorCode::kInvalidArgument,
                std::to_string(label_count) + " labels for " + std::to_string(count) +
                    " boxes are given; give one label for each box, or none");
  }
  return {};
}

}  // namespace

Result<Pixels> DrawBoxes(const Pixels& pixels, const TensorView& boxes,
                         std::span<const std::string> labels, double rescale) {
  CBOARD_RETURN_IF_ERROR(CheckBoxes(boxes, labels.size()));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> corners, tensor::ToDoubles(boxes));
  for (std::size_t i = 0; i < corners.size(); ++i) {
    if (std::isnan(corners[i])) {
      return Fail(ErrorCode::kInvalidArgument,
                  "box " + std::to_string(i / 4) + " has a corner that is NaN");
    }
  }
  CBOARD_ASSIGN_OR_RETURN(Pixels drawn, Resize(pixels, rescale));
  for (std::size_t i = 0; i + 4 <= corners.size(); i += 4) {
    const auto at = [&](std::size_t side) { return ToPixel(corners[i + side] * rescale); };
    const Rectangle box = {std::min(at(0), at(2)), std::min(at(1), at(3)), std::max(at(0), at(2)),
                           std::max(at(1), at(3))};
    Outline(drawn, box, RedFor(drawn.channels));
    if (!labels.empty()) DrawLabel(drawn, box, labels[i / 4]);
  }
  return drawn;
}

}  // namespace cboard::writer::media
