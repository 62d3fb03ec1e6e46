// The parts of TensorFlow's messages that describe a model: attributes, functions, signatures. All
// views point into the bytes that were parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "cboard/proto/tensor.h"

namespace cboard::model {

// Returns the type in which a tensor's elements are stored. Returns kUnknown for integers of 4 and
// 2 bits: TensorFlow stores them with one byte per element.
inline DType StoredTypeOf(proto::DataType type) {
  const DType dtype = proto::DTypeOf(type);
  return LayoutOf(dtype).elements > 1 ? DType::kUnknown : dtype;
}

// A parsed AttrValue. At most one of the members is set.
struct TensorFlowAttribute {
  std::optional<AttributeValue> value;  // Numbers, texts and lists of these.
  std::optional<proto::DataType> type;
  std::optional<std::vector<std::int64_t>> shape;  // Empty if the rank is unknown.
  std::vector<std::optional<std::vector<std::int64_t>>> shapes;
  std::string_view tensor;    // A TensorProto.
  std::string_view function;  // Name of a function.
};

struct TensorFlowNode {
  std::string_view name;
  std::string_view op;
  std::vector<std::string_view> inputs;
  std::vector<std::pair<std::string_view, TensorFlowAttribute>> attributes;

  const TensorFlowAttribute* Find(std::string_view key) const;
};

struct TensorFlowFunction {
  std::string_view name;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<TensorFlowNode> nodes;
  // The outputs of a function: the name of each output, and the reference that it returns, such as
  // "node:arg:0".
  std::vector<std::pair<std::string_view, std::string_view>> returns;
};

struct TensorFlowGraph {
  std::vector<TensorFlowNode> nodes;
  std::vector<TensorFlowFunction> functions;
};

// Parses a GraphDef. Fails with kDataLoss.
Result<TensorFlowGraph> ParseTensorFlowGraph(std::string_view bytes);

// The GraphDef inside a SavedModel, and the tensors of its signature. If there are several graphs,
// the one with the tag "serve" is preferred.
struct SavedModelParts {
  std::string_view graph;
  std::string_view version;
  std::vector<std::string_view> tags;
  std::vector<std::string_view> inputs;  // "node:0"
  std::vector<std::string_view> outputs;
};
Result<SavedModelParts> ParseSavedModel(std::string_view bytes);

// The stored elements of a TensorProto, in little-endian order. If the file stores a list of
// numbers, `decoded` contains the elements; otherwise `in_place` points to them.
struct TensorFlowElements {
  std::string_view in_place;
  std::string decoded;
  bool is_decoded = false;
};
Result<TensorFlowElements> ElementsOf(const proto::Tensor& tensor);

}  // namespace cboard::model
