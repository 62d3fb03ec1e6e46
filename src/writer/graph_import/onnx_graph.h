// Converts ONNX models to TensorBoard graphs.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string graph_def, GraphDefFromOnnx("resnet18.onnx"));
//
// The graph has the same structure as tensorboardX's. Every input and output of the model is a node
// of op `Variable` with attributes `dtype` and `shape`. Every ONNX node is named after its first
// output, and has its attributes as text in `parameters`. An output of the model therefore has the
// same name as the node that computes it; TensorBoard then shows the computing node.
//
// The graph differs from tensorboardX's in these points, so that it is complete:
//   - Weights that are not inputs are nodes of op `Const`, with `dtype` and `shape`.
//   - `dtype` is TensorFlow's number of the type, so that int8 is shown as int8. A symbolic
//     dimension is -1, which TensorBoard shows as "?".
//   - The second and later outputs of a node are written `first_output:k`, so that their edges are
//     drawn. A `:0` at the end of TensorFlow's tensor names is removed, because TensorBoard treats
//     both names as equal.
//   - Nodes have `_output_shapes` if the model contains the shapes, and their own name as
//     `onnx_name`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer {

// Converts an ONNX file to a serialized GraphDef. Errors name the file: kNotFound if it does not
// exist, kDataLoss with the position of the damage, and kInvalidArgument if it is not an ONNX
// model.
Result<std::string> GraphDefFromOnnx(const std::filesystem::path& onnx_file);

// Converts an ONNX model in memory to a serialized GraphDef.
Result<std::string> GraphDefFromOnnxBytes(std::string_view model);

}  // namespace cboard::writer
