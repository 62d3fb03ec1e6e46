#include "compare/measure/saturation_check.h"

#include <algorithm>
#include <array>

#include "compare/layers/quantizers.h"

namespace cboard::compare {
namespace {

// Maximum number of multiplications that are checked per layer, and per sample. More samples would
// give the same result. The limit per sample is lower, so that several samples are checked. Of
// large images, only every n-th row is used.
constexpr std::uint64_t kMaxPairs = std::uint64_t{1} << 27, kMaxPairsOfSample = kMaxPairs / 8;

// Maximum padding of layers that are checked, because the memory for patches grows with the
// padding. Real convolutions have less padding.
constexpr std::int64_t kMaxPadding = 4096;

std::vector<std::int64_t> IntsOf(const model::ModelNode& node, std::string_view key,
                                 std::vector<std::int64_t> otherwise) {
  const model::AttributeValue* value = node.FindAttribute(key);
  const auto* list = value == nullptr ? nullptr : std::get_if<std::vector<std::int64_t>>(value);
  return list == nullptr || list->size() != otherwise.size() ? otherwise : *list;
}

// Returns the integer codes that `node` multiplies: its first input, or the input of the
// DequantizeLinear before it.
model::TensorId CodesOf(const model::ModelGraph& model, const model::ModelNode& node) {
  if (node.inputs.empty() || node.inputs[0] == model::kNoTensor) return model::kNoTensor;
  const model::ModelTensor& input = model.tensor(node.inputs[0]);
  if (input.quantization) return node.inputs[0];
  if (input.producer == model::kNoNode || !IsDequantizer(model.node(input.producer)))
    return model::kNoTensor;
  return model.node(input.producer).inputs[0];
}

}  // namespace

std::optional<SaturationCheck::Window> SaturationCheck::WindowOf(
    const model::ModelNode& node, const std::vector<std::int64_t>& shape) {
  if (shape.size() != 4) return std::nullopt;
  const model::AttributeValue* automatic = node.FindAttribute("auto_pad");
  const auto* text = automatic == nullptr ? nullptr : std::get_if<std::string>(automatic);
  if (text != nullptr && *text != "NOTSET" && *text != "VALID") return std::nullopt;
  const auto strides = IntsOf(node, "strides", {1, 1});
  const auto pads = IntsOf(node, "pads", {0, 0, 0, 0});
  const auto dilations = IntsOf(node, "dilations", {1, 1});
  if (std::ranges::min(strides) < 1 || std::ranges::min(pads) < 0 ||
      std::ranges::max(pads) > kMaxPadding || std::ranges::min(dilations) < 1 ||
      std::ranges::max(dilations) > kMaxPadding) {
    return std::nullopt;
  }
  return Window{shape[2], shape[3], strides[0], strides[1],   pads[0],
                pads[1],  pads[2],  pads[3],    dilations[0], dilations[1]};
}

std::optional<SaturationCheck> SaturationCheck::For(const model::ModelGraph& model,
                                                    const ModelLayer& layer) {
  // Skips layers in bodies of If, Loop and Scan, because their tensors cannot be captured.
  if (layer.node == model::kNoNode || IsInBody(model, layer)) return std::nullopt;
  const model::ModelNode& node = model.node(layer.node);
  const bool is_convolution = node.op_type == "Conv" || node.op_type == "QLinearConv";
  const bool is_product = node.op_type.ends_with("MatMul") || node.op_type.ends_with("Gemm");
  const model::TensorId codes = CodesOf(model, node);
  const std::optional<TensorView> view = model.ViewOf(layer.weight);
  if ((!is_convolution && !is_product) || codes == model::kNoTensor || !view) return std::nullopt;
  const model::ModelTensor& input = model.tensor(codes);
  if (!input.quantization || input.type != DType::kUint8 || input.producer == model::kNoNode ||
      view->dtype != DType::kInt8 || view->element_count() == 0) {
    return std::nullopt;
  }
  SaturationCheck check;
  check.input_ = input.name;
  const std::vector<std::int32_t>& zeros = input.quantization->zero_points;
  check.zero_point_ = static_cast<std::uint8_t>(zeros.empty() ? 0 : std::clamp(zeros[0], 0, 255));
  const auto* stored = static_cast<const std::int8_t*>(view->data);
  const std::vector<std::int64_t>& shape = view->shape;
  const auto length = [&](std::size_t axis) { return static_cast<std::size_t>(shape[axis]); };
  if (is_product) {
    if (shape.size() != 2) return std::nullopt;
    check.channels_ = length(layer.layout.channel_axis);
    check.depth_ = length(1 - layer.layout.channel_axis);
    check.weights_.resize(view->element_count());
    for (std::size_t c = 0; c < check.channels_; ++c) {
      for (std::size_t d = 0; d < check.depth_; ++d) {
        check.weights_[c * check.depth_ + d] = layer.layout.channel_axis == 0
                                                   ? stored[c * check.depth_ + d]
                                                   : stored[d * check.channels_ + c];
      }
    }
    return check;
  }
  check.window_ = WindowOf(node, shape);
  const model::AttributeValue* group = node.FindAttribute("group");
  const auto* groups = group == nullptr ? nullptr : std::get_if<std::int64_t>(group);
  check.groups_ =
      groups == nullptr ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(1, *groups));
  if (!check.window_ || layer.operand != layer.weight || layer.layout.channel_axis != 0 ||
      length(0) % check.groups_ != 0) {
    return std::nullopt;
  }
  // Orders weights with input channels last, like the patches in ONNX Runtime.
  const std::size_t inputs = length(1), pixels = length(2) * length(3);
  check.channels_ = length(0) / check.groups_;
  check.depth_ = inputs * pixels;
  check.weights_.resize(view->element_count());
  for (std::size_t o = 0; o < length(0); ++o) {
    for (std::size_t i = 0; i < inputs; ++i) {
      for (std::size_t p = 0; p < pixels; ++p) {
        check.weights_[o * check.depth_ + p * inputs + i] =
            stored[o * check.depth_ + i * pixels + p];
      }
    }
  }
  return check;
}

void SaturationCheck::Count(std::span<const std::uint8_t> rows, std::size_t group) {
  const std::span<const std::int8_t> all(weights_);
  const auto counted = tensor::CountSaturation(
      rows, all.subspan(group * channels_ * depth_, channels_ * depth_), depth_);
  if (!counted) return;
  was_fed_ = true;
  count_.pairs += counted->pairs;
  count_.saturated += counted->saturated;
  count_.products += counted->products;
  count_.affected += counted->affected;
}

void SaturationCheck::Add(const TensorView& codes) {
  if (codes.dtype != DType::kUint8 || codes.shape.empty() || count_.pairs >= kMaxPairs) return;
  if (window_) return AddImages(codes);
  if (static_cast<std::size_t>(codes.shape.back()) != depth_) return;
  Count({static_cast<const std::uint8_t*>(codes.data), codes.element_count()}, 0);
}

void SaturationCheck::AddImages(const TensorView& codes) {
  const Window& w = *window_;
  const auto pixels = static_cast<std::size_t>(w.kernel_height * w.kernel_width);
  const std::size_t inputs = depth_ / pixels;
  if (codes.shape.size() != 4 || static_cast<std::size_t>(codes.shape[1]) != inputs * groups_) {
    return;
  }
  const std::int64_t height = codes.shape[2], width = codes.shape[3];
  const auto places = [](std::int64_t size, std::int64_t pads, std::int64_t kernel,
                         std::int64_t dilation, std::int64_t stride) {
    const std::int64_t room = size + pads - (kernel - 1) * dilation - 1;
    return room < 0 ? 0 : room / stride + 1;
  };
  const std::int64_t rows =
      places(height, w.pad_top + w.pad_bottom, w.kernel_height, w.dilation_y, w.stride_y);
  const std::int64_t columns =
      places(width, w.pad_left + w.pad_right, w.kernel_width, w.dilation_x, w.stride_x);
  const auto* image = static_cast<const std::uint8_t*>(codes.data);
  const auto plane = static_cast<std::size_t>(height * width);
  const std::uint64_t pairs_of_row =
      static_cast<std::uint64_t>(columns) * channels_ * ((depth_ + 1) / 2);
  const std::uint64_t pairs_of_image = static_cast<std::uint64_t>(rows) * pairs_of_row * groups_;
  const auto step = static_cast<std::int64_t>(1 + pairs_of_image / kMaxPairsOfSample);
  std::vector<std::uint8_t> patches(static_cast<std::size_t>(columns) * depth_);
  for (std::int64_t n = 0; n < codes.shape[0]; ++n) {
    for (std::size_t g = 0; g < groups_; ++g, image += inputs * plane) {
      for (std::int64_t row = 0; row < rows && count_.pairs < kMaxPairs; row += step) {
        auto out = patches.begin();
        for (std::int64_t column = 0; column < columns; ++column) {
          for (std::int64_t ky = 0; ky < w.kernel_height; ++ky) {
            for (std::int64_t kx = 0; kx < w.kernel_width; ++kx) {
              const std::int64_t y = row * w.stride_y - w.pad_top + ky * w.dilation_y;
              const std::int64_t x = column * w.stride_x - w.pad_left + kx * w.dilation_x;
              const bool is_inside = y >= 0 && y < height && x >= 0 && x < width;
              for (std::size_t i = 0; i < inputs; ++i) {
                *out++ = is_inside ? image[i * plane + static_cast<std::size_t>(y * width + x)]
                                   : zero_point_;
              }
            }
          }
        }
        Count(patches, g);
      }
    }
  }
}

std::optional<tensor::SaturationCount> SaturationCheck::Build() const {
  return was_fed_ ? std::optional(count_) : std::nullopt;
}

}  // namespace cboard::compare
