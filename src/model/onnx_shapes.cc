// Shapes of ONNX tensors, as far as memory, channels and products need them.
#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>

#include "model/node_attributes.h"
#include "model/onnx_passes.h"
#include "model/onnx_shape_rules.h"
#include "model/onnx_window_shapes.h"
#include "model/stored_values.h"

namespace cboard {
namespace {

using namespace onnx_shapes;

// Among numbers that travel in tensors, where -1 has a meaning of its own.
constexpr std::int64_t kUnknownValue = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t kMaxShapeValues = 64;  // More dimensions than any tensor has.

class OnnxShapes {
 public:
  explicit OnnxShapes(GraphAssembler& graph) : graph_(graph) {}

  void Run() {
    for (const ModelNode& node : graph_.nodes()) {
      if (node.outputs.empty() || node.outputs[0] == kNoTensor) continue;
      node_ = &node;
      ModelTensor& output = graph_.tensor(node.outputs[0]);
      if (const Inferred shape = Infer(); shape && !output.has_shape) {
        output.has_shape = true;
        output.shape = *shape;
      }
      if (output.type == ElementType::kUnknown) output.type = InferType();
      PropagateValues();
    }
  }

 private:
  const ModelTensor* Input(std::size_t i) const {
    if (i >= node_->inputs.size() || node_->inputs[i] == kNoTensor) return nullptr;
    return &graph_.tensor(node_->inputs[i]);
  }

  // Null also for more dimensions than any real tensor has: shapes are copied from node to node.
  const Shape* InputShape(std::size_t i) const {
    const ModelTensor* input = Input(i);
    if (input == nullptr || !input->has_shape) return nullptr;
    return input->shape.size() <= kMaxShapeValues ? &input->shape : nullptr;
  }

  // The numbers in a tensor of sizes or axes, where a constant or an earlier node tells;
  // kUnknownValue stands for sizes that are not known.
  std::optional<Shape> Values(std::size_t i) const {
    const ModelTensor* input = Input(i);
    if (input == nullptr) return std::nullopt;
    if (input->is_constant) return IntegersOf(*input, kMaxShapeValues);
    const auto found = values_.find(IndexOf(node_->inputs[i]));
    if (found == values_.end()) return std::nullopt;
    return found->second;
  }

  // Values(i) as a shape.
  std::optional<Shape> Sizes(std::size_t i) const {
    std::optional<Shape> sizes = Values(i);
    if (sizes) {
      for (std::int64_t& size : *sizes) size = std::max(size, kUnknown);
    }
    return sizes;
  }

  // Axes as an attribute (older opsets) or as input `i` (newer ones).
  std::optional<Shape> Axes(std::size_t i, std::size_t rank) const {
    std::optional<Shape> axes;
    if (const Shape* attribute = IntsOf(*node_, "axes")) {
      if (attribute->size() > kMaxShapeValues) return std::nullopt;
      axes = *attribute;
    } else if (Input(i) != nullptr) {
      axes = Values(i);
    } else {
      return Shape();
    }
    if (!axes) return std::nullopt;
    for (std::int64_t& axis : *axes) {
      if (axis < 0) axis += static_cast<std::int64_t>(rank);
      if (axis < 0 || axis >= static_cast<std::int64_t>(rank)) return std::nullopt;
    }
    return axes;
  }

  Inferred Infer() {
    const std::string_view op = node_->op_type;
    const Shape* first = InputShape(0);
    if (op == "ConstantOfShape") return Sizes(0);
    if (op == "Expand") return InferExpand();
    if (op == "Concat" || op == "QLinearConcat") return InferConcat();
    if (op == "Where") return InferBroadcast(1, InferBroadcast(0, std::nullopt, 2), 2);
    if (first == nullptr) return std::nullopt;
    if (IsSameAsFirst(op) || op == "Identity" || op == "Cast" || op == "QuantizeLinear" ||
        op == "DequantizeLinear" || op == "DynamicQuantizeLinear" || op == "Not" || op == "IsNaN") {
      return *first;
    }
    if (IsBroadcast(op) || IsComparison(op)) {
      Inferred shape = *first;
      for (std::size_t i = 1; shape && i < node_->inputs.size(); ++i) {
        const Shape* other = InputShape(i);
        shape = other == nullptr ? Inferred() : Broadcast(*shape, *other);
      }
      return shape;
    }
    if (op == "QLinearAdd" || op == "QLinearMul") {
      const Shape* other = InputShape(3);
      return other == nullptr ? Inferred() : Broadcast(*first, *other);
    }
    if (const Inferred window = InferWindow(*node_, graph_.tensors())) return window;
    if (op == "MatMul" || op == "MatMulInteger" || op == "FusedMatMul" ||
        op == "DynamicQuantizeMatMul" || op == "MatMulIntegerToFloat") {
      return InferMatMul(*first, InputShape(1));
    }
    if (op == "QLinearMatMul") return InferMatMul(*first, InputShape(3));
    if (op == "MatMulNBits") return WithLast(*first, IntOf(*node_, "N", kUnknown));
    if (op == "Gemm" || op == "FusedGemm") return InferGemm(*node_, *first, InputShape(1));
    if (op == "QGemm") return InferGemm(*node_, *first, InputShape(3));
    if (op == "Flatten") return InferFlatten(*node_, *first);
    if (op == "Reshape") return InferReshape(*first);
    if (op == "Transpose") return InferTranspose(*node_, *first);
    if (op == "Squeeze") return InferSqueeze(*first);
    if (op == "Unsqueeze") return InferUnsqueeze(*first);
    if (op == "Gather") return InferGather(*node_, *first, InputShape(1));
    if (op == "Shape") return Shape{static_cast<std::int64_t>(first->size())};
    if (op == "Slice") return InferSlice(*first);
    if (op == "Split") return InferSplit(*first);
    if (op.starts_with("Reduce")) return InferReduce(*first);
    return std::nullopt;
  }

  Inferred InferBroadcast(std::size_t i, Inferred so_far, std::size_t j) const {
    const Shape* a = InputShape(i);
    if (so_far) return a == nullptr ? Inferred() : Broadcast(*a, *so_far);
    const Shape* b = InputShape(j);
    return a == nullptr || b == nullptr ? Inferred() : Broadcast(*a, *b);
  }

  static Inferred WithLast(Shape shape, std::int64_t last) {
    if (shape.empty()) return std::nullopt;
    shape.back() = std::max(last, kUnknown);
    return shape;
  }

  // One size may be -1: whatever is left. Another may be unknown, when it was computed from an
  // input's shape; it is then taken to be the one that the input does not know either, which is the
  // batch, so that [?, 512, 1, 1] reshaped to [?, -1] is [?, 512].
  Inferred InferReshape(const Shape& input) const {
    std::optional<Shape> wanted = Values(1);
    if (!wanted) return std::nullopt;
    const bool zero_is_zero = IntOf(*node_, "allowzero", 0) != 0;
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

  Inferred InferSqueeze(const Shape& input) const {
    const std::optional<Shape> axes = Axes(1, input.size());
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

  Inferred InferUnsqueeze(const Shape& input) const {
    const Shape* attribute = IntsOf(*node_, "axes");
    const std::optional<Shape> given = attribute != nullptr ? *attribute : Values(1);
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

  Inferred InferConcat() const {
    // QLinearConcat: scale and zero point of the output, then triples.
    const bool quantized = node_->op_type == "QLinearConcat";
    const std::size_t begin = quantized ? 2 : 0, stride = quantized ? 3 : 1;
    const Shape* first = InputShape(begin);
    if (first == nullptr) return std::nullopt;
    const std::optional<std::size_t> axis = AxisOf(IntOf(*node_, "axis", 1), first->size());
    if (!axis) return std::nullopt;
    Shape shape = *first;
    for (std::size_t i = begin + stride; i < node_->inputs.size(); i += stride) {
      const Shape* other = InputShape(i);
      if (other == nullptr || other->size() != shape.size()) return std::nullopt;
      shape[*axis] = Sum(shape[*axis], (*other)[*axis]);
    }
    return shape;
  }

  Inferred InferExpand() const {
    const Shape* input = InputShape(0);
    const std::optional<Shape> wanted = Sizes(1);
    if (input == nullptr || !wanted) return std::nullopt;
    return Broadcast(*input, *wanted);
  }

  Inferred InferSlice(const Shape& input) const {
    const auto list = [&](std::size_t i, std::string_view key) -> std::optional<Shape> {
      if (const Shape* attribute = IntsOf(*node_, key)) return *attribute;
      return Values(i);
    };
    const std::optional<Shape> starts = list(1, "starts"), ends = list(2, "ends");
    std::optional<Shape> axes = Axes(3, input.size());
    if (!starts || !ends || !axes || starts->size() != ends->size()) return std::nullopt;
    if (axes->empty()) {
      for (std::size_t i = 0; i < starts->size(); ++i) {
        axes->push_back(static_cast<std::int64_t>(i));
      }
    }
    const std::optional<Shape> given_steps = Values(4);
    if ((Input(4) != nullptr && !given_steps) || axes->size() != starts->size()) {
      return std::nullopt;
    }
    Shape shape = input;
    for (std::size_t i = 0; i < axes->size(); ++i) {
      if ((*axes)[i] >= static_cast<std::int64_t>(input.size())) return std::nullopt;
      std::int64_t& size = shape[static_cast<std::size_t>((*axes)[i])];
      const std::int64_t step = given_steps && i < given_steps->size() ? (*given_steps)[i] : 1;
      if (size < 0 || step <= 0) {
        if (step != -1) size = kUnknown;  // Backwards through everything keeps the size.
        continue;
      }
      const auto clamp = [&](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + size : at, 0, size);
      };
      const std::int64_t length =
          std::max<std::int64_t>(clamp((*ends)[i]) - clamp((*starts)[i]), 0);
      size = length / step + (length % step != 0 ? 1 : 0);
    }
    return shape;
  }

  // Describes every output; the first one is returned.
  Inferred InferSplit(const Shape& input) {
    const std::optional<std::size_t> axis = AxisOf(IntOf(*node_, "axis", 0), input.size());
    if (!axis) return std::nullopt;
    const Shape* attribute = IntsOf(*node_, "split");
    const std::optional<Shape> sizes = attribute != nullptr ? *attribute : Values(1);
    const auto parts = static_cast<std::int64_t>(node_->outputs.size());
    Inferred first;
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
      Shape shape = input;
      std::int64_t& size = shape[*axis];
      if (sizes && i < sizes->size()) {
        size = std::max((*sizes)[i], kUnknown);
      } else if (size >= 0 && Input(1) == nullptr) {
        const std::int64_t chunk = size / parts + (size % parts != 0 ? 1 : 0);
        size =
            std::min(chunk, std::max<std::int64_t>(size - chunk * static_cast<std::int64_t>(i), 0));
      } else {
        size = kUnknown;
      }
      if (i == 0) first = shape;
      if (i > 0 && node_->outputs[i] != kNoTensor) {
        ModelTensor& output = graph_.tensor(node_->outputs[i]);
        if (!output.has_shape) graph_.Describe(node_->outputs[i], Input(0)->type, shape);
      }
    }
    return first;
  }

  Inferred InferReduce(const Shape& input) const {
    const std::optional<Shape> axes = Axes(1, input.size());
    if (!axes) return std::nullopt;
    const bool keep = IntOf(*node_, "keepdims", 1) != 0;
    if (axes->empty() && IntOf(*node_, "noop_with_empty_axes", 0) != 0) return input;
    Shape shape;
    for (std::size_t i = 0; i < input.size(); ++i) {
      const bool reduced =
          axes->empty() || std::ranges::find(*axes, static_cast<std::int64_t>(i)) != axes->end();
      if (!reduced) shape.push_back(input[i]);
      if (reduced && keep) shape.push_back(1);
    }
    return shape;
  }

  ElementType TypeAttribute(std::string_view key) const {
    return ElementTypeOfOnnx(static_cast<int>(
        std::clamp<std::int64_t>(IntOf(*node_, key, 0), 0, std::numeric_limits<int>::max())));
  }

  ElementType InferType() const {
    const std::string_view op = node_->op_type;
    if (op == "Shape" || op == "Size" || op == "NonZero" || op == "ArgMax" || op == "ArgMin") {
      return ElementType::kInt64;
    }
    if (IsComparison(op) || op == "Not" || op == "IsNaN") return ElementType::kBool;
    if (op == "MatMulInteger" || op == "ConvInteger") return ElementType::kInt32;
    if (op == "DynamicQuantizeLinear") return ElementType::kUint8;
    if (op == "Cast") return TypeAttribute("to");
    if (op == "QuantizeLinear") {
      if (const ModelTensor* zero_point = Input(2)) return zero_point->type;
      const ElementType given = TypeAttribute("output_dtype");
      return given == ElementType::kUnknown ? ElementType::kUint8 : given;
    }
    const std::size_t like = op == "DequantizeLinear" || op == "Where" ? 1
                             : op == "QLinearConcat"                   ? 2
                                                                       : 0;
    const ModelTensor* input = Input(like);
    return input == nullptr ? ElementType::kUnknown : input->type;
  }

  // Sizes that travel as numbers: Shape -> Gather -> Unsqueeze -> Concat -> Reshape.
  void PropagateValues() {
    const std::string_view op = node_->op_type;
    std::optional<Shape> result;
    if (op == "Shape") {
      const Shape* input = InputShape(0);
      if (input != nullptr && node_->FindAttribute("start") == nullptr &&
          node_->FindAttribute("end") == nullptr) {
        result = *input;
        std::ranges::replace(*result, kUnknown, kUnknownValue);
      }
    } else if (op == "Unsqueeze" || op == "Squeeze" || op == "Cast" || op == "Identity") {
      result = Values(0);
    } else if (op == "Gather") {
      const std::optional<Shape> data = Values(0), indices = Values(1);
      if (data && indices) {
        result.emplace();
        for (const std::int64_t index : *indices) {
          const std::optional<std::size_t> at = AxisOf(index, data->size());
          result->push_back(at ? (*data)[*at] : kUnknownValue);
        }
      }
    } else if (op == "Concat") {
      result.emplace();
      for (std::size_t i = 0; result && i < node_->inputs.size(); ++i) {
        const std::optional<Shape> part = Values(i);
        if (!part || result->size() + part->size() > kMaxShapeValues) {
          result.reset();
        } else {
          result->insert(result->end(), part->begin(), part->end());
        }
      }
    }
    if (result && result->size() <= kMaxShapeValues) {
      values_.try_emplace(IndexOf(node_->outputs[0]), *std::move(result));
    }
  }

  GraphAssembler& graph_;
  const ModelNode* node_ = nullptr;
  std::unordered_map<std::size_t, Shape> values_;
};

}  // namespace

void InferOnnxShapes(GraphAssembler& graph) { OnnxShapes(graph).Run(); }

}  // namespace cboard
