// Shape rules of ONNX nodes that need only attributes and the shapes of the inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cboard/model/model_graph.h"

namespace cboard::model::onnx_shapes {

using Shape = std::vector<std::int64_t>;
using Inferred = std::optional<Shape>;

constexpr std::int64_t kUnknown = -1;

// Sizes come from files: products that overflow are unknown.
std::int64_t Product(std::int64_t a, std::int64_t b);
std::int64_t Sum(std::int64_t a, std::int64_t b);

// Resolves a negative `axis`; nullopt if there is no such dimension.
std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank);

// numpy's broadcasting. An unknown size takes the other size unless that is one.
Shape Broadcast(const Shape& a, const Shape& b);

// Nodes whose output has the shape of the first input.
bool IsSameAsFirst(std::string_view op);
// Nodes whose inputs are broadcast against each other.
bool IsBroadcast(std::string_view op);
// The same, with booleans as outputs.
bool IsComparison(std::string_view op);

// `b` may be null when its shape is not known.
Inferred InferMatMul(Shape a, const Shape* b);
Inferred InferGemm(const ModelNode& node, const Shape& a, const Shape* b);
Inferred InferFlatten(const ModelNode& node, const Shape& input);
Inferred InferTranspose(const ModelNode& node, const Shape& input);
Inferred InferGather(const ModelNode& node, const Shape& input, const Shape* indices);
Inferred InferGatherNd(const ModelNode& node, const Shape& input, const Shape* indices);
// DepthToSpace and SpaceToDepth.
Inferred InferBlocks(const ModelNode& node, const Shape& input);
// The dimensions of its input whose sizes a node of type Shape gives.
struct DimensionRange {
  std::size_t first = 0;
  std::size_t end = 0;
};
DimensionRange PartOfShape(const ModelNode& node, std::size_t rank);
// ArgMax and ArgMin.
Inferred InferArgument(const ModelNode& node, const Shape& input);

}  // namespace cboard::model::onnx_shapes
