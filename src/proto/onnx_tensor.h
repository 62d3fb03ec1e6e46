// Reads a TensorProto inside other ONNX messages; throws protozero's exceptions.
#pragma once

#include <string_view>
#include <utility>

#include "cboard/proto/onnx.h"
#include "proto/wire_reader.h"

namespace cboard::proto {

void ReadOnnxTensor(pbf_reader fields, OnnxTensor& tensor);

// Reads a StringStringEntryProto.
std::pair<std::string_view, std::string_view> ReadOnnxStringPair(pbf_reader fields);

}  // namespace cboard::proto
