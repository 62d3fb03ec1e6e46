#include "model/onnx/onnx_window_shapes.h"

#include <algorithm>
#include <string_view>

#include "model/graph/node_attributes.h"

namespace cboard::model {
namespace {

using Shape = std::vector<std::int64_t>;

// Maximum window, stride or padding. Real models have smaller ones, and with this limit sums cannot
// overflow.
constexpr std::int64_t kMaxSize = std::int64_t{1} << 40;

std::int64_t Entry(const Shape* list, std::size_t i, std::int64_t otherwise) {
  if (list == nullptr || i >= list->size()) return otherwise;
  return std::clamp((*list)[i], -kMaxSize, kMaxSize);
}

// The sliding window of a node along one spatial dimension.
struct Window {
  std::int64_t size = 1, stride = 1, dilation = 1, padding = 0, output_padding = 0;
  bool same = false, rounds_up = false;

  std::int64_t Extent() const {
    std::int64_t extent = 0;
    if (__builtin_mul_overflow(dilation, size - 1, &extent) || extent > kMaxSize) return kMaxSize;
    return extent + 1;
  }

  std::int64_t OutputOf(std::int64_t input) const {
    if (input < 0 || input > kMaxSize || size <= 0 || stride <= 0) return -1;
    if (same) return input / stride + (input % stride != 0 ? 1 : 0);
    const std::int64_t room = input + padding - Extent();
    if (room < 0) return -1;
    return (rounds_up ? (room + stride - 1) / stride : room / stride) + 1;
  }

  std::int64_t TransposedOutputOf(std::int64_t input) const {
    if (input <= 0 || input > kMaxSize || size <= 0 || stride <= 0) return -1;
    std::int64_t spread = 0;
    if (__builtin_mul_overflow(stride, same ? input : input - 1, &spread) || spread > kMaxSize) {
      return -1;
    }
    const std::int64_t output = same ? spread : spread + output_padding + Extent() - padding;
    return output < 0 ? -1 : output;
  }
};

Window WindowOf(const ModelNode& node, std::size_t i, std::int64_t size) {
  Window window;
  window.size = size;
  window.stride = Entry(IntsOf(node, "strides"), i, 1);
  window.dilation = Entry(IntsOf(node, "dilations"), i, 1);
  window.output_padding = Entry(IntsOf(node, "output_padding"), i, 0);
  window.rounds_up = IntOf(node, "ceil_mode", 0) != 0;
  const std::string_view automatic = TextOf(node, "auto_pad");
  window.same = automatic.starts_with("SAME");
  if (const Shape* pads = IntsOf(node, "pads"); pads != nullptr && automatic != "VALID") {
    window.padding = Entry(pads, i, 0) + Entry(pads, i + pads->size() / 2, 0);
  }
  return window;
}

}  // namespace

std::optional<Shape> InferWindow(const ModelNode& node, const std::vector<ModelTensor>& tensors) {
  const std::string_view op = node.op_type;
  const auto input = [&](std::size_t i) -> const Shape* {
    if (i >= node.inputs.size() || node.inputs[i] == kNoTensor) return nullptr;
    const ModelTensor& tensor = tensors[IndexOf(node.inputs[i])];
    return tensor.has_shape ? &tensor.shape : nullptr;
  };
  const Shape* data = input(0);
  if (data == nullptr || data->size() < 3 || data->size() > 8) return std::nullopt;
  Shape shape = *data;

  if (op == "GlobalAveragePool" || op == "GlobalMaxPool" || op == "GlobalLpPool" ||
      op == "QLinearGlobalAveragePool") {
    // The channels are the second dimension, except in QLinearGlobalAveragePool: it has an
    // attribute that makes them the last dimension.
    const bool channels_last = IntOf(node, "channels_last", 0) != 0;
    for (std::size_t i = channels_last ? 1 : 2; i < shape.size() - (channels_last ? 1 : 0); ++i) {
      shape[i] = 1;
    }
    return shape;
  }
  if (op == "MaxPool" || op == "AveragePool" || op == "LpPool" || op == "QLinearAveragePool") {
    const Shape* kernel = IntsOf(node, "kernel_shape");
    if (kernel == nullptr || kernel->size() + 2 != shape.size()) return std::nullopt;
    for (std::size_t i = 0; i < kernel->size(); ++i) {
      shape[i + 2] = WindowOf(node, i, Entry(kernel, i, 1)).OutputOf(shape[i + 2]);
    }
    return shape;
  }
  const bool is_transposed = op == "ConvTranspose";
  if (op != "Conv" && op != "ConvInteger" && op != "QLinearConv" && op != "FusedConv" &&
      !is_transposed) {
    return std::nullopt;
  }
  const Shape* weights = input(op == "QLinearConv" ? 3 : 1);
  if (weights == nullptr || weights->size() != shape.size()) return std::nullopt;
  if (is_transposed) {
    const std::int64_t groups = IntOf(node, "group", 1);
    std::int64_t channels = 0;
    shape[1] =
        (*weights)[1] < 0 || groups < 0 || __builtin_mul_overflow((*weights)[1], groups, &channels)
            ? -1
            : channels;
  } else {
    shape[1] = (*weights)[0];
  }
  const Shape* output_shape = IntsOf(node, "output_shape");
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) {
    const Window window = WindowOf(node, i, Entry(weights, i + 2, 1));
    if (is_transposed && output_shape != nullptr && i < output_shape->size()) {
      shape[i + 2] = std::max<std::int64_t>((*output_shape)[i], -1);
    } else {
      shape[i + 2] =
          is_transposed ? window.TransposedOutputOf(shape[i + 2]) : window.OutputOf(shape[i + 2]);
    }
  }
  return shape;
}

}  // namespace cboard::model
