// Parses the part of an ONNX model that describes its graph. Weights are not copied.
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

// An input, an output or an annotated intermediate value. `elem_type` is ONNX's type number, or 0
// if the value is not a tensor. A size of -1 in `shape` is symbolic or unknown.
struct OnnxValueInfo {
  std::string_view name;
  int elem_type = 0;
  bool has_shape = false;  // If false, not even the rank is known.
  Shape shape;
  // The names of the dimensions: one per dimension, "" for a dimension without a name. The list is
  // empty if no dimension has a name.
  std::vector<std::string_view> dimension_names;
};

// An initializer, or a tensor inside an attribute.
struct OnnxTensor {
  std::string_view name;
  int elem_type = 0;
  Shape shape;
  std::string_view bytes;  // The whole TensorProto, for ElementsOf.

  // True if the elements are in a separate file. `location` is the path of that file, relative to
  // the model's folder.
  bool is_external = false;
  std::string_view location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;  // nullopt: up to the end of the file.
};

// A sparse tensor: a list of values and their positions; all other elements are zero. A position is
// an index into the flat tensor, or one index per dimension. The sparse tensor has the name of
// `values`.
struct OnnxSparseTensor {
  OnnxTensor values;
  OnnxTensor indices;
  Shape shape;
};

// The kind of an attribute's value, which is the member of AttributeProto that contains it. The
// values are the field numbers of the members.
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
  std::vector<float> floats;              // kFloat has one.
  std::vector<std::int64_t> ints;         // kInt has one.
  std::vector<std::string_view> strings;  // kString has one.
  OnnxTensor tensor;                      // For kTensor.
  std::vector<std::string_view> graphs;   // kGraph has one. Parse with ParseOnnxGraph.
  std::string_view sparse_tensor;         // For kSparseTensor. Parse with ParseOnnxSparseTensor.
  // The name of the calling node's attribute that supplies the value. Only attributes inside a
  // function have it.
  std::string_view reference;
};

struct OnnxNode {
  std::vector<std::string_view> inputs;  // "" is an omitted optional input.
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

// A function: a node type that the model defines as a graph. A node with the same domain, name and
// overload calls the function.
struct OnnxFunction {
  std::string_view name;
  std::string_view domain;
  std::string_view overload;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<OnnxAttribute> defaults;  // Default values of attributes.
  std::vector<OnnxNode> nodes;
  std::vector<OnnxValueInfo> value_infos;
};

struct OnnxOpset {
  std::string_view domain;  // "" is the default ONNX domain.
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

// Parses the graph of an ONNX model. Fails with kDataLoss and the position if the bytes are
// damaged, and with kInvalidArgument if they contain no graph, for example in a file of another
// kind.
Result<OnnxGraph> ParseOnnxModel(std::string_view bytes);

// Parses a whole ONNX model, with functions, operator sets and metadata.
Result<OnnxModel> ParseOnnxModelWithFunctions(std::string_view bytes);

// Parses a GraphProto, such as the body of an If or a Loop. Fails with kDataLoss.
Result<OnnxGraph> ParseOnnxGraph(std::string_view bytes);

// Parses a SparseTensorProto. Fails with kDataLoss.
Result<OnnxSparseTensor> ParseOnnxSparseTensor(std::string_view bytes);

// The elements of a tensor whose data is inside the model file. They are little-endian; two 4-bit
// elements share a byte. If the file stores the elements as raw bytes, `in_place` points to them.
// Otherwise `decoded` contains the elements of a list of numbers; it takes at most eight bytes of
// memory per byte of the list.
struct OnnxElements {
  std::string_view in_place;
  std::string decoded;
  bool is_decoded = false;

  std::string_view view() const { return is_decoded ? std::string_view(decoded) : in_place; }
};

// Returns the elements of a tensor. Fails with kDataLoss if the message is damaged, and with
// kInvalidArgument if the elements are strings.
Result<OnnxElements> ElementsOf(const OnnxTensor& tensor);

// These functions convert between element types and the numbers of element types in ONNX files
// (TensorProto.DataType), which ONNX Runtime uses too. A type without a counterpart becomes
// kUnknown or 0.
DType DTypeOfOnnx(int elem_type);
int OnnxTypeOf(DType dtype);

}  // namespace cboard::proto
