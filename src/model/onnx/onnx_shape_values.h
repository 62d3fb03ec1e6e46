// Computes the values of small tensors that an ONNX graph uses to compute shapes, for example in
// Shape -> Gather -> Concat -> Reshape.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/graph/graph_assembler.h"
#include "model/onnx/onnx_shape_rules.h"

namespace cboard::model::onnx_shapes {

// A special value for an unknown number in a small tensor. It is not -1, because -1 has a meaning
// in ONNX.
constexpr std::int64_t kUnknownValue = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kMaxShapeValues = 64;  // More dimensions than real tensors have.
// Maximum number of values that are stored for all tensors together. No real model needs more to
// compute shapes.
constexpr std::size_t kMaxNotedValues = std::size_t{1} << 22;

using NumberList = std::vector<double>;

// The range that Slice takes from a dimension of `size` elements, by Python's rules. `step` must
// not be 0 or kUnknownValue.
struct SliceRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};
SliceRange SliceOf(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step);

// The values of small tensors, computed from constants and from the nodes visited so far.
class ShapeValues {
 public:
  explicit ShapeValues(const GraphAssembler& graph) : graph_(graph) {}

  // Returns the values of a tensor. An unknown number is NaN. Returns nullopt if no values of the
  // tensor are known.
  std::optional<NumberList> Numbers(TensorId id) const;
  // Returns the values of a tensor as integers. An unknown number is kUnknownValue.
  std::optional<Shape> Integers(TensorId id) const;

  // Computes the values of a node's output. Call it after the nodes before it, and when the type of
  // the output is known.
  void Follow(const ModelNode& node);
  // Copies the known values of tensor `from` to tensor `id`.
  void Copy(TensorId id, TensorId from);

 private:
  // The shape of a tensor as seen from one dimension: `size` is the size of this dimension, `outer`
  // the number of elements before it, and `inner` the number of elements after it.
  struct Strides {
    std::size_t outer = 1, size = 1, inner = 1;
  };
  std::optional<Strides> StridesOf(TensorId id, std::int64_t axis) const;
  static std::optional<NumberList> Take(const NumberList& data, const Strides& strides,
                                        const Shape& indices);

  void Note(TensorId id, std::optional<NumberList> numbers);
  std::optional<NumberList> Compute(const ModelNode& node) const;
  std::optional<NumberList> Input(const ModelNode& node, std::size_t i) const;
  std::optional<NumberList> SizesOf(const ModelNode& node) const;
  std::optional<NumberList> Reduced(const ModelNode& node) const;
  std::optional<NumberList> Transposed(const ModelNode& node) const;
  std::optional<NumberList> Gathered(const ModelNode& node) const;
  std::optional<NumberList> Joined(const ModelNode& node) const;
  std::optional<NumberList> Sliced(const ModelNode& node) const;
  std::optional<NumberList> Filled(const ModelNode& node) const;
  std::optional<NumberList> Counted(const ModelNode& node) const;
  std::optional<NumberList> Chosen(const ModelNode& node) const;

  const GraphAssembler& graph_;
  std::unordered_map<std::size_t, NumberList> numbers_;
  std::size_t noted_values_ = 0;
};

// The inputs of one node. The shape rules use it.
class NodeInputs {
 public:
  NodeInputs(const ModelNode& node, const GraphAssembler& graph, const ShapeValues& values)
      : node_(node), graph_(graph), values_(values) {}

  const ModelNode& node() const { return node_; }

  // Returns an input of the node, or null if it is omitted.
  const ModelTensor* Tensor(std::size_t i) const;
  // Returns the shape of an input. Returns null if the input is omitted, or if its shape is not
  // known or has more dimensions than real tensors have. The last limit exists because shapes are
  // copied from node to node.
  const Shape* ShapeOf(std::size_t i) const;

  std::optional<NumberList> Numbers(std::size_t i) const;
  std::optional<Shape> Integers(std::size_t i) const;
  // Returns Integers(i) as a shape.
  Inferred Sizes(std::size_t i) const;
  // Returns the axes of a node, counted from the start. In older opsets they are an attribute, in
  // newer ones input `i`. Returns an empty list if both are omitted, and nullopt if the axes are
  // unknown or not dimensions of a tensor with this rank.
  Inferred Axes(std::size_t i, std::size_t rank) const;

 private:
  const ModelNode& node_;
  const GraphAssembler& graph_;
  const ShapeValues& values_;
};

}  // namespace cboard::model::onnx_shapes
