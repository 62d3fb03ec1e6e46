// Makes summaries of meshes and point clouds for TensorBoard's MESH page.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// Returns a serialized Summary with up to three values: vertices as <tag>_1, faces as <tag>_2 and
// colors as <tag>_3. All are float32 tensors, as in tensorboardX. Missing faces and colors are
// omitted.
//
// Fails with kInvalidArgument if a tensor is empty or does not have the shape B x N x 3, if the
// tensors have different B, if there is not one color per vertex, if a color is not in 0…255, if a
// face contains the index of a vertex that does not exist, or if the configuration is not JSON.
Result<std::string> MakeMeshSummary(std::string_view tag, const TensorView& vertices,
                                    const MeshDetails& details = {});

}  // namespace cboard::writer::summary
