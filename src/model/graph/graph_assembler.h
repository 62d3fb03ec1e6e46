// Builds a ModelGraph. The reader of each format uses one.
//
//   GraphAssembler graph(ModelFormat::kOnnx, file);
//   const TensorId x = graph.Tensor("x");
//   graph.AddNode({.name = "conv1", .op_type = "Conv", .inputs = {x, w}, .outputs = {y}});
//   CBOARD_RETURN_IF_ERROR(graph.Sort());
//   … resolve quantization and shapes, in the order of nodes() …
//   return graph.Finish();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cboard/model/model_graph.h"
#include "model/storage/mapped_file.h"

namespace cboard::model {

// The stored bytes of a constant. They are not checked against the shape yet.
struct StoredBytes {
  ByteSpan data;
  bool may_repeat_last = false;  // TensorFlow's rule for lists that are shorter than the shape.
};

// Builds a graph and limits its memory. A small file could otherwise use a lot of memory: empty
// nodes take two bytes each, names get the prefix of their scope, functions are copied into each
// place that calls them, and many offsets of a flatbuffer may lead to the same place. The limit
// depends on the size of the file. When it is reached, additions are ignored, and CheckMemory,
// Charge, SetConstant, Sort and Finish fail with kResourceExhausted. A loop whose length the file
// controls must call one of these functions in each iteration.
class GraphAssembler {
 public:
  GraphAssembler(ModelFormat format, std::shared_ptr<const MappedFile> file);

  // Returns the tensor with this name, and creates it if it does not exist. Names are unique.
  TensorId Tensor(std::string_view name);
  TensorId FindTensor(std::string_view name) const;
  // Creates a tensor with the name `wanted`. If the name exists, the tensor is called `wanted_1`,
  // `wanted_2` and so on.
  TensorId NewTensor(const std::string& wanted);

  // Makes `id` a constant of this type and shape. Fails with kDataLoss if the shape is impossible
  // or does not match the bytes. The error names the tensor.
  Result<void> SetConstant(TensorId id, DType type, std::vector<std::int64_t> shape,
                           const StoredBytes& stored);

  // Makes `id` a constant that the file stores as a sparse tensor of `stored_bytes` bytes. Returns
  // the memory of the expanded constant, filled with zeros; the caller writes the other values.
  // Fails like SetConstant. Also fails with kResourceExhausted, before memory is allocated, if the
  // expanded size is unrealistic for a file of this size.
  Result<MutableByteSpan> SetUnfolded(TensorId id, DType type, std::vector<std::int64_t> shape,
                                      std::uint64_t stored_bytes);

  // Sets the type and shape of an input or a computed tensor. Does not change constants.
  void Describe(TensorId id, DType type, std::vector<std::int64_t> shape);

  // Adds a node. If its name is empty, the name is made from an output or the type; if its name
  // exists, a number is added. If the node is inside a subgraph, `parent` is the id that AddNode
  // returned for the node with this subgraph.
  NodeId AddNode(ModelNode node);

  // Returns a unique scope and reserves it. It is `wanted`, with a number added if a node or scope
  // already has this name.
  std::string UniqueScope(std::string wanted) { return UniqueName(std::move(wanted)); }

  // Marks a node that may come before the nodes whose outputs it uses. TensorFlow has such nodes at
  // the end of loops.
  void BreaksCycles(NodeId id) { breaks_cycles_.insert(IndexOf(id)); }

  void AddInput(TensorId id) { AddEnd(id, graph_.inputs_); }
  void AddOutput(TensorId id) { AddEnd(id, graph_.outputs_); }
  void AddMetadata(std::string_view key, std::string value);
  void AddFile(std::shared_ptr<const MappedFile> file);
  // Copies decoded bytes into memory that lives as long as the graph.
  ByteSpan Keep(std::string_view bytes);

  // Counts memory that callers allocate, for inferred shapes, scales and scopes. Returns false if
  // the limit is reached.
  bool Spend(std::uint64_t bytes);
  Result<void> CheckMemory() const;
  Result<void> Charge(std::uint64_t bytes) {
    Spend(bytes);
    return CheckMemory();
  }

  // Sorts the nodes so that a node comes after the nodes whose outputs it uses, and otherwise in
  // the order in which they were added. Sets the producers of tensors. Node ids change. Fails with
  // kInvalidArgument if nodes form a cycle, or if two nodes produce the same tensor.
  Result<void> Sort();

  const std::vector<TensorId>& inputs() const { return graph_.inputs_; }
  std::vector<ModelNode>& nodes() { return graph_.nodes_; }
  std::vector<ModelTensor>& tensors() { return graph_.tensors_; }
  ModelTensor& tensor(TensorId id) { return graph_.tensors_[IndexOf(id)]; }
  const ModelTensor& tensor(TensorId id) const { return graph_.tensors_[IndexOf(id)]; }
  const MappedFile& file() const { return *graph_.files_.front(); }
  std::size_t node_count() const { return graph_.nodes_.size(); }

  // Computes sizes in bytes and multiply-accumulates, builds the lookup tables and returns the
  // graph. Afterwards the assembler is empty.
  Result<ModelGraph> Finish();

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  template <typename T>
  using ByName = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  std::uint64_t MemoryLimit() const;
  std::uint64_t MemoryOf(const ModelNode& node) const;
  void AddEnd(TensorId id, std::vector<TensorId>& ends);
  std::string UniqueName(std::string wanted);
  std::string NameFor(const ModelNode& node) const;
  Result<void> FillProducers();
  // Marks the tensors that nodes use and that are computed only from constants, for example by a
  // transpose or a cast.
  std::vector<bool> FindStored() const;
  void CountBytes();
  void BuildLookups();

  ModelGraph graph_;
  ByName<TensorId> tensors_by_name_;
  ByName<std::size_t> tensor_numbers_;  // The number for the next tensor of this name.
  ByName<std::size_t> node_names_;      // The number for the next node of this name.
  std::unordered_set<std::size_t> breaks_cycles_;
  std::uint64_t spent_bytes_ = 0;
  bool is_exhausted_ = false;
};

// Completes the shape of a tensor with an inferred shape. If the file contains no shape, all sizes
// are inferred; otherwise only the unknown sizes.
void CompleteShape(ModelTensor& tensor, const std::vector<std::int64_t>& inferred);

// Returns the scope of a name: "layer1/0" for "/layer1/0/Conv", "model.layers.0" for
// "model.layers.0.weight". Returns an empty text if the name has no scope.
std::string ScopeOf(std::string_view name);

// Returns the number of elements of a shape. Returns nullopt if a size is unknown or the product
// overflows.
std::optional<std::uint64_t> ElementCount(const std::vector<std::int64_t>& shape);

// Returns the size in bytes of a tensor with this type and shape. Returns nullopt if the type has
// no fixed size or a size is unknown.
std::optional<std::uint64_t> BytesNeeded(DType type, const std::vector<std::int64_t>& shape);

// True for types whose elements consist of whole bytes. Sparse constants must have such a type.
bool CanBeSparse(DType type);

// "[64, 3, ?, 7]"
std::string ShapeText(const std::vector<std::int64_t>& shape);

}  // namespace cboard::model
