// Builds a ModelGraph; one per format reader.
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

// Position of the stored bytes of a constant, not yet checked against the shape.
struct StoredBytes {
  ByteSpan data;
  bool may_repeat_last = false;  // TensorFlow's rule for lists that are shorter than the shape.
};

// Builds a graph and limits its memory. A small file can request a lot of memory: empty nodes take
// two bytes each, names get the prefix of their scope, functions are inlined at each call, and many
// offsets of a flatbuffer may lead to the same place. Beyond a limit that depends on the file size,
// additions are ignored, and CheckMemory, Charge, SetConstant, Sort and Finish fail with
// kResourceExhausted. A loop whose length the file controls must call one of them in each
// iteration.
class GraphAssembler {
 public:
  GraphAssembler(ModelFormat format, std::shared_ptr<const MappedFile> file);

  // Returns the tensor with this name; creates it if it is new. Names are unique.
  TensorId Tensor(std::string_view name);
  TensorId FindTensor(std::string_view name) const;
  // Creates a tensor called `wanted`, or `wanted_1` and so on if the name exists.
  TensorId NewTensor(const std::string& wanted);

  // Makes `id` a constant of this type and shape. Fails with kDataLoss, naming the tensor, if the
  // shape is impossible or does not match the bytes.
  Result<void> SetConstant(TensorId id, DType type, std::vector<std::int64_t> shape,
                           const StoredBytes& stored);

  // Makes `id` a constant that the file stores as a sparse tensor of `stored_bytes`. Returns its
  // expanded memory, filled with zeros; the caller writes the other values. Fails like SetConstant,
  // and with kResourceExhausted, before allocation, if the expanded size is unrealistic for a file
  // of this size.
  Result<MutableByteSpan> SetUnfolded(TensorId id, DType type, std::vector<std::int64_t> shape,
                                      std::uint64_t stored_bytes);

  // Sets type and shape of an input or a computed tensor; constants are not
  // changed.
  void Describe(TensorId id, DType type, std::vector<std::int64_t> shape);

  // Adds a node. An empty name is derived from output or type, and a number is added to a name that
  // exists. `parent` is the id that AddNode returned for the node whose subgraph contains this one.
  NodeId AddNode(ModelNode node);

  // Returns `wanted` as a unique scope, with a number added if a node or scope already has this
  // name, and reserves it.
  std::string UniqueScope(std::string wanted) { return UniqueName(std::move(wanted)); }

  // Marks a node whose outputs may come before its inputs, such as the nodes that close loops in
  // TensorFlow.
  void BreaksCycles(NodeId id) { breaks_cycles_.insert(IndexOf(id)); }

  void AddInput(TensorId id) { AddEnd(id, graph_.inputs_); }
  void AddOutput(TensorId id) { AddEnd(id, graph_.outputs_); }
  void AddMetadata(std::string_view key, std::string value);
  void AddFile(std::shared_ptr<const MappedFile> file);
  // Stores decoded bytes in the graph, so that they live as long as the graph.
  ByteSpan Keep(std::string_view bytes);

  // Counts memory that callers allocate, for inferred shapes, scales and scopes. False if the limit
  // is reached.
  bool Spend(std::uint64_t bytes);
  Result<void> CheckMemory() const;
  Result<void> Charge(std::uint64_t bytes) {
    Spend(bytes);
    return CheckMemory();
  }

  // Sorts nodes so that producers come first, and otherwise in the order of addition, and sets
  // producers. Node ids change. Fails with kInvalidArgument if nodes form a cycle or two nodes
  // produce the same tensor.
  Result<void> Sort();

  const std::vector<TensorId>& inputs() const { return graph_.inputs_; }
  std::vector<ModelNode>& nodes() { return graph_.nodes_; }
  std::vector<ModelTensor>& tensors() { return graph_.tensors_; }
  ModelTensor& tensor(TensorId id) { return graph_.tensors_[IndexOf(id)]; }
  const ModelTensor& tensor(TensorId id) const { return graph_.tensors_[IndexOf(id)]; }
  const MappedFile& file() const { return *graph_.files_.front(); }
  std::size_t node_count() const { return graph_.nodes_.size(); }

  // Counts bytes and multiply-accumulates, builds the lookup tables and returns the graph. The
  // assembler is empty afterwards.
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
  // Marks the tensors that nodes use and that are computed only from constants: transposed, cast,
  // summed.
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

// Sets the shape of a tensor to the inferred one if the file has none, and its unknown sizes
// otherwise.
void CompleteShape(ModelTensor& tensor, const std::vector<std::int64_t>& inferred);

// Returns the scope of a name: "layer1/0" for "/layer1/0/Conv", "model.layers.0" for
// "model.layers.0.weight"; empty if it has none.
std::string ScopeOf(std::string_view name);

// Returns the number of elements of a shape; nullopt if a size is unknown or the product overflows.
std::optional<std::uint64_t> ElementCount(const std::vector<std::int64_t>& shape);

// Returns the size in bytes of a tensor with this shape; nullopt if shape or type have no fixed
// size.
std::optional<std::uint64_t> BytesNeeded(DType type, const std::vector<std::int64_t>& shape);

// True for types whose elements are whole bytes, which sparse constants require.
bool CanBeSparse(DType type);

// "[64, 3, ?, 7]"
std::string ShapeText(const std::vector<std::int64_t>& shape);

}  // namespace cboard::model
