#include "model/graph/macs.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "model/graph/graph_assembler.h"
#include "model/graph/node_attributes.h"

namespace cboard::model {
namespace {

// Formulas for the multiply-accumulates of a node, computed from the shapes of its tensors.
enum class Work {
  kPerOutput,  // Weights / output channels, for each output element.
  kPerInput,   // Weights / input channels, for each input element.
  kProduct,    // The length of a row of the first operand, for each output element.
  kRecurrent,  // All weights and recurrent weights, for each step.
  kNotCounted,
};

// The rule of one operator. `data` and `weights` are the indices of the operands among the inputs.
// The number of weights is divided by the sizes of the dimensions in `channels`; negative
// dimensions are counted from the end.
struct Rule {
  std::string_view op;
  Work work = Work::kNotCounted;
  std::size_t data = 0;
  std::size_t weights = 1;
  std::array<int, 2> channels = {0, 0};  // One dimension is given twice.
};

constexpr Rule kOnnxRules[] = {
    {"Conv", Work::kPerOutput},
    {"FusedConv", Work::kPerOutput},
    {"ConvInteger", Work::kPerOutput},
    {"QLinearConv", Work::kPerOutput, 0, 3},
    {"ConvTranspose", Work::kPerInput},
    {"MatMul", Work::kProduct},
    {"FusedMatMul", Work::kProduct},
    {"MatMulInteger", Work::kProduct},
    {"MatMulIntegerToFloat", Work::kProduct},
    {"DynamicQuantizeMatMul", Work::kProduct},
    {"MatMulNBits", Work::kProduct},
    {"QLinearMatMul", Work::kProduct, 0, 3},
    {"Gemm", Work::kProduct},
    {"FusedGemm", Work::kProduct},
    {"QGemm", Work::kProduct, 0, 3},
    {"LSTM", Work::kRecurrent},
    {"DynamicQuantizeLSTM", Work::kRecurrent},
    {"GRU", Work::kRecurrent},
    {"RNN", Work::kRecurrent},
    {"Einsum"},
    {"Attention"},
    {"MultiHeadAttention"},
    {"GroupQueryAttention"},
    {"QAttention"},
    {"DeformConv"},
};

constexpr Rule kTensorFlowRules[] = {
    {"Conv2D", Work::kPerOutput, 0, 1, {-1, -1}},
    {"Conv3D", Work::kPerOutput, 0, 1, {-1, -1}},
    {"_FusedConv2D", Work::kPerOutput, 0, 1, {-1, -1}},
    {"DepthwiseConv2dNative", Work::kPerOutput, 0, 1, {-1, -2}},
    {"Conv2DBackpropInput", Work::kPerInput, 2, 1, {-1, -1}},
    {"MatMul", Work::kProduct},
    {"_FusedMatMul", Work::kProduct},
    {"BatchMatMul", Work::kProduct},
    {"BatchMatMulV2", Work::kProduct},
    {"Einsum"},
};

constexpr Rule kTfliteRules[] = {
    {"CONV_2D", Work::kPerOutput},
    {"DEPTHWISE_CONV_2D", Work::kPerOutput, 0, 1, {-1, -1}},
    {"CONV_3D", Work::kPerOutput, 0, 1, {-1, -1}},
    {"TRANSPOSE_CONV", Work::kPerInput, 2, 1, {-1, -1}},
    {"FULLY_CONNECTED", Work::kPerOutput},
    {"BATCH_MATMUL", Work::kProduct},
    {"LSTM"},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM"},
};

constexpr Rule kOpenVinoRules[] = {
    {"Convolution", Work::kPerOutput},
    {"GroupConvolution", Work::kPerOutput, 0, 1, {0, 1}},
    {"ConvolutionBackpropData", Work::kPerInput},
    {"GroupConvolutionBackpropData", Work::kPerInput, 0, 1, {0, 1}},
    {"MatMul", Work::kProduct},
    {"LSTMSequence"},
    {"GRUSequence"},
    {"ScaledDotProductAttention"},
};

std::span<const Rule> RulesOf(ModelFormat format) {
  switch (format) {
    case ModelFormat::kOnnx:
      return kOnnxRules;
    case ModelFormat::kTensorFlowGraph:
    case ModelFormat::kSavedModel:
      return kTensorFlowRules;
    case ModelFormat::kTflite:
      return kTfliteRules;
    case ModelFormat::kOpenVino:
      return kOpenVinoRules;
    default:
      return {};
  }
}

const Rule* FindRule(ModelFormat format, std::string_view op) {
  const std::span<const Rule> rules = RulesOf(format);
  const auto found = std::ranges::find(rules, op, &Rule::op);
  if (found != rules.end()) return &*found;
  // TensorFlow's fused integer kernels are named after the fused operators, for example
  // QuantizedConv2DAndRelu.
  if (rules.data() == kTensorFlowRules && op.starts_with("Quantized")) {
    op.remove_prefix(std::string_view("Quantized").size());
    if (op.starts_with("DepthwiseConv2D")) return FindRule(format, "DepthwiseConv2dNative");
    if (op.starts_with("Conv2D")) return FindRule(format, "Conv2D");
    if (op.starts_with("MatMul")) return FindRule(format, "MatMul");
  }
  return nullptr;
}

bool IsSet(const ModelNode& node, std::initializer_list<std::string_view> keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) {
    const AttributeValue* value = node.FindAttribute(key);
    const auto* number = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
    return number != nullptr && *number != 0;
  });
}

std::optional<std::uint64_t> Times(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b) {
  std::uint64_t product = 0;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &product)) return std::nullopt;
  return product;
}

// Returns the number of weights per channel.
std::optional<std::uint64_t> WeightsPerChannel(const Rule& rule, const ModelTensor& weights) {
  if (!weights.has_shape) return std::nullopt;
  const std::optional<std::uint64_t> count = ElementCount(weights.shape);
  if (!count || *count == 0) return count;
  const auto rank = static_cast<int>(weights.shape.size());
  std::uint64_t channels = 1;
  for (std::size_t i = 0; i < 2; ++i) {
    if (i == 1 && rule.channels[1] == rule.channels[0]) break;
    const int dimension = rule.channels[i] < 0 ? rank + rule.channels[i] : rule.channels[i];
    if (dimension < 0 || dimension >= rank) return std::nullopt;
    channels *= static_cast<std::uint64_t>(weights.shape[static_cast<std::size_t>(dimension)]);
  }
  // The number of channels is a product of dimensions of the weights, so the division is exact and
  // its result is not 0.
  return *count / channels;
}

// Returns the number of products that are added for each element of a matrix product.
std::optional<std::uint64_t> InnerSize(const ModelNode& node, const ModelTensor& left) {
  if (!left.has_shape || left.shape.empty()) return std::nullopt;
  const bool transposed = IsSet(node, {"transA", "transpose_a", "adj_x", "transpose_x"});
  const std::size_t rank = left.shape.size();
  const std::int64_t size = left.shape[transposed && rank >= 2 ? rank - 2 : rank - 1];
  if (size < 0) return std::nullopt;
  return static_cast<std::uint64_t>(size);
}

// Returns how many times a recurrent ONNX node uses its weights: steps times batch size.
std::optional<std::uint64_t> StepCount(const ModelNode& node, const ModelTensor& data) {
  if (!data.has_shape || data.shape.size() != 3) return std::nullopt;
  const bool batch_first = IntOf(node, "layout", 0) != 0;
  const std::int64_t steps = data.shape[batch_first ? 1 : 0];
  const std::int64_t batch = data.shape[batch_first ? 0 : 1];
  if (steps < 0) return std::nullopt;
  return Times(static_cast<std::uint64_t>(steps),
               batch < 0 ? std::uint64_t{1} : static_cast<std::uint64_t>(batch));
}

}  // namespace

std::optional<std::uint64_t> ElementsOfOneSample(const ModelTensor& tensor) {
  if (!tensor.has_shape) return std::nullopt;
  if (tensor.shape.empty() || tensor.shape[0] >= 0) return ElementCount(tensor.shape);
  std::vector<std::int64_t> one = tensor.shape;
  one[0] = 1;
  return ElementCount(one);
}

std::optional<std::uint64_t> BytesOfOneSample(const ModelTensor& tensor) {
  if (!tensor.has_shape) return std::nullopt;
  if (tensor.shape.empty() || tensor.shape[0] >= 0) return BytesNeeded(tensor.type, tensor.shape);
  std::vector<std::int64_t> one = tensor.shape;
  one[0] = 1;
  return BytesNeeded(tensor.type, one);
}

std::optional<std::uint64_t> CountMacs(ModelFormat format, const ModelNode& node,
                                       const std::vector<ModelTensor>& tensors) {
  const Rule* rule = FindRule(format, node.op_type);
  if (rule == nullptr) return 0;
  if (rule->work == Work::kNotCounted || node.outputs.empty()) return std::nullopt;
  const auto input = [&](std::size_t i) -> const ModelTensor* {
    if (i >= node.inputs.size() || node.inputs[i] == kNoTensor) return nullptr;
    return &tensors[IndexOf(node.inputs[i])];
  };
  const ModelTensor* data = input(rule->data);
  const ModelTensor* weights = input(rule->weights);
  if (data == nullptr || weights == nullptr || node.outputs[0] == kNoTensor) return std::nullopt;
  const ModelTensor& output = tensors[IndexOf(node.outputs[0])];
  switch (rule->work) {
    case Work::kPerOutput:
      return Times(ElementsOfOneSample(output), WeightsPerChannel(*rule, *weights));
    case Work::kPerInput:
      return Times(ElementsOfOneSample(*data), WeightsPerChannel(*rule, *weights));
    case Work::kProduct:
      return Times(ElementsOfOneSample(output), InnerSize(node, *data));
    case Work::kRecurrent: {
      const ModelTensor* recurrence = input(rule->weights + 1);
      if (recurrence == nullptr || !weights->has_shape || !recurrence->has_shape) break;
      const auto forward = ElementCount(weights->shape), back = ElementCount(recurrence->shape);
      std::uint64_t each = 0;
      if (!forward || !back || __builtin_add_overflow(*forward, *back, &each)) break;
      return Times(StepCount(node, *data), each);
    }
    case Work::kNotCounted:
      break;
  }
  return std::nullopt;
}

}  // namespace cboard::model
