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

// Multiplies sizes from a file; the result is unknown if the product overflows.
std::int64_t Product(std::int64_t a, std::int64_t b);
std::int64_t Sum(std::int64_t a, std::int64_t b);

// Resolves a negative `axis`; nullopt if there is no such dimension.
std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank);

// Applies numpy's broadcasting. An unknown size becomes the other size, unless that is 1.
Shape Broadcast(const Shape& a, const Shape& b);

// True for nodes whose output has the shape of the first input.
bool IsSameAsFirst(std::string_view op);
// True for nodes whose inputs are broadcast against each other.
bool IsBroadcast(std::string_view op);
// True for broadcasting nodes with boolean outputs.
bool IsComparison(std::string_view op);

// Infers the output shape of MatMul; `b` is null if its shape is not known.
Inferred InferMatMul(Shape a, const Shape* b);
Inferred InferGemm(const ModelNode& node, const Shape& a, const Shape* b);
Inferred InferFlatten(const ModelNode& node, const Shape& input);
Inferred InferTranspose(const ModelNode& node, const Shape& input);
Inferred InferGather(const ModelNode& node, const Shape& input, const Shape* indices);
Inferred InferGatherNd(const ModelNode& node, const Shape& input, const Shape* indices);
// Infers the output shape of DepthToSpace and SpaceToDepth.
Inferred InferBlocks(const ModelNode& node, const Shape& input);
// The range of dimensions whose sizes a Shape node returns.
struct DimensionRange {
  std::size_t first = 0;
  std::size_t end = 0;
};
DimensionRange PartOfShape(const ModelNode& node, std::size_t rank);
// Infers the output shape of ArgMax and ArgMin.
Inferred InferArgument(const ModelNode& node, const Shape& input);

}  // namespace cboard::model::onnx_shapes
