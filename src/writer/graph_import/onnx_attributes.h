// The attributes of an ONNX node as one line of text.
#pragma once

#include <string>

#include "cboard/proto/onnx.h"

namespace cboard::writer {

// "kernel_shape = [3, 3], auto_pad = 'NOTSET', value = tensor INT64 [4]". Long lists and texts are
// cut with "…": this is for reading beside a graph.
std::string ParametersOf(const proto::OnnxNode& node);

}  // namespace cboard::writer
