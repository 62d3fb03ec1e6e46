#include "compression/model_comparison/layer_operators.h"

#include <algorithm>
#include <array>

namespace cboard::compare {
namespace {

enum class Layout {
  kRowsFirst,     // [out, in], [out, in, height, width]: ONNX, OpenVINO.
  kRowsSecond,    // [in, out, height, width]: transposed convolutions.
  kRowsLast,      // [in, out], with any number of dimensions before.
  kOhwi,          // TFLite.
  kHwio,          // TensorFlow.
  kHwcm,          // TensorFlow, depthwise: [height, width, channels, multiplier].
  kOhwiDepthwise  // TFLite: [1, height, width, channels].
};

struct WeightedOp {
  std::string_view op;
  std::size_t weight;
  std::size_t bias;  // 0: none.
  Layout layout;
};
constexpr WeightedOp kOps[] = {
    // ONNX.
    {"Conv", 1, 2, Layout::kRowsFirst},
    {"ConvTranspose", 1, 2, Layout::kRowsSecond},
    {"Gemm", 1, 2, Layout::kRowsLast},
    {"MatMul", 1, 0, Layout::kRowsLast},  // Also TensorFlow's and OpenVINO's.
    {"QLinearConv", 3, 8, Layout::kRowsFirst},
    {"QLinearMatMul", 3, 0, Layout::kRowsLast},
    {"QGemm", 3, 6, Layout::kRowsLast},
    {"MatMulInteger", 1, 0, Layout::kRowsLast},
    {"ConvInteger", 1, 0, Layout::kRowsFirst},
    {"MatMulNBits", 1, 0, Layout::kRowsFirst},
    {"DynamicQuantizeMatMul", 1, 4, Layout::kRowsLast},
    {"FusedConv", 1, 2, Layout::kRowsFirst},
    {"FusedMatMul", 1, 0, Layout::kRowsLast},
    // OpenVINO.
    {"Convolution", 1, 0, Layout::kRowsFirst},
    {"GroupConvolution", 1, 0, Layout::kRowsFirst},
    // TensorFlow.
    {"Conv2D", 1, 0, Layout::kHwio},
    {"DepthwiseConv2dNative", 1, 0, Layout::kHwcm},
    {"BatchMatMulV2", 1, 0, Layout::kRowsLast},
    // TFLite.
    {"CONV_2D", 1, 2, Layout::kOhwi},
    {"DEPTHWISE_CONV_2D", 1, 2, Layout::kOhwiDepthwise},
    {"FULLY_CONNECTED", 1, 2, Layout::kRowsFirst},
};
// TensorFlow fuses what follows into the name: QuantizedConv2DWithBiasAndReluAndRequantize.
constexpr WeightedOp kFusedOps[] = {
    {"QuantizedConv2D", 1, 2, Layout::kHwio},
    {"QuantizedDepthwiseConv2D", 1, 2, Layout::kHwcm},
    {"QuantizedMatMul", 1, 2, Layout::kRowsLast},
};

const WeightedOp* FindOp(std::string_view op_type) {
  const auto* op = std::ranges::find(kOps, op_type, &WeightedOp::op);
  if (op != std::end(kOps)) return op;
  const auto* fused = std::ranges::find_if(
      kFusedOps, [&](const WeightedOp& candidate) { return op_type.starts_with(candidate.op); });
  return fused == std::end(kFusedOps) ? nullptr : fused;
}

bool IsTransposed(const ModelNode& node) {
  for (const std::string_view key : {"transB", "transpose_b", "adj_y"}) {
    const AttributeValue* value = node.FindAttribute(key);
    if (value == nullptr) continue;
    if (const auto* flag = std::get_if<std::int64_t>(value)) return *flag != 0;
    if (const auto* text = std::get_if<std::string>(value)) return *text == "true" || *text == "1";
  }
  return false;
}

}  // namespace

std::optional<OperatorWeights> WeightsOf(const ModelGraph& model, const ModelNode& node) {
  const WeightedOp* op = FindOp(node.op_type);
  if (op == nullptr || node.inputs.size() <= op->weight) return std::nullopt;
  const TensorId weight = node.inputs[op->weight];
  if (weight == kNoTensor) return std::nullopt;
  const std::size_t rank = model.tensor(weight).shape.size();
  if (rank < 2) return std::nullopt;
  OperatorWeights weights{.weight = op->weight};
  const bool is_fused = std::ranges::find(kOps, op->op, &WeightedOp::op) == std::end(kOps);
  const bool has_bias = !is_fused || node.op_type.find("WithBias") != std::string::npos;
  if (op->bias > 0 && has_bias) weights.bias = op->bias;
  switch (op->layout) {
    case Layout::kRowsFirst:
      break;
    case Layout::kRowsSecond:
      weights.channel_axis = 1;
      break;
    case Layout::kRowsLast:
      weights.channel_axis = IsTransposed(node) ? rank - 2 : rank - 1;
      break;
    case Layout::kOhwi:
      if (rank == 4) weights.input_axis = 3;
      break;
    case Layout::kHwio:
      weights.channel_axis = rank - 1;
      if (rank == 4) weights.input_axis = 2;
      break;
    case Layout::kHwcm:
      weights.channel_axis = rank == 4 ? 2 : rank - 1;
      break;
    case Layout::kOhwiDepthwise:
      weights.channel_axis = rank - 1;
      break;
  }
  return weights;
}

bool PassesValues(std::string_view op_type) {
  constexpr auto kOps = std::to_array<std::string_view>(
      {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Identity", "Slice", "Split",
       "Gather", "MaxPool", "Dropout", "DepthToSpace", "SpaceToDepth", "Expand", "Tile"});
  return std::ranges::find(kOps, op_type) != kOps.end();
}

}  // namespace cboard::compare
