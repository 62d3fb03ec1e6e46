#include "model/onnx_shape_values.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "model/node_attributes.h"
#include "model/stored_values.h"

namespace cboard::onnx_shapes {
namespace {

constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();

// Beyond any size; a slice "to the end" is given as the largest integer.
constexpr double kLargest = 4611686018427387904.0;  // 2^62

std::int64_t ToInteger(double number) {
  if (std::isnan(number)) return kUnknownValue;
  return static_cast<std::int64_t>(std::clamp(number, -kLargest, kLargest));
}

// NaN for operators of which nothing is known here.
double Apply(std::string_view op, double a, double b, bool is_integer) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return is_integer ? std::trunc(a / b) : a / b;
  if (std::isnan(a) || std::isnan(b)) return kUnknownNumber;
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Equal") return a == b ? 1 : 0;
  return kUnknownNumber;
}

bool IsBinary(std::string_view op) {
  return op == "Add" || op == "Sub" || op == "Mul" || op == "Div" || op == "Min" || op == "Max" ||
         op == "Equal";
}

// Lists of one number meet every number of the other.
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

void ShapeValues::Follow(const ModelNode& node) {
  if (node.outputs.empty() || node.outputs[0] == kNoTensor) return;
  auto result = Compute(node);
  if (!result || result->size() > kMaxShapeValues) return;
  numbers_.try_emplace(IndexOf(node.outputs[0]), *std::move(result));
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
  if (op == "ReduceProd") {
    const auto factors = Input(node, 0);
    if (!factors || Input(node, 1).value_or(NumberList{0}) != NumberList{0}) {
      return std::nullopt;
    }
    double product = 1;
    for (const double factor : *factors) product *= factor;
    return NumberList{product};
  }
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
  NumberList sizes;
  for (std::size_t i = part.first; i < part.end; ++i) {
    sizes.push_back(input.shape[i] < 0 ? kUnknownNumber : static_cast<double>(input.shape[i]));
  }
  return sizes;
}

std::optional<NumberList> ShapeValues::Gathered(const ModelNode& node) const {
  const auto data = Input(node, 0), indices = Input(node, 1);
  if (!data || !indices) return std::nullopt;
  NumberList result;
  for (const double index : *indices) {
    const std::optional<std::size_t> at = AxisOf(ToInteger(index), data->size());
    result.push_back(at ? (*data)[*at] : kUnknownNumber);
  }
  return result;
}

std::optional<NumberList> ShapeValues::Joined(const ModelNode& node) const {
  NumberList result;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto part = Input(node, i);
    if (!part || result.size() + part->size() > kMaxShapeValues) return std::nullopt;
    result.insert(result.end(), part->begin(), part->end());
  }
  return result;
}

// Of a list, forwards.
std::optional<NumberList> ShapeValues::Sliced(const ModelNode& node) const {
  const auto data = Input(node, 0);
  const auto bound = [&](std::size_t i, std::string_view key) -> std::optional<double> {
    if (const Shape* list = IntsOf(node, key)) {
      return list->size() == 1 ? std::optional(static_cast<double>((*list)[0])) : std::nullopt;
    }
    const auto given = Input(node, i);
    return given && given->size() == 1 ? std::optional((*given)[0]) : std::nullopt;
  };
  const std::optional<double> start = bound(1, "starts"), end = bound(2, "ends");
  if (!data || !start || !end || std::isnan(*start) || std::isnan(*end)) return std::nullopt;
  double step = 1;
  if (node.inputs.size() > 4 && node.inputs[4] != kNoTensor) step = bound(4, "").value_or(0);
  if (!(step >= 1)) return std::nullopt;
  const auto size = static_cast<double>(data->size());
  const auto clamp = [&](double at) { return std::clamp(at < 0 ? at + size : at, 0.0, size); };
  NumberList result;
  for (double i = clamp(*start); i < clamp(*end); i += step) {
    result.push_back((*data)[static_cast<std::size_t>(i)]);
  }
  return result;
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

}  // namespace cboard::onnx_shapes
