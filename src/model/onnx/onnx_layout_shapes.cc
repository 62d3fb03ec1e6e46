#include "model/onnx/onnx_layout_shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <variant>

#include "model/graph/node_attributes.h"

namespace cboard::model::onnx_shapes {
namespace {

// A number that is larger than all real sizes. If the end of a slice is at least this large, it
// means "to the end".
constexpr std::int64_t kHuge = std::int64_t{1} << 48;

}  // namespace

// Infers the output of Reshape. One size may be -1, which means the remaining elements. Another
// size may be unknown because it was computed from the shape of an input. It is then assumed to be
// the unknown size of the input, which is the batch: [?, 512, 1, 1] reshaped to [?, -1] is [?,
// 512].
Inferred InferReshape(const NodeInputs& inputs, const Shape& input) {
  std::optional<Shape> wanted = inputs.Integers(1);
  if (!wanted) return std::nullopt;
  const bool zero_is_zero = IntOf(inputs.node(), "allowzero", 0) != 0;
  std::int64_t* left_over = nullptr;
  std::int64_t known = 1, unknown_count = 0;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    std::int64_t& size = (*wanted)[i];
    if (size == 0 && !zero_is_zero) {
      size = i < input.size() && input[i] >= 0 ? input[i] : kUnknownValue;
    }
    if (size == -1 && left_over == nullptr) {
      left_over = &size;
    } else if (size < 0) {
      ++unknown_count;
    } else {
      known = Product(known, size);
    }
  }
  std::int64_t available = 1, unknown_inputs = 0;
  for (const std::int64_t size : input) {
    if (size < 0) {
      ++unknown_inputs;
    } else {
      available = Product(available, size);
    }
  }
  if (left_over != nullptr && unknown_inputs == unknown_count && unknown_count <= 1 &&
      available >= 0 && known > 0) {
    *left_over = available / known;
  }
  for (std::int64_t& size : *wanted) size = std::max(size, kUnknown);
  return wanted;
}

Inferred InferSqueeze(const NodeInputs& inputs, const Shape& input) {
  const Inferred axes = inputs.Axes(1, input.size());
  if (!axes) return std::nullopt;
  Shape shape;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const bool goes = axes->empty()
                          ? input[i] == 1
                          : std::ranges::find(*axes, static_cast<std::int64_t>(i)) != axes->end();
    if (!goes) shape.push_back(input[i]);
  }
  return shape;
}

Inferred InferUnsqueeze(const NodeInputs& inputs, const Shape& input) {
  const Shape* attribute = IntsOf(inputs.node(), "axes");
  const std::optional<Shape> given = attribute != nullptr ? *attribute : inputs.Integers(1);
  if (!given || given->size() > kMaxShapeValues) return std::nullopt;
  const std::size_t rank = input.size() + given->size();
  std::vector<bool> is_new(rank, false);
  for (const std::int64_t axis : *given) {
    const std::optional<std::size_t> at = AxisOf(axis, rank);
    if (!at || is_new[*at]) return std::nullopt;
    is_new[*at] = true;
  }
  Shape shape;
  auto next = input.begin();
  for (std::size_t i = 0; i < rank; ++i) shape.push_back(is_new[i] ? 1 : *next++);
  return shape;
}

Inferred InferExpand(const NodeInputs& inputs, const Shape& input) {
  const Inferred wanted = inputs.Sizes(1);
  return wanted ? Inferred(Broadcast(input, *wanted)) : std::nullopt;
}

Inferred InferTile(const NodeInputs& inputs, const Shape& input) {
  const Inferred repeats = inputs.Sizes(1);
  if (!repeats || repeats->size() != input.size()) return std::nullopt;
  Shape shape = input;
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = Product(shape[i], (*repeats)[i]);
  return shape;
}

Inferred InferSlice(const NodeInputs& inputs, const Shape& input) {
  const auto list = [&](std::size_t i, std::string_view key) -> std::optional<Shape> {
    if (const Shape* attribute = IntsOf(inputs.node(), key)) return *attribute;
    return inputs.Integers(i);
  };
  const std::optional<Shape> starts = list(1, "starts"), ends = list(2, "ends");
  std::optional<Shape> axes = inputs.Axes(3, input.size());
  if (!starts || !ends || !axes || starts->size() != ends->size()) return std::nullopt;
  if (axes->empty()) {
    for (std::size_t i = 0; i < starts->size(); ++i) {
      axes->push_back(static_cast<std::int64_t>(i));
    }
  }
  const std::optional<Shape> given_steps = inputs.Integers(4);
  if ((inputs.Tensor(4) != nullptr && !given_steps) || axes->size() != starts->size()) {
    return std::nullopt;
  }
  Shape shape = input;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    if ((*axes)[i] >= static_cast<std::int64_t>(input.size())) return std::nullopt;
    std::int64_t& size = shape[static_cast<std::size_t>((*axes)[i])];
    const std::int64_t step = given_steps && i < given_steps->size() ? (*given_steps)[i] : 1;
    const std::int64_t start = (*starts)[i], end = (*ends)[i];
    const bool is_known = start != kUnknownValue && end != kUnknownValue;
    if (size < 0 || step == 0 || step == kUnknownValue || !is_known) {
      // A slice of all elements, in normal or reverse order, does not change the size. After any
      // other slice of unknown size or bounds, the size is unknown.
      const bool keeps_all = is_known && ((step == 1 && start == 0 && end > kHuge) ||
                                          (step == -1 && start == -1 && end < -kHuge));
      if (!keeps_all) size = kUnknown;
      continue;
    }
    size = SliceOf(size, start, end, step).count;
  }
  return shape;
}

Inferred InferPad(const NodeInputs& inputs, const Shape& input) {
  const Shape* attribute = IntsOf(inputs.node(), "pads");
  const Inferred pads = attribute != nullptr ? *attribute : inputs.Integers(1);
  Inferred axes = inputs.Axes(3, input.size());
  if (!pads || !axes) return Shape(input.size(), kUnknown);
  if (inputs.Tensor(3) == nullptr) {
    axes->resize(input.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  if (pads->size() != 2 * axes->size()) return std::nullopt;
  Shape shape = input;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    std::int64_t& size = shape[static_cast<std::size_t>((*axes)[i])];
    for (const std::int64_t pad : {(*pads)[i], (*pads)[i + axes->size()]}) {
      // A negative padding removes elements. An unknown padding is the most negative number, so the
      // size becomes negative and therefore unknown.
      if (size >= 0 && __builtin_add_overflow(size, pad, &size)) size = kUnknown;
    }
    size = std::max(size, kUnknown);
  }
  return shape;
}

Inferred InferReduce(const NodeInputs& inputs, const Shape& input) {
  const Inferred axes = inputs.Axes(1, input.size());
  if (!axes) return std::nullopt;
  const bool keep = IntOf(inputs.node(), "keepdims", 1) != 0;
  if (axes->empty() && IntOf(inputs.node(), "noop_with_empty_axes", 0) != 0) return input;
  Shape shape;
  for (std::size_t i = 0; i < input.size(); ++i) {
    const bool reduced =
        axes->empty() || std::ranges::find(*axes, static_cast<std::int64_t>(i)) != axes->end();
    if (!reduced) shape.push_back(input[i]);
    if (reduced && keep) shape.push_back(1);
  }
  return shape;
}

Inferred InferResize(const NodeInputs& inputs, const Shape& input) {
  const ModelNode& node = inputs.node();
  if (const std::string_view policy = TextOf(node, "keep_aspect_ratio_policy");
      !policy.empty() && policy != "stretch") {
    return std::nullopt;
  }
  Inferred axes = inputs.Axes(kMaxShapeValues, input.size());  // Only from an attribute.
  if (!axes) return std::nullopt;
  if (axes->empty()) {
    axes->resize(input.size());
    std::iota(axes->begin(), axes->end(), 0);
  }
  Shape shape = input;
  if (const Inferred sizes = inputs.Sizes(3); sizes && sizes->size() == axes->size()) {
    for (std::size_t i = 0; i < axes->size(); ++i) {
      shape[static_cast<std::size_t>((*axes)[i])] = (*sizes)[i];
    }
    return shape;
  }
  // The first versions of Resize have no region of interest as an input before the factors.
  std::optional<NumberList> factors = inputs.Numbers(inputs.Tensor(2) == nullptr ? 1 : 2);
  if (const AttributeValue* value = node.FindAttribute("scales")) {
    if (const auto* list = std::get_if<NumberList>(value)) factors = *list;
  }
  if (!factors || factors->size() != axes->size()) return std::nullopt;
  for (std::size_t i = 0; i < axes->size(); ++i) {
    std::int64_t& size = shape[static_cast<std::size_t>((*axes)[i])];
    const double wanted = std::floor(static_cast<double>(size) * (*factors)[i]);
    const bool is_known = size >= 0 && wanted >= 0 && wanted <= static_cast<double>(kHuge);
    size = is_known ? static_cast<std::int64_t>(wanted) : kUnknown;
  }
  return shape;
}

Inferred InferOneHot(const NodeInputs& inputs, const Shape& input) {
  const std::optional<std::size_t> axis =
      AxisOf(IntOf(inputs.node(), "axis", -1), input.size() + 1);
  if (!axis) return std::nullopt;
  const Inferred depth = inputs.Sizes(1);
  Shape shape = input;
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis),
               depth && depth->size() == 1 ? (*depth)[0] : kUnknown);
  return shape;
}

Inferred InferTopK(const NodeInputs& inputs, const Shape& input) {
  const std::optional<std::size_t> axis = AxisOf(IntOf(inputs.node(), "axis", -1), input.size());
  if (!axis) return std::nullopt;
  const Inferred count = inputs.Sizes(1);
  Shape shape = input;
  shape[*axis] = count && count->size() == 1
                     ? (*count)[0]
                     : std::max(IntOf(inputs.node(), "k", kUnknown), kUnknown);
  return shape;
}

Inferred InferRange(const NodeInputs& inputs) {
  NumberList bounds;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::optional<NumberList> bound = inputs.Numbers(i);
    if (!bound || bound->size() != 1) return Shape{kUnknown};
    bounds.push_back((*bound)[0]);
  }
  const double count = std::ceil((bounds[1] - bounds[0]) / bounds[2]);
  if (!(std::abs(count) <= static_cast<double>(kHuge))) return Shape{kUnknown};
  return Shape{static_cast<std::int64_t>(std::max(count, 0.0))};
}

}  // namespace cboard::model::onnx_shapes
