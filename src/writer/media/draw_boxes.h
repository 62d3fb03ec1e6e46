// Draws detections on an image: red boxes with labels.
#pragma once

#include <span>
#include <string>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

// Returns `pixels` resized by `rescale`, with a red outline, two pixels wide, for each row of
// `boxes`, and its label in black on red at the bottom left inside the box. `boxes` is N x 4: left,
// top, right, bottom, in pixels of the original. `labels` has one text per box or is empty; an
// empty text draws nothing. Parts outside of the image are clipped. Lines and letters are drawn
// after resizing, so they stay sharp.
//
// Fails with kInvalidArgument if `boxes` has another shape or contains a NaN, if the number of
// labels differs, and like Resize.
Result<Pixels> DrawBoxes(const Pixels& pixels, const TensorView& boxes,
                         std::span<const std::string> labels = {}, double rescale = 1);

}  // namespace cboard::writer::media
