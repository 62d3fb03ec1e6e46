// Meshes and point clouds for TensorBoard's MESH page.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// A serialized Summary with a value each for vertices, faces and colors, those that are there:
// <tag>_1, <tag>_2, <tag>_3, all as float32 tensors, as tensorboardX writes them.
//
// Fails with kInvalidArgument when a tensor is empty or not B x N x 3, batches differ, colors are
// not one per vertex in 0…255, a face names a vertex that is not there, or the configuration is
// not JSON.
Result<std::string> MakeMeshSummary(std::string_view tag, const TensorView& vertices,
                                    const MeshDetails& details = {});

}  // namespace cboard::writer::summary
