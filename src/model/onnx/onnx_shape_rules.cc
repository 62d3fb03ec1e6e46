#include "model/onnx/onnx_shape_rules.h"

#include <algorithm>
#include <span>

#include "model/graph/node_attributes.h"

namespace cboard::model::onnx_shapes {
namespace {

constexpr std::string_view kSameAsFirst[] = {
    "Relu",
    "LeakyRelu",
    "PRelu",
    "Elu",
    "Selu",
    "Celu",
    "Gelu",
    "Sigmoid",
    "HardSigmoid",
    "HardSwish",
    "Tanh",
    "Softplus",
    "Softsign",
    "Softmax",
    "LogSoftmax",
    "Hardmax",
    "Clip",
    "Abs",
    "Neg",
    "Exp",
    "Log",
    "Sqrt",
    "Reciprocal",
    "Erf",
    "Floor",
    "Ceil",
    "Round",
    "Sign",
    "Sin",
    "Cos",
    "Dropout",
    "BatchNormalization",
    "CumSum",
    "LRN",
    "InstanceNormalization",
    "Mish",
    "ThresholdedRelu",
    "LayerNormalization",
    "Trilu",
    "FastGelu",
    "QuickGelu",
    "BiasGelu",
    "GroupNormalization",
    "MeanVarianceNormalization",
    "SimplifiedLayerNormalization",
    "SkipLayerNormalization",
    "QLinearLeakyRelu",
    "QLinearSigmoid",
    "QLinearSoftmax",
    "Swish",
    "RMSNormalization",
    "LpNormalization",
    "Identity",
    "Cast",
    "QuantizeLinear",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "Not",
    "BitwiseNot",
    "IsNaN",
    "IsInf",
    "Tan",
    "Asin",
    "Acos",
    "Atan",
    "Sinh",
    "Cosh",
    "Asinh",
    "Acosh",
    "Atanh",
    "Shrink",
    "EyeLike",
    "RandomNormalLike",
    "RandomUniformLike",
    "ReverseSequence",
    "Scatter",
    "ScatterElements",
    "ScatterND",
};

constexpr std::string_view kBroadcasts[] = {
    "Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean", "Mod", "BitShift",
};
constexpr std::string_view kComparisons[] = {
    "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual", "And", "Or", "Xor",
};

bool IsOneOf(std::string_view op, std::span<const std::string_view> list) {
  return std::ranges::find(list, op) != list.end();
}

}  // namespace

std::int64_t Product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product)) return kUnknown;
  return product;
}

std::int64_t Sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return kUnknown;
  return sum;
}

Shape Broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 1; i <= result.size(); ++i) {
    const std::int64_t left = i <= a.size() ? a[a.size() - i] : 1;
    const std::int64_t right = i <= b.size() ? b[b.size() - i] : 1;
    result[result.size() - i] = left == 1 ? right : right == 1 ? left : left < 0 ? right : left;
  }
  return result;
}

std::optional<std::size_t> AxisOf(std::int64_t axis, std::size_t rank) {
  if (axis < 0) axis += static_cast<std::int64_t>(rank);
  if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
  return static_cast<std::size_t>(axis);
}

bool IsSameAsFirst(std::string_view op) { return IsOneOf(op, kSameAsFirst); }

bool IsBroadcast(std::string_view op) { return IsOneOf(op, kBroadcasts); }

bool IsComparison(std::string_view op) { return IsOneOf(op, kComparisons); }

Inferred InferMatMul(Shape a, const Shape* right) {
  if (right == nullptr || a.empty() || right->empty()) return std::nullopt;
  Shape b = *right;
  const bool left_is_vector = a.size() == 1, right_is_vector = b.size() == 1;
  if (left_is_vector) a.insert(a.begin(), 1);
  if (right_is_vector) b.push_back(1);
  const std::int64_t rows = a[a.size() - 2], columns = b.back();
  a.resize(a.size() - 2);
  b.resize(b.size() - 2);
  Shape shape = Broadcast(a, b);
  if (!left_is_vector) shape.push_back(rows);
  if (!right_is_vector) shape.push_back(columns);
  return shape;
}

Inferred InferGemm(const ModelNode& node, const Shape& a, const Shape* b) {
  if (b == nullptr || a.size() != 2 || b->size() != 2) return std::nullopt;
  return Shape{a[IntOf(node, "transA", 0) != 0 ? 1 : 0],
               (*b)[IntOf(node, "transB", 0) != 0 ? 0 : 1]};
}

Inferred InferFlatten(const ModelNode& node, const Shape& input) {
  std::int64_t axis = IntOf(node, "axis", 1);
  const auto rank = static_cast<std::int64_t>(input.size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return std::nullopt;
  Shape shape = {1, 1};
  for (std::int64_t i = 0; i < rank; ++i) {
    std::int64_t& size = shape[i < axis ? 0 : 1];
    size = Product(size, input[static_cast<std::size_t>(i)]);
  }
  return shape;
}

Inferred InferTranspose(const ModelNode& node, const Shape& input) {
  Shape shape(input.rbegin(), input.rend());
  if (const Shape* order = IntsOf(node, "perm")) {
    if (order->size() != input.size()) return std::nullopt;
    for (std::size_t i = 0; i < input.size(); ++i) {
      const std::optional<std::size_t> from = AxisOf((*order)[i], input.size());
      if (!from) return std::nullopt;
      shape[i] = input[*from];
    }
  }
  return shape;
}

Inferred InferGather(const ModelNode& node, const Shape& input, const Shape* indices) {
  const std::optional<std::size_t> axis = AxisOf(IntOf(node, "axis", 0), input.size());
  if (indices == nullptr || !axis) return std::nullopt;
  Shape shape(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(*axis));
  shape.insert(shape.end(), indices->begin(), indices->end());
  shape.insert(shape.end(), input.begin() + static_cast<std::ptrdiff_t>(*axis) + 1, input.end());
  return shape;
}

Inferred InferGatherNd(const ModelNode& node, const Shape& input, const Shape* indices) {
  if (indices == nullptr || indices->empty() || indices->back() < 0) return std::nullopt;
  const std::int64_t skipped = Sum(IntOf(node, "batch_dims", 0), indices->back());
  if (skipped < 0 || skipped > static_cast<std::int64_t>(input.size())) return std::nullopt;
  Shape shape(indices->begin(), indices->end() - 1);
  shape.insert(shape.end(), input.begin() + skipped, input.end());
  return shape;
}

Inferred InferBlocks(const ModelNode& node, const Shape& input) {
  const std::int64_t block = IntOf(node, "blocksize", 0);
  const std::int64_t area = Product(block, block);
  if (input.size() != 4 || area < 1) return std::nullopt;
  const auto part = [](std::int64_t size, std::int64_t of) { return size < 0 ? size : size / of; };
  if (node.op_type == "DepthToSpace") {
    return Shape{input[0], part(input[1], area), Product(input[2], block),
                 Product(input[3], block)};
  }
  return Shape{input[0], Product(input[1], area), part(input[2], block), part(input[3], block)};
}

DimensionRange PartOfShape(const ModelNode& node, std::size_t rank) {
  const auto size = static_cast<std::int64_t>(rank);
  const auto at = [&](std::string_view key, std::int64_t otherwise) {
    const std::int64_t given = IntOf(node, key, otherwise);
    return static_cast<std::size_t>(
        std::clamp<std::int64_t>(given < 0 ? given + size : given, 0, size));
  };
  const std::size_t first = at("start", 0);
  return {first, std::max(first, at("end", size))};
}

Inferred InferArgument(const ModelNode& node, const Shape& input) {
  const std::optional<std::size_t> axis = AxisOf(IntOf(node, "axis", 0), input.size());
  if (!axis) return std::nullopt;
  Shape shape = input;
  shape[*axis] = 1;
  if (IntOf(node, "keepdims", 1) == 0) {
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
  }
  return shape;
}

}  // namespace cboard::model::onnx_shapes
