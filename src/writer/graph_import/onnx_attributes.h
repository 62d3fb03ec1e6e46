// Formats the attributes of an ONNX node as one line of text.
#pragma once

#include <string>

#include "cboard/proto/onnx.h"

namespace cboard::writer {

// Formats the attributes: "kernel_shape = [3, 3], auto_pad = 'NOTSET', value = tensor INT64 [4]".
// Long lists and texts are shortened with "…", because the text is shown next to a graph.
std::string ParametersOf(const proto::OnnxNode& node);

}  // namespace cboard::writer
