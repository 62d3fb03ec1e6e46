// Infers shapes in a TensorFlow graph, if they are needed for channels, memory and
// multiply-accumulates.
#include <algorithm>
#include <string_view>

#include "model/graph/node_attributes.h"
#include "model/graph/stored_values.h"
#include "model/tensorflow/tensorflow_passes.h"

namespace cboard::model {
namespace {

using Shape = std::vector<std::int64_t>;
using Inferred = std::optional<Shape>;

constexpr std::size_t kMaxShapeValues = 64;
constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

constexpr std::string_view kSameAsFirst[] = {
    "Identity",
    "ReadVariableOp",
    "StopGradient",
    "Relu",
    "Relu6",
    "LeakyRelu",
    "Elu",
    "Selu",
    "Sigmoid",
    "Tanh",
    "Softmax",
    "BiasAdd",
    "Exp",
    "Log",
    "Sqrt",
    "Rsqrt",
    "Square",
    "Neg",
    "Abs",
    "Erf",
    "Cast",
    "FusedBatchNorm",
    "FusedBatchNormV2",
    "FusedBatchNormV3",
    "FakeQuantWithMinMaxVars",
    "FakeQuantWithMinMaxArgs",
    "FakeQuantWithMinMaxVarsPerChannel",
    "LRN",
    "Dequantize",
    "QuantizeV2",
    "LogSoftmax",
    "Softplus",
};
constexpr std::string_view kBroadcasts[] = {
    "Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "SquaredDifference", "Pow",
};

bool IsOneOf(std::string_view op, std::span<const std::string_view> list) {
  return std::ranges::find(list, op) != list.end();
}

std::int64_t SizeAfterWindow(std::int64_t size, std::int64_t window, std::int64_t stride,
                             std::int64_t dilation, std::string_view padding) {
  const auto in_range = [](std::int64_t value) { return value > 0 && value < (1 << 20); };
  if (size < 0 || size > kMaxSize || !in_range(window) || !in_range(stride) ||
      !in_range(dilation)) {
    return -1;
  }
  if (padding == "SAME") return (size + stride - 1) / stride;
  const std::int64_t room = size - ((window - 1) * dilation + 1);
  return padding != "VALID" || room < 0 ? -1 : room / stride + 1;
}

class TensorFlowShapes {
 public:
  explicit TensorFlowShapes(GraphAssembler& graph) : graph_(graph) {}

  void Run() {
    for (const ModelNode& node : graph_.nodes()) {
      if (node.outputs.empty()) continue;
      node_ = &node;
      const Inferred shape = Infer();
      // Counts the memory of the shape: many small nodes could have shapes with many dimensions.
      if (!shape || !graph_.Spend(shape->size() * sizeof(std::int64_t))) continue;
      CompleteShape(graph_.tensor(node.outputs[0]), *shape);
    }
  }

 private:
  const Shape* InputShape(std::size_t i) const {
    if (i >= node_->inputs.size()) return nullptr;
    const ModelTensor& input = graph_.tensor(node_->inputs[i]);
    // Ignores shapes with a very high rank, because shapes are copied from node to node.
    return input.has_shape && input.shape.size() <= kMaxShapeValues ? &input.shape : nullptr;
  }

  std::optional<Shape> Values(std::size_t i) const {
    if (i >= node_->inputs.size()) return std::nullopt;
    return IntegersOf(graph_.tensor(node_->inputs[i]), kMaxShapeValues);
  }

  Inferred Infer() const {
    const std::string_view op = node_->op_type;
    const Shape* first = InputShape(0);
    if (first == nullptr) return std::nullopt;
    if (IsOneOf(op, kSameAsFirst)) return *first;
    if (IsOneOf(op, kBroadcasts)) return InferBroadcast(*first);
    if (op.find("Conv2D") != std::string_view::npos && !op.ends_with("BackpropInput")) {
      return InferConv(*first, false);
    }
    if (op == "DepthwiseConv2dNative") return InferConv(*first, true);
    if (op == "MaxPool" || op == "AvgPool") return InferPool(*first);
    if (op == "MatMul" || op == "_FusedMatMul" || op.starts_with("QuantizedMatMul") ||
        op.starts_with("BatchMatMul")) {
      return InferProduct(*first);
    }
    if (op == "Reshape") return InferReshape(*first);
    if (op == "Mean" || op == "Max" || op == "Sum" || op == "Min") return InferReduce(*first);
    return std::nullopt;
  }

  Inferred InferBroadcast(const Shape& a) const {
    const Shape* b = InputShape(1);
    if (b == nullptr) return std::nullopt;
    Shape shape = a.size() >= b->size() ? a : *b;
    const Shape& other = a.size() >= b->size() ? *b : a;
    for (std::size_t i = 1; i <= other.size(); ++i) {
      std::int64_t& size = shape[shape.size() - i];
      if (size == 1 || (size < 0 && other[other.size() - i] != 1)) size = other[other.size() - i];
    }
    return shape;
  }

  // The indices of dimensions. `space` is the index of the height (the width is the next
  // dimension), and `channels` that of the channels.
  struct Layout {
    std::size_t space, channels;
  };
  Layout LayoutOfData() const {
    return TextOf(*node_, "data_format") == "NCHW" ? Layout{2, 1} : Layout{1, 3};
  }

  Inferred InferConv(const Shape& data, bool is_depthwise) const {
    const Shape* filter = InputShape(1);
    if (filter == nullptr || filter->size() != 4 || data.size() != 4) return std::nullopt;
    is_depthwise |= node_->op_type.find("Depthwise") != std::string::npos;
    const auto [space, channels] = LayoutOfData();
    Shape shape = data;
    for (std::size_t i = 0; i < 2; ++i) {
      shape[space + i] =
          SizeAfterWindow(data[space + i], (*filter)[i], Window("strides", space + i),
                          Window("dilations", space + i), TextOf(*node_, "padding"));
    }
    shape[channels] = (*filter)[3];
    if (is_depthwise) {
      std::int64_t product = 0;
      const bool overflows = (*filter)[2] < 0 || (*filter)[3] < 0 ||
                             __builtin_mul_overflow((*filter)[2], (*filter)[3], &product);
      shape[channels] = overflows ? -1 : product;
    }
    return shape;
  }

  std::int64_t Window(std::string_view key, std::size_t i) const {
    const Shape* list = IntsOf(*node_, key);
    return list == nullptr || i >= list->size() ? 1 : (*list)[i];
  }

  Inferred InferPool(const Shape& data) const {
    if (data.size() != 4) return std::nullopt;
    const std::size_t space = LayoutOfData().space;
    Shape shape = data;
    for (std::size_t i = space; i < space + 2; ++i) {
      shape[i] = SizeAfterWindow(data[i], Window("ksize", i), Window("strides", i), 1,
                                 TextOf(*node_, "padding"));
    }
    return shape;
  }

  Inferred InferProduct(const Shape& a) const {
    const Shape* b = InputShape(1);
    if (b == nullptr || a.size() < 2 || b->size() < 2) return std::nullopt;
    const bool left = IntOf(*node_, "transpose_a", 0) != 0 || IntOf(*node_, "adj_x", 0) != 0;
    const bool right = IntOf(*node_, "transpose_b", 0) != 0 || IntOf(*node_, "adj_y", 0) != 0;
    Shape shape = a.size() >= b->size() ? a : *b;
    shape[shape.size() - 2] = a[a.size() - (left ? 1 : 2)];
    shape.back() = (*b)[b->size() - (right ? 2 : 1)];
    return shape;
  }

  Inferred InferReshape(const Shape& data) const {
    std::optional<Shape> wanted = Values(1);
    if (!wanted) return std::nullopt;
    const std::optional<std::uint64_t> count = ElementCount(data);
    const auto unknown = std::ranges::find_if(*wanted, [](std::int64_t size) { return size < 0; });
    if (unknown == wanted->end() || !count) {
      for (std::int64_t& size : *wanted) size = std::max<std::int64_t>(size, -1);
      return wanted;
    }
    *unknown = 1;
    const std::optional<std::uint64_t> known = ElementCount(*wanted);
    if (!known || *known == 0) return std::nullopt;
    *unknown = static_cast<std::int64_t>(*count / *known);
    return wanted;
  }

  Inferred InferReduce(const Shape& data) const {
    const std::optional<Shape> axes = Values(1);
    if (!axes) return std::nullopt;
    std::vector<bool> reduced(data.size(), false);
    for (std::int64_t axis : *axes) {
      if (axis < 0) axis += static_cast<std::int64_t>(data.size());
      if (axis < 0 || axis >= static_cast<std::int64_t>(data.size())) return std::nullopt;
      reduced[static_cast<std::size_t>(axis)] = true;
    }
    Shape shape;
    for (std::size_t i = 0; i < data.size(); ++i) {
      if (!reduced[i]) shape.push_back(data[i]);
      if (reduced[i] && IntOf(*node_, "keep_dims", 0) != 0) shape.push_back(1);
    }
    return shape;
  }

  GraphAssembler& graph_;
  const ModelNode* node_ = nullptr;
};

}  // namespace

void InferTensorFlowShapes(GraphAssembler& graph) { TensorFlowShapes(graph).Run(); }

}  // namespace cboard::model
