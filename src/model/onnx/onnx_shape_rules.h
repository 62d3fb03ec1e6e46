// Shape rules of ONNX nodes that depend only on attributes and on the shapes of the inputs.
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

// These functions multiply and add sizes that come from a file. The result is unknown if it
// overflows.
std::int64_t Product(std::int64_t a, std::int64_t b);
std::int64_t Sum(std::int64_t a, std::int64_t b);

// Converts a negative `axis` to an index from the start. Returns nullopt if there is no such
// dimension.
std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank);

// Returns the shape after numpy's broadcasting. An unknown size becomes the other size, unless the
// other size is 1.
Shape Broadcast(const Shape& a, const Shape& b);

// True for operators whose output has the shape of the first input.
bool IsSameAsFirst(std::string_view op);
// True for operators whose inputs are broadcast to a common shape.
bool IsBroadcast(std::string_view op);
// True for operators that broadcast their inputs and have a boolean output.
bool IsComparison(std::string_view op);

// Infers the output shape of MatMul. `b` is null if its shape is not known.
Inferred InferMatMul(Shape a, const Shape* b);
Inferred InferGemm(const ModelNode& node, const Shape& a, const Shape* b);
Inferred InferFlatten(const ModelNode& node, const Shape& input);
Inferred InferTranspose(const ModelNode& node, const Shape& input);
Inferred InferGather(const ModelNode& node, const Shape& input, const Shape* indices);
Inferred InferGatherNd(const ModelNode& node, const Shape& input, const Shape* indices);
// Infers the output shape of DepthToSpace or SpaceToDepth.
Inferred InferBlocks(const ModelNode& node, const Shape& input);
// The range of dimensions whose sizes a Shape node returns: [first, end).
struct DimensionRange {
  std::size_t first = 0;
  std::size_t end = 0;
};
DimensionRange PartOfShape(const ModelNode& node, std::size_t rank);
// Infers the output shape of ArgMax or ArgMin.
Inferred InferArgument(const ModelNode& node, const Shape& input);

}  // namespace cboard::model::onnx_shapes
