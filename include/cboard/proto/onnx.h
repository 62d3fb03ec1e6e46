// The part of an ONNX model that describes its graph; weights stay where they are.
//
//   CBOARD_ASSIGN_OR_RETURN(const OnnxGraph graph, ParseOnnxModel(file_bytes));
//   for (const OnnxNode& node : graph.nodes) …
//
// All views point into the parsed bytes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/tensor.h"

namespace cboard::proto {

// An input, an output or an annotated intermediate. `elem_type` is ONNX's number, 0 for what is not
// a tensor; -1 in the shape is a symbolic or unknown size.
struct OnnxValueInfo {
  std::string_view name;
  int elem_type = 0;
  bool has_shape = false;  // Without one, not even the rank is known.
  Shape shape;
};

// An initializer, or a tensor inside an attribute.
struct OnnxTensor {
  std::string_view name;
  int elem_type = 0;
  Shape shape;
};

// Which of the members holds the value, by AttributeProto's field numbers.
enum class OnnxAttributeKind : int {
  kNone = 0,
  kFloat = 2,
  kInt = 3,
  kString = 4,
  kTensor = 5,
  kGraph = 6,
  kFloats = 7,
  kInts = 8,
  kStrings = 9,
};

struct OnnxAttribute {
  std::string_view name;
  OnnxAttributeKind kind = OnnxAttributeKind::kNone;
  std::vector<float> floats;              // kFloat: one.
  std::vector<std::int64_t> ints;         // kInt: one.
  std::vector<std::string_view> strings;  // kString: one.
  OnnxTensor tensor;                      // kTensor.
};

struct OnnxNode {
  std::vector<std::string_view> inputs;  // "" is an optional input that is left out.
  std::vector<std::string_view> outputs;
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::vector<OnnxAttribute> attributes;
};

struct OnnxGraph {
  std::string_view name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxValueInfo> inputs;
  std::vector<OnnxValueInfo> outputs;
  std::vector<OnnxValueInfo> value_infos;
};

// Fails with kDataLoss and the place of the damage, and with kInvalidArgument when the bytes hold
// no graph, that is when they are some other file.
Result<OnnxGraph> ParseOnnxModel(std::string_view bytes);

// The TensorFlow type that an ONNX element type (TensorProto.DataType) is; kInvalid if there is
// none.
DataType DataTypeOfOnnx(int elem_type);

}  // namespace cboard::proto
