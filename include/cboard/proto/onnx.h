// The part of an ONNX model that describes its graph; weights stay where they are.
//
//   CBOARD_ASSIGN_OR_RETURN(const OnnxGraph graph, ParseOnnxModel(file_bytes));
//   for (const OnnxNode& node : graph.nodes) …
//
// All views point into the parsed bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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
  // As many as sizes, "" for those without a name; none when no size has one.
  std::vector<std::string_view> dimension_names;
};

// An initializer, or a tensor inside an attribute.
struct OnnxTensor {
  std::string_view name;
  int elem_type = 0;
  Shape shape;
  std::string_view bytes;  // The whole TensorProto, for ElementsOf.

  // Elements in a file of their own: `location` is its path, relative to the model's folder.
  bool is_external = false;
  std::string_view location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  // To the end of the file when it is not given.
};

// Values of a tensor that is zero elsewhere, as a list, and where they belong: an index of each in
// the flat tensor, or one for each dimension. Its name is that of the values.
struct OnnxSparseTensor {
  OnnxTensor values;
  OnnxTensor indices;
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
  kTensors = 10,
  kGraphs = 11,
  kSparseTensor = 22,
};

struct OnnxAttribute {
  std::string_view name;
  OnnxAttributeKind kind = OnnxAttributeKind::kNone;
  std::vector<float> floats;              // kFloat: one.
  std::vector<std::int64_t> ints;         // kInt: one.
  std::vector<std::string_view> strings;  // kString: one.
  OnnxTensor tensor;                      // kTensor.
  std::vector<std::string_view> graphs;   // kGraph: one. For ParseOnnxGraph.
  std::string_view sparse_tensor;         // kSparseTensor. For ParseOnnxSparseTensor.
  // Inside a function: the attribute of the calling node whose value is meant.
  std::string_view reference;
};

struct OnnxNode {
  std::vector<std::string_view> inputs;  // "" is an optional input that is left out.
  std::vector<std::string_view> outputs;
  std::string_view name;
  std::string_view op_type;
  std::string_view domain;
  std::string_view overload;
  std::vector<OnnxAttribute> attributes;
  std::string_view bytes;  // The whole NodeProto; empty for nodes of functions.
};

struct OnnxGraph {
  std::string_view name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<std::string_view> sparse_initializers;  // For ParseOnnxSparseTensor.
  std::vector<OnnxValueInfo> inputs;
  std::vector<OnnxValueInfo> outputs;
  std::vector<OnnxValueInfo> value_infos;
};

// A node type that the model defines itself: calls are nodes with its domain, name and overload.
struct OnnxFunction {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<OnnxAttribute> defaults;  // Values of attributes that a call leaves out.
  std::vector<OnnxNode> nodes;
  std::vector<OnnxValueInfo> value_infos;
};

struct OnnxOpset {
  std::string_view domain;  // "" is ONNX itself.
  std::int64_t version = 0;
};

struct OnnxModel {
  std::int64_t ir_version = 0;
  std::string_view producer_name;
  std::string_view producer_version;
  std::vector<OnnxOpset> opsets;
  std::vector<std::pair<std::string_view, std::string_view>> metadata;
  OnnxGraph graph;
  std::vector<OnnxFunction> functions;
};

// Fails with kDataLoss and the place of the damage, and with kInvalidArgument when the bytes hold
// no graph, that is when they are some other file.
Result<OnnxGraph> ParseOnnxModel(std::string_view bytes);

// The same with everything around the graph.
Result<OnnxModel> ParseOnnxModelWithFunctions(std::string_view bytes);

// A GraphProto, such as the body of an If or a Loop. Fails with kDataLoss.
Result<OnnxGraph> ParseOnnxGraph(std::string_view bytes);

// A SparseTensorProto. Fails with kDataLoss.
Result<OnnxSparseTensor> ParseOnnxSparseTensor(std::string_view bytes);

// The elements of a tensor that is not external, little-endian, four-bit ones two to a byte: where
// they lie when the file stores them so, or decoded from lists of numbers, which takes at most
// eight bytes for each byte of the list.
struct OnnxElements {
  std::string_view in_place;
  std::string decoded;
  bool is_decoded = false;

  std::string_view view() const { return is_decoded ? std::string_view(decoded) : in_place; }
};

// Fails with kDataLoss when the message is damaged and kInvalidArgument for strings.
Result<OnnxElements> ElementsOf(const OnnxTensor& tensor);

// Element types by their numbers in ONNX files (TensorProto.DataType), which ONNX Runtime uses too;
// kUnknown and 0 for types that the other side does not have.
DType DTypeOfOnnx(int elem_type);
int OnnxTypeOf(DType dtype);

}  // namespace cboard::proto
