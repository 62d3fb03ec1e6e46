#include "model/onnx/onnx_shape_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/graph/node_attributes.h"
#include "model/graph/stored_values.h"

namespace cboard::model::onnx_shapes {
namespace {

constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();

// A number that is larger than all sizes. A slice "to the end" uses the largest integer as its end.
constexpr double kLargest = 4611686018427387904.0;  // 2^62

std::int64_t ToInteger(double number) {
  if (std::isnan(number)) return kUnknownValue;
  return static_cast<std::int64_t>(std::clamp(number, -kLargest, kLargest));
}

// Applies an operator to two numbers. Returns NaN for unknown operators.
double Apply(std::string_view op, double a, double b, bool is_integer) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return is_integer ? std::trunc(a / b) : a / b;
  if (std::isnan(a) || std::isnan(b)) return kUnknownNumber;
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Equal") return a == b ? 1 : 0;
  if (op == "Less") return a < b ? 1 : 0;
  if (op == "Greater") return a > b ? 1 : 0;
  if (op == "And") return a != 0 && b != 0 ? 1 : 0;
  if (op == "Or") return a != 0 || b != 0 ? 1 : 0;
  return kUnknownNumber;
}

bool IsBinary(std::string_view op) {
  return op == "Add" || op == "Sub" || op == "Mul" || op == "Div" || op == "Min" || op == "Max" ||
         op == "Equal" || op == "Less" || op == "Greater" || op == "And" || op == "Or";
}

// Combines two lists of numbers element by element. A list of one number is broadcast.
template <typename Combine>
std::optional<NumberList> Pairwise(const std::optional<NumberList>& a,
                                   const std::optional<NumberList>& b, const Combine& combine) {
  if (!a || !b || a->empty() || b->empty()) return std::nullopt;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return std::nullopt;
  NumberList result(std::max(a->size(), b->size()));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = combine((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]);
  }
  return result;
}

template <typename Change>
std::optional<NumberList> Each(std::optional<NumberList> numbers, const Change& change) {
  if (numbers) std::ranges::transform(*numbers, numbers->begin(), change);
  return numbers;
}

}  // namespace

std::optional<NumberList> ShapeValues::Numbers(TensorId id) const {
  if (id == kNoTensor) return std::nullopt;
  const ModelTensor& tensor = graph_.tensor(id);
  if (tensor.is_constant) {
    if (const auto integers = IntegersOf(tensor, kMaxShapeValues)) {
      return NumberList(integers->begin(), integers->end());
    }
    if (!HoldsRealNumbers(tensor.type)) return std::nullopt;
    const auto floats = FloatsOf(tensor, kMaxShapeValues);
    if (!floats) return std::nullopt;
    return NumberList(floats->begin(), floats->end());
  }
  const auto found = numbers_.find(IndexOf(id));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::optional<Shape> ShapeValues::Integers(TensorId id) const {
  const auto numbers = Numbers(id);
  if (!numbers) return std::nullopt;
  Shape integers(numbers->size());
  std::ranges::transform(*numbers, integers.begin(), ToInteger);
  return integers;
}

SliceRange SliceOf(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  const auto clamp = [&](std::int64_t at) {
    return std::clamp(at < 0 ? at + size : at, low, high);
  };
  const std::int64_t begin = clamp(start), stop = clamp(end);
  const std::int64_t length = step > 0 ? stop - begin : begin - stop;
  if (length <= 0) return {begin, 0};
  return {begin, (length - 1) / (step > 0 ? step : -step) + 1};
}

void ShapeValues::Copy(TensorId id, TensorId from) { Note(id, Numbers(from)); }

void ShapeValues::Follow(const ModelNode& node) {
  if (node.outputs.empty() || node.outputs[0] == kNoTensor) return;
  Note(node.outputs[0], Compute(node));
}

void ShapeValues::Note(TensorId id, std::optional<NumberList> numbers) {
  if (!numbers || numbers->size() > kMaxShapeValues ||
      noted_values_ + numbers->size() > kMaxNotedValues) {
    return;
  }
  noted_values_ += numbers->size();
  numbers_.try_emplace(IndexOf(id), *std::move(numbers));
}

std::optional<NumberList> ShapeValues::Input(const ModelNode& node, std::size_t i) const {
  return i < node.inputs.size() ? Numbers(node.inputs[i]) : std::nullopt;
}

std::optional<NumberList> ShapeValues::Compute(const ModelNode& node) const {
  const std::string_view op = node.op_type;
  const bool is_integer = IsInteger(graph_.tensor(node.outputs[0]).type);
  if (op == "Shape") return SizesOf(node);
  if (op == "Identity" || op == "Unsqueeze" || op == "Squeeze" || op == "Reshape") {
    return Input(node, 0);
  }
  if (op == "Cast") {
    return Each(Input(node, 0), [&](double x) { return is_integer ? std::trunc(x) : x; });
  }
  if (op == "Neg") return Each(Input(node, 0), [](double x) { return -x; });
  if (op == "Floor") return Each(Input(node, 0), [](double x) { return std::floor(x); });
  if (op == "Ceil") return Each(Input(node, 0), [](double x) { return std::ceil(x); });
  if (op == "Round") return Each(Input(node, 0), [](double x) { return std::nearbyint(x); });
  if (op == "Not") {
    return Each(Input(node, 0), [](double x) { return std::isnan(x) ? x : x == 0 ? 1.0 : 0.0; });
  }
  if (op == "Size" || op.starts_with("Reduce")) return Reduced(node);
  if (op == "Transpose") return Transposed(node);
  if (op == "Gather") return Gathered(node);
  if (op == "Concat") return Joined(node);
  if (op == "Slice") return Sliced(node);
  if (op == "ConstantOfShape") return Filled(node);
  if (op == "Range") return Counted(node);
  if (op == "Where") return Chosen(node);
  if (IsBinary(op) && node.inputs.size() == 2) {
    return Pairwise(Input(node, 0), Input(node, 1),
                    [&](double a, double b) { return Apply(op, a, b, is_integer); });
  }
  return std::nullopt;
}

std::optional<NumberList> ShapeValues::SizesOf(const ModelNode& node) const {
  if (node.inputs.empty() || node.inputs[0] == kNoTensor) return std::nullopt;
  const ModelTensor& input = graph_.tensor(node.inputs[0]);
  if (!input.has_shape) return std::nullopt;
  const DimensionRange part = PartOfShape(node, input.shape.size());
  if (part.end > part.first + kMaxShapeValues) return std::nullopt;
  NumberList sizes;
  for (std::size_t i = part.first; i < part.end; ++i) {
    sizes.push_back(input.shape[i] < 0 ? kUnknownNumber : static_cast<double>(input.shape[i]));
  }
  return sizes;
}

// Computes a reduction over all numbers of a list. For the operator Size, returns the product of
// all sizes of the input.
std::optional<NumberList> ShapeValues::Reduced(const ModelNode& node) const {
  const bool is_size = node.op_type == "Size";
  const auto numbers = is_size ? SizesOf(node) : Input(node, 0);
  if (!numbers || (!is_size && Input(node, 1).value_or(NumberList{0}) != NumberList{0})) {
    return std::nullopt;
  }
  const std::string_view op = is_size || node.op_type == "ReduceProd" ? "Mul"
                              : node.op_type == "ReduceSum"           ? "Add"
                              : node.op_type == "ReduceMax"           ? "Max"
                              : node.op_type == "ReduceMin"           ? "Min"
                                                                      : "";
  const auto strides = StridesOf(node.inputs[0], 0);
  if (op.empty() || (!is_size && (!strides || strides->inner != 1))) return std::nullopt;
  if (numbers->empty()) return op == "Mul" ? std::optional(NumberList{1}) : std::nullopt;
  double result = (*numbers)[0];
  for (std::size_t i = 1; i < numbers->size(); ++i) result = Apply(op, result, (*numbers)[i], true);
  return NumberList{result};
}

std::optional<ShapeValues::Strides> ShapeValues::StridesOf(TensorId id, std::int64_t axis) const {
  const ModelTensor& tensor = graph_.tensor(id);
  if (!tensor.has_shape || tensor.shape.size() > kMaxShapeValues) return std::nullopt;
  const Shape shape = tensor.shape.empty() ? Shape{1} : tensor.shape;
  const std::optional<std::size_t> at = AxisOf(axis, shape.size());
  if (!at) return std::nullopt;
  Strides strides;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0 || shape[i] > static_cast<std::int64_t>(kMaxShapeValues)) return std::nullopt;
    const auto size = static_cast<std::size_t>(shape[i]);
    (i < *at ? strides.outer : i == *at ? strides.size : strides.inner) *= size;
    if (strides.outer * strides.size * strides.inner > kMaxShapeValues) return std::nullopt;
  }
  return strides;
}

std::optional<NumberList> ShapeValues::Take(const NumberList& data, const Strides& strides,
                                            const Shape& indices) {
  if (strides.outer * strides.size * strides.inner != data.size() ||
      strides.outer * indices.size() * strides.inner > kMaxShapeValues) {
    return std::nullopt;
  }
  NumberList result;
  for (std::size_t outer = 0; outer < strides.outer; ++outer) {
    for (const std::int64_t index : indices) {
      const std::optional<std::size_t> at = AxisOf(index, strides.size);
      if (!at) return std::nullopt;
      const std::size_t begin = (outer * strides.size + *at) * strides.inner;
      for (std::size_t i = 0; i < strides.inner; ++i) result.push_back(data[begin + i]);
    }
  }
  return result;
}

// Transposes a list or a matrix. Exporters reorder paddings with such nodes.
std::optional<NumberList> ShapeValues::Transposed(const ModelNode& node) const {
  const auto numbers = Input(node, 0);
  if (!numbers) return std::nullopt;
  const std::size_t rank = graph_.tensor(node.inputs[0]).shape.size();
  const auto strides = StridesOf(node.inputs[0], 0);
  const Shape* order = IntsOf(node, "perm");
  if (!strides || strides->size * strides->inner != numbers->size()) return std::nullopt;
  if (rank < 2) return numbers;
  if (rank > 2 || (order != nullptr && *order != Shape{1, 0})) return std::nullopt;
  NumberList result;
  for (std::size_t column = 0; column < strides->inner; ++column) {
    for (std::size_t row = 0; row < strides->size; ++row) {
      result.push_back((*numbers)[row * strides->inner + column]);
    }
  }
  return result;
}

std::optional<NumberList> ShapeValues::Gathered(const ModelNode& node) const {
  const auto data = Input(node, 0), given = Input(node, 1);
  if (!data || !given) return std::nullopt;
  const auto strides = StridesOf(node.inputs[0], IntOf(node, "axis", 0));
  Shape indices(given->size());
  std::ranges::transform(*given, indices.begin(), ToInteger);
  return strides ? Take(*data, *strides, indices) : std::nullopt;
}

std::optional<NumberList> ShapeValues::Joined(const ModelNode& node) const {
  if (node.inputs.empty() || node.inputs[0] == kNoTensor) return std::nullopt;
  const auto strides = StridesOf(node.inputs[0], IntOf(node, "axis", 0));
  if (!strides || strides->outer != 1) return std::nullopt;
  NumberList result;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto part = Input(node, i);
    if (!part || result.size() + part->size() > kMaxShapeValues) return std::nullopt;
    result.insert(result.end(), part->begin(), part->end());
  }
  return result;
}

// Slices a list along one dimension.
std::optional<NumberList> ShapeValues::Sliced(const ModelNode& node) const {
  const auto data = Input(node, 0);
  const auto number = [&](std::size_t i, std::string_view key,
                          std::optional<std::int64_t> otherwise) -> std::optional<std::int64_t> {
    if (const Shape* list = IntsOf(node, key)) {
      return list->size() == 1 ? std::optional(list->front()) : std::nullopt;
    }
    if (i >= node.inputs.size() || node.inputs[i] == kNoTensor) return otherwise;
    const auto given = Integers(node.inputs[i]);
    if (!given || given->size() != 1 || given->front() == kUnknownValue) return std::nullopt;
    return given->front();
  };
  const auto start = number(1, "starts", std::nullopt), end = number(2, "ends", std::nullopt);
  const auto axis = number(3, "axes", 0), step = number(4, "", 1);
  if (!data || !start || !end || !axis || !step || *step == 0) return std::nullopt;
  const auto strides = StridesOf(node.inputs[0], *axis);
  if (!strides) return std::nullopt;
  const SliceRange taken = SliceOf(static_cast<std::int64_t>(strides->size), *start, *end, *step);
  Shape indices;
  for (std::int64_t i = 0; i < taken.count; ++i) indices.push_back(taken.begin + i * *step);
  return Take(*data, *strides, indices);
}

std::optional<NumberList> ShapeValues::Filled(const ModelNode& node) const {
  const auto sizes = Input(node, 0);
  if (!sizes) return std::nullopt;
  double count = 1;
  for (const double size : *sizes) count *= size;
  if (!(count >= 0 && count <= static_cast<double>(kMaxShapeValues))) return std::nullopt;
  return NumberList(static_cast<std::size_t>(count), NumberOf(node, "value", 0));
}

std::optional<NumberList> ShapeValues::Counted(const ModelNode& node) const {
  const auto start = Input(node, 0), limit = Input(node, 1), step = Input(node, 2);
  const auto is_one = [](const auto& list) {
    return list && list->size() == 1 && std::isfinite((*list)[0]);
  };
  if (!is_one(start) || !is_one(limit) || !is_one(step) || (*step)[0] == 0) return std::nullopt;
  const double count = std::ceil(((*limit)[0] - (*start)[0]) / (*step)[0]);
  if (count > static_cast<double>(kMaxShapeValues)) return std::nullopt;
  NumberList result;
  for (double i = 0; i < count; ++i) result.push_back((*start)[0] + i * (*step)[0]);
  return result;
}

std::optional<NumberList> ShapeValues::Chosen(const ModelNode& node) const {
  const auto condition = Input(node, 0), yes = Input(node, 1), no = Input(node, 2);
  if (!condition || !yes || !no) return std::nullopt;
  const std::size_t size = std::max({condition->size(), yes->size(), no->size()});
  NumberList result(size);
  for (const auto* list : {&*condition, &*yes, &*no}) {
    if (list->size() != size && list->size() != 1) return std::nullopt;
  }
  const auto at = [](const NumberList& list, std::size_t i) {
    return list[list.size() == 1 ? 0 : i];
  };
  for (std::size_t i = 0; i < size; ++i) {
    const double which = at(*condition, i), a = at(*yes, i), b = at(*no, i);
    result[i] = a == b ? a : std::isnan(which) ? kUnknownNumber : which != 0 ? a : b;
  }
  return result;
}

const ModelTensor* NodeInputs::Tensor(std::size_t i) const {
  if (i >= node_.inputs.size() || node_.inputs[i] == kNoTensor) return nullptr;
  return &graph_.tensor(node_.inputs[i]);
}

const Shape* NodeInputs::ShapeOf(std::size_t i) const {
  const ModelTensor* input = Tensor(i);
  if (input == nullptr || !input->has_shape) return nullptr;
  return input->shape.size() <= kMaxShapeValues ? &input->shape : nullptr;
}

std::optional<NumberList> NodeInputs::Numbers(std::size_t i) const {
  return Tensor(i) == nullptr ? std::nullopt : values_.Numbers(node_.inputs[i]);
}

std::optional<Shape> NodeInputs::Integers(std::size_t i) const {
  return Tensor(i) == nullptr ? std::nullopt : values_.Integers(node_.inputs[i]);
}

Inferred NodeInputs::Sizes(std::size_t i) const {
  std::optional<Shape> sizes = Integers(i);
  if (sizes) {
    for (std::int64_t& size : *sizes) size = std::max(size, kUnknown);
  }
  return sizes;
}

Inferred NodeInputs::Axes(std::size_t i, std::size_t rank) const {
  Inferred axes = Shape();
  if (const Shape* attribute = IntsOf(node_, "axes")) {
    if (attribute->size() > kMaxShapeValues) return std::nullopt;
    axes = *attribute;
  } else if (Tensor(i) != nullptr) {
    axes = Integers(i);
  }
  if (!axes) return std::nullopt;
  for (std::int64_t& axis : *axes) {
    const std::optional<std::size_t> at = AxisOf(axis, rank);
    if (!at) return std::nullopt;
    axis = static_cast<std::int64_t>(*at);
  }
  return axes;
}

}  // namespace cboard::model::onnx_shapes
