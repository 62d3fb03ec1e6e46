// Makes summaries of meshes and point clouds for TensorBoard's MESH page.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// Returns a serialized Summary with one value each for vertices, faces and colors, if they exist:
// <tag>_1, <tag>_2, <tag>_3, all as float32 tensors, as in tensorboardX.
//
// Fails with kInvalidArgument if a tensor is empty or not B x N x 3, if batches differ, if colors
// are not one per vertex in 0…255, if a face names a vertex that does not exist, or if the
// configuration is not JSON.
Result<std::string> MakeMeshSummary(std::string_view tag, const TensorView& vertices,
                                    const MeshDetails& details = {});

}  // namespace cboard::writer::summary
