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

// Counts the memory of all that is added, because few bytes of a file may ask for much of it: empty
// nodes take two bytes each, names stand behind scopes, functions unfold at each call, and offsets
// of a flatbuffer lead many times to the same place. Beyond what a file of this size has reason to
// ask for, what is added is left out, and CheckMemory, Charge, SetConstant, Sort and Finish fail
// with kResourceExhausted; loops that a file can make long ask one of them at each turn.
class GraphAssembler {
 public:
  GraphAssembler(ModelFormat format, std::shared_ptr<const MappedFile> file);

  // The tensor of this name, made if it is new. Names are unique.
  TensorId Tensor(std::string_view name);
  TensorId FindTensor(std::string_view name) const;
  // A new tensor called `wanted`, or `wanted_1` and so on if the name exists.
  TensorId NewTensor(const std::string& wanted);

  // Makes `id` a constant of this type and shape. Fails with kDataLoss when the shape is impossible
  // or does not match the bytes, and then names the tensor.
  Result<void> SetConstant(TensorId id, DType type, std::vector<std::int64_t> shape,
                           const StoredBytes& stored);

  // The same for a constant that the file stores without its zeros, in `stored_bytes`: returns its
  // bytes, all zero, for the others to be filled in. Fails besides with kResourceExhausted, before
  // memory is taken, when there are more zeros than a file of this size has reason to leave out.
  Result<MutableByteSpan> SetUnfolded(TensorId id, DType type, std::vector<std::int64_t> shape,
                                      std::uint64_t stored_bytes);

  // Sets type and shape of a tensor that is computed or an input; does not overwrite those of a
  // constant.
  void Describe(TensorId id, DType type, std::vector<std::int64_t> shape);

  // An empty name is made from output or type, and one that is taken gets a number. `parent` is the
  // position that AddNode returned for the node whose subgraph this is.
  NodeId AddNode(ModelNode node);

  // `wanted`, with a number if a node or scope has this name already; it is taken from then on.
  std::string UniqueScope(std::string wanted) { return UniqueName(std::move(wanted)); }

  // Adds a node whose outputs may come before its inputs, as nodes that close TensorFlow's loops
  // do.
  void BreaksCycles(NodeId id) { breaks_cycles_.insert(IndexOf(id)); }

  void AddInput(TensorId id) { AddEnd(id, graph_.inputs_); }
  void AddOutput(TensorId id) { AddEnd(id, graph_.outputs_); }
  void AddMetadata(std::string_view key, std::string value);
  void AddFile(std::shared_ptr<const MappedFile> file);
  // Takes bytes that had to be decoded; they live as long as the graph.
  ByteSpan Keep(std::string_view bytes);

  // Counts memory that callers allocate: for inferred shapes, scales, scopes. False if the limit is
  // reached.
  bool Spend(std::uint64_t bytes);
  Result<void> CheckMemory() const;
  Result<void> Charge(std::uint64_t bytes) {
    Spend(bytes);
    return CheckMemory();
  }

  // Orders nodes so that producers come first, otherwise as they were added, and fills in
  // producers. Node ids change. Fails with kInvalidArgument when nodes form a cycle or two produce
  // the same tensor.
  Result<void> Sort();

  const std::vector<TensorId>& inputs() const { return graph_.inputs_; }
  std::vector<ModelNode>& nodes() { return graph_.nodes_; }
  std::vector<ModelTensor>& tensors() { return graph_.tensors_; }
  ModelTensor& tensor(TensorId id) { return graph_.tensors_[IndexOf(id)]; }
  const ModelTensor& tensor(TensorId id) const { return graph_.tensors_[IndexOf(id)]; }
  const MappedFile& file() const { return *graph_.files_.front(); }
  std::size_t node_count() const { return graph_.nodes_.size(); }

  // Counts bytes and multiply-accumulates, and builds the lookups. The assembler is empty then.
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
  // Tensors that nodes use and that are computed from constants alone: transposed, cast, summed.
  std::vector<bool> FindStored() const;
  void CountBytes();
  void BuildLookups();

  ModelGraph graph_;
  ByName<TensorId> tensors_by_name_;
  ByName<std::size_t> tensor_numbers_;  // The number that the next tensor of this name gets.
  ByName<std::size_t> node_names_;      // The number that the next node of this name gets.
  std::unordered_set<std::size_t> breaks_cycles_;
  std::uint64_t spent_bytes_ = 0;
  bool is_exhausted_ = false;
};

// Takes an inferred shape where the file has none, and its sizes where the file leaves them open.
void CompleteShape(ModelTensor& tensor, const std::vector<std::int64_t>& inferred);

// The scope of a name: "layer1/0" for "/layer1/0/Conv", "model.layers.0" for
// "model.layers.0.weight"; empty if it has none.
std::string ScopeOf(std::string_view name);

// The number of elements of a shape; nullopt if a size is unknown or the product overflows.
std::optional<std::uint64_t> ElementCount(const std::vector<std::int64_t>& shape);

// The bytes of a tensor with this shape; nullopt if shape or type have no fixed size.
std::optional<std::uint64_t> BytesNeeded(DType type, const std::vector<std::int64_t>& shape);

// True for types with whole bytes, as the values of a sparse constant must be.
bool CanBeSparse(DType type);

// "[64, 3, ?, 7]"
std::string ShapeText(const std::vector<std::int64_t>& shape);

}  // namespace cboard::model
