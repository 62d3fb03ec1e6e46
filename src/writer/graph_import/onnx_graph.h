// ONNX models as TensorBoard graphs.
//
//   CBOARD_ASSIGN_OR_RETURN(const std::string graph_def, GraphDefFromOnnx("resnet18.onnx"));
//
// The graph has tensorboardX's form: every input and output of the model is a node of op
// `Variable` with attributes `dtype` and `shape`, and every ONNX node is named after its first
// output and carries its attributes as text in `parameters`. An output of the model therefore
// shares its name with the node that computes it; TensorBoard shows the latter.
//
// Beyond that form, so that nothing is missing from the picture:
//  - weights that are no inputs are nodes of op `Const`, with `dtype` and `shape`;
//  - `dtype` is TensorFlow's number of the type, so that int8 is shown as int8, and a symbolic
//    dimension is -1, which TensorBoard shows as "?";
//  - second and later outputs are written `first_output:k`, so that their edges are drawn, and a
//    trailing `:0` of TensorFlow's tensor names is dropped, because TensorBoard reads it so;
//  - nodes carry `_output_shapes` where the model says them, and their own name as `onnx_name`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer {

// A serialized GraphDef. Errors name the file: kNotFound, kDataLoss with the place of the damage,
// kInvalidArgument when it is no ONNX model.
Result<std::string> GraphDefFromOnnx(const std::filesystem::path& onnx_file);

// The same from the bytes of a model.
Result<std::string> GraphDefFromOnnxBytes(std::string_view model);

}  // namespace cboard::writer
