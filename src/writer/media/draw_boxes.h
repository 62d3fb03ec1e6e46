// Draws detections on an image: red boxes with labels.
#pragma once

#include <span>
#include <string>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "writer/media/pixels.h"

namespace cboard::writer::media {

// Returns `pixels` resized by the factor `rescale`, with an outline and a label for each row of
// `boxes`. The outline is red and two pixels wide; the label is black on red, inside the box at the
// bottom left. `boxes` is N x 4: left, top, right and bottom in pixels of the original image.
// `labels` has one text per box or is empty; for an empty text no label is drawn. Parts outside the
// image are clipped. Lines and letters are drawn after resizing, so they stay sharp.
//
// Fails like Resize. Also fails with kInvalidArgument if `boxes` has another shape or contains a
// NaN, or if the numbers of boxes and labels differ.
Result<Pixels> DrawBoxes(const Pixels& pixels, const TensorView& boxes,
                         std::span<const std::string> labels = {}, double rescale = 1);

}  // namespace cboard::writer::media
