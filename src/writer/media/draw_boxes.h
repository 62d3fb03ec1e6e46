// Detections on a picture: red boxes with their labels.
#pragma once

#include <span>
#include <string>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

// `pixels` resized by `rescale`, with a red outline, two pixels wide, for each row of `boxes` (N x
// 4: left, top, right, bottom, in pixels of the original), and its label in black on red at the
// bottom left inside the box. `labels` has one text per box, or none at all; an empty text draws
// nothing. Parts outside the picture are cut off. Lines and letters are drawn after resizing,
// so they stay sharp.
//
// Fails with kInvalidArgument when `boxes` has another shape or holds a NaN, when the number of
// labels differs, and as Resize does.
Result<Pixels> DrawBoxes(const Pixels& pixels, const TensorView& boxes,
                         std::span<const std::string> labels = {}, double rescale = 1);

}  // namespace cboard::writer::media
