// Finds the channel dimension of a tensor, and the branches of the model that its channels come
// from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::compare {

struct ChannelLayout {
  std::size_t axis = 0;
  // The tensors that a Concat joined along `axis`, in the order of their channels. Empty if there
  // is no such Concat.
  struct Branch {
    std::string node;  // The node that computes the branch.
    std::size_t channels = 0;
  };
  std::vector<Branch> branches;
  bool is_softmax = false;  // Softmax was computed along `axis`.
};

// Finds the channel axis of a tensor. Goes back to the convolution, matrix product or Softmax from
// which the tensor is computed. The channel axis of that operator is known. Then follows this axis
// forward through Transpose, Reshape and Concat.
//
//   ChannelTracer tracer(model, [&](TensorId id) { return shapes.at(id); });
//   tracer.Trace(output);  // 1 x 18 x 2100, a Concat of boxes and scores: axis 1, {4, 14}.
class ChannelTracer {
 public:
  using ShapeOf = std::function<const std::vector<std::int64_t>*(model::TensorId)>;

  // Borrows the model. `shape_of` returns the shape of a tensor, or null if it is unknown.
  ChannelTracer(const model::ModelGraph& model, ShapeOf shape_of)
      : model_(model), shape_of_(std::move(shape_of)) {}

  // Returns the channel axis of a tensor; nullopt if no operator with channels is found.
  std::optional<ChannelLayout> Trace(model::TensorId tensor) const;

  // Returns the tensors whose shapes Trace() needs; at most 256.
  static std::vector<model::TensorId> TensorsOnTheWay(const model::ModelGraph& model,
                                                      model::TensorId tensor);

 private:
  using Visited = std::unordered_set<model::TensorId>;

  std::optional<ChannelLayout> Trace(model::TensorId tensor, Visited& visited) const;
  std::optional<ChannelLayout> TraceThrough(const model::ModelNode& node, model::TensorId tensor,
                                            Visited& visited) const;
  std::optional<ChannelLayout> TraceConcat(const model::ModelNode& node, std::size_t rank,
                                           Visited& visited) const;
  std::optional<ChannelLayout> TraceReshape(const model::ModelNode& node,
                                            const std::vector<std::int64_t>& shape,
                                            Visited& visited) const;
  std::optional<ChannelLayout> TraceFirst(const model::ModelNode& node, std::size_t rank,
                                          Visited& visited) const;

  const model::ModelGraph& model_;
  ShapeOf shape_of_;
};

}  // namespace cboard::compare
