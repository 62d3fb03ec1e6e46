// An ONNX graph that can be edited: nodes, constants, inputs and outputs by name.
//
//   CBOARD_ASSIGN_OR_RETURN(Graph graph, ReadGraph("resnet50.onnx"));
//   graph.nodes[3].inputs[1] = "folded_weight";
//   CBOARD_ASSIGN_OR_RETURN(const std::string bytes, EncodeGraph(graph));
//
// Elements of constants stay in the mapped file until they are replaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::model {
class MappedFile;
}

namespace cboard::quantize {

// Values of TensorProto.DataType: the types that quantization reads and writes.
inline constexpr int kFloat32 = 1, kUint8 = 2, kInt8 = 3, kUint16 = 4, kInt16 = 5, kInt32 = 6,
                     kInt64 = 7, kBool = 9, kFloat16 = 10;

// Returns the number of bytes of an element; 0 for types without a fixed size, such as strings, and
// for 4-bit codes.
std::size_t ElementBytes(int element_type);

// A constant tensor, row-major. Copies share the elements.
struct Constant {
  int element_type = kFloat32;
  std::vector<std::int64_t> shape;
  std::string_view elements;          // Little-endian.
  std::shared_ptr<const void> owner;  // Owns the memory of the views.
  // The complete TensorProto of a constant without `elements`, for types such as strings; never
  // changed.
  std::string_view encoded;

  static Constant Floats(std::vector<std::int64_t> shape, std::vector<float> values);
  static Constant Of(int element_type, std::vector<std::int64_t> shape, std::string bytes);
  static Constant Int64s(std::vector<std::int64_t> values);

  std::size_t element_count() const;
  // Returns the values of a float32, float16 or integer constant; empty for other types.
  std::vector<float> ToFloats() const;
  std::vector<std::int64_t> ToInts() const;  // The values of an int32 or int64 constant.
};

struct Attribute {
  std::string name;
  std::string encoded;  // AttributeProto.
  std::vector<std::int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;
  std::vector<std::string> graphs;  // Bodies of If, Loop and Scan; GraphProto.
  std::optional<Constant> tensor;

  static Attribute Int(std::string name, std::int64_t value);
  static Attribute Ints(std::string name, const std::vector<std::int64_t>& values);
  static Attribute Float(std::string name, float value);
  static Attribute Text(std::string name, std::string_view value);
  static Attribute Body(std::string name, std::string graph);
  static Attribute Tensor(std::string name, Constant value);
};

struct Node {
  std::string name;
  std::string op_type;
  std::string domain;               // "" means ONNX itself.
  std::vector<std::string> inputs;  // "" means an omitted optional input.
  std::vector<std::string> outputs;
  std::vector<Attribute> attributes;

  bool Is(std::string_view type) const {
    return op_type == type && (domain.empty() || domain == "ai.onnx");
  }
  const Attribute* Find(std::string_view attribute) const;
  std::int64_t Int(std::string_view attribute, std::int64_t otherwise) const;
  float Float(std::string_view attribute, float otherwise) const;
  std::vector<std::int64_t> Ints(std::string_view attribute) const;
  std::string Text(std::string_view attribute, std::string otherwise) const;
  void Set(Attribute attribute);
  void Remove(std::string_view attribute);
  bool HasBody() const;                               // Returns true for If, Loop and Scan.
  const std::string& Input(std::size_t index) const;  // Returns "" after the last input.
};

// A graph input, output or annotated tensor.
struct Value {
  std::string name;
  int element_type = 0;
  bool has_shape = false;
  std::vector<std::int64_t> shape;  // -1 means an unknown size.
  std::string encoded;              // ValueInfoProto.
};

class ConstantFile;

struct Graph {
  std::filesystem::path path;
  std::int64_t ir_version = 0;
  std::map<std::string, std::int64_t> opsets;  // By domain; "" is ONNX itself.
  std::string name;
  std::vector<Node> nodes;
  std::map<std::string, Constant> constants;
  std::vector<Value> inputs;  // Excludes inputs that are constants.
  std::vector<Value> outputs;
  std::vector<Value> values;
  std::vector<std::string> sparse_constants;  // SparseTensorProto.
  std::vector<std::string> functions;         // FunctionProto.
  std::vector<std::pair<std::string, std::string>> metadata;

  // The files of the model and of its external data, kept open.
  std::vector<std::shared_ptr<const model::MappedFile>> files;
  std::shared_ptr<const ConstantFile> constant_file;  // File with large constants; may be null.

  std::int64_t opset() const;
  const Constant* FindConstant(std::string_view constant) const;
  // Returns an unused name for a constant or tensor that starts with `stem`.
  std::string UniqueName(const std::string& stem);
  std::unordered_set<std::string> used_names;  // All names, for UniqueName.
};

// Finds the producer and the consumers of each tensor. Valid until nodes change.
class GraphIndex {
 public:
  explicit GraphIndex(const Graph& graph);

  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t Producer(const std::string& tensor) const;  // Index of a node, or kNone.
  // Returns the nodes that use the tensor, each once. A node with a body uses all tensors that its
  // body uses.
  std::span<const std::size_t> Consumers(const std::string& tensor) const;
  bool IsOutput(const std::string& tensor) const { return outputs_.contains(tensor); }
  // Returns the only node that uses the tensor; kNone if there are several, or if the graph returns
  // the tensor.
  std::size_t OnlyConsumer(const std::string& tensor) const;

 private:
  std::unordered_map<std::string, std::size_t> producers_;
  std::unordered_map<std::string, std::vector<std::size_t>> consumers_;
  std::unordered_set<std::string> outputs_;
};

// Returns the names of outer tensors that the bodies of a node use, and all names inside the
// bodies.
std::vector<std::string> NamesInBodies(const Node& node);

// Reads a model. Fails with kNotFound, kDataLoss or kInvalidArgument if the file is missing,
// damaged or not an ONNX model. External data is mapped from the model's directory.
Result<Graph> ReadGraph(const std::filesystem::path& path);
Result<Graph> ParseGraph(std::string bytes, const std::filesystem::path& path);

// Parses the body of an If, Loop or Scan as a graph; external data is in the directory of `outer`.
Result<Graph> ParseBody(const std::string& body, const Graph& outer);

// Removes nodes and constants that no output needs.
void RemoveUnused(Graph& graph);

// Sorts nodes so that each comes after the nodes it depends on. Keeps the order where possible.
void SortNodes(Graph& graph);

}  // namespace cboard::quantize
