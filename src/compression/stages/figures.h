// Draws small charts as pixels, with Anti-Grain Geometry and its vector font of ASCII characters.
#pragma once

#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "writer/media/pixels.h"

namespace cboard::compression::stages {

// Draws a line through `values`, one per index from 0; NaN leaves a gap. The y axis reaches half a
// unit beyond min and max. Fails with kInvalidArgument without a finite value.
Result<writer::media::Pixels> DrawLine(const std::vector<double>& values,
                                       const std::string& x_label, const std::string& y_label);

struct Bar {
  std::string label;  // Drawn below the bar if there is room.
  int bits = 0;
};

enum class BarColours { kByBits, kOne };

// Draws a bar per entry. The height of a bar is the number of bits. Fails like DrawLine.
Result<writer::media::Pixels> DrawBars(const std::vector<Bar>& bars, const std::string& x_label,
                                       const std::string& y_label, BarColours colours);

}  // namespace cboard::compression::stages
