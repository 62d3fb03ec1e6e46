// Computes scales from the ranges of TensorFlow's quantized tensors.
#include <algorithm>
#include <cmath>

#include "model/graph/node_attributes.h"
#include "model/graph/quantization_rules.h"
#include "model/graph/stored_values.h"
#include "model/tensorflow/tensorflow_passes.h"

namespace cboard::model {
namespace {

constexpr std::size_t kMaxChannels = std::size_t{1} << 20;

// Appends the scale and zero point that map the range [min, max] to the codes [code_min, code_max].
// The range is moved so that zero is exactly a code; FakeQuantWithMinMaxVars calls this nudging.
void AppendNudged(float min, float max, ModelQuantization& quantization) {
  const auto first = static_cast<float>(quantization.code_min);
  const auto last = static_cast<float>(quantization.code_max);
  const float scale = (max - min) / (last - first);
  const float zero = std::clamp(std::round(first - min / scale), first, last);
  quantization.scales.push_back(scale);
  quantization.zero_points.push_back(std::isfinite(zero) ? static_cast<std::int32_t>(zero) : 0);
}

class TensorFlowQuantization {
 public:
  explicit TensorFlowQuantization(GraphAssembler& graph) : graph_(graph) {}

  Result<void> Run() {
    for (const ModelNode& node : graph_.nodes()) {
      if (node.outputs.empty()) continue;
      if (node.op_type == "Identity" || node.op_type == "ReadVariableOp" ||
          node.op_type == "Reshape" || node.op_type == "ExpandDims" || node.op_type == "Squeeze" ||
          node.op_type == "StopGradient") {
        PassOn(node);
      } else if (node.op_type.starts_with("FakeQuantWithMinMax")) {
        CBOARD_RETURN_IF_ERROR(ReadFakeQuant(node));
      } else if (node.op_type == "Dequantize") {
        CBOARD_RETURN_IF_ERROR(ReadDequantize(node));
      } else if (node.op_type.starts_with("Quantized")) {
        CBOARD_RETURN_IF_ERROR(ReadQuantizedKernel(node));
      }
    }
    return {};
  }

 private:
  const ModelTensor* InputOf(const ModelNode& node, std::size_t i) const {
    return i < node.inputs.size() ? &graph_.tensor(node.inputs[i]) : nullptr;
  }

  void PassOn(const ModelNode& node) {
    const ModelTensor* input = InputOf(node, 0);
    if (input == nullptr) return;
    ModelTensor& output = graph_.tensor(node.outputs[0]);
    output.source = input->source;
    output.rounded_by = input->rounded_by;
    if (output.type == DType::kUnknown) output.type = input->type;
  }

  // Returns the values of a constant input, also through Identity. Counts their memory each time,
  // because many nodes may use the same constant.
  Result<std::optional<std::vector<float>>> Constant(const ModelNode& node, std::size_t i) {
    const ModelTensor* input = InputOf(node, i);
    if (input == nullptr || input->source == kNoTensor || input->rounded_by != kNoTensor) {
      return std::nullopt;
    }
    const ModelTensor& constant = graph_.tensor(input->source);
    const std::optional<std::uint64_t> count = ElementCount(constant.shape);
    if (!count || *count > kMaxChannels) return std::nullopt;
    CBOARD_RETURN_IF_ERROR(graph_.Charge(2 * sizeof(float) * *count));
    return FloatsOf(constant, kMaxChannels);
  }

  static float FloatAttribute(const ModelNode& node, std::string_view key, float otherwise) {
    const AttributeValue* value = node.FindAttribute(key);
    const auto* number = value == nullptr ? nullptr : std::get_if<double>(value);
    return number == nullptr ? otherwise : static_cast<float>(*number);
  }

  Result<void> ReadFakeQuant(const ModelNode& node) {
    const ModelTensor* input = InputOf(node, 0);
    const std::int64_t bits = IntOf(node, "num_bits", 8);
    if (input == nullptr || bits < 2 || bits > 16) return {};
    ModelQuantization made;
    made.origin = QuantizationOrigin::kFakeQuantize;
    made.code_min = IntOf(node, "narrow_range", 0) != 0 ? 1 : 0;
    made.code_max = (std::int64_t{1} << bits) - 1;
    if (node.op_type == "FakeQuantWithMinMaxArgs") {
      AppendNudged(FloatAttribute(node, "min", -6), FloatAttribute(node, "max", 6), made);
    } else {
      CBOARD_ASSIGN_OR_RETURN(const std::optional<std::vector<float>> min, Constant(node, 1));
      CBOARD_ASSIGN_OR_RETURN(const std::optional<std::vector<float>> max, Constant(node, 2));
      if (!min || !max || min->empty() || min->size() != max->size()) return {};
      if (node.op_type == "FakeQuantWithMinMaxVarsPerChannel") {
        if (!input->has_shape || input->shape.empty() ||
            static_cast<std::uint64_t>(input->shape.back()) != min->size()) {
          return {};
        }
        made.granularity = Quantization::Granularity::kPerChannel;
        made.axis = input->shape.size() - 1;
      } else if (min->size() != 1) {
        return {};
      }
      for (std::size_t i = 0; i < min->size(); ++i) AppendNudged((*min)[i], (*max)[i], made);
    }
    ModelTensor& output = graph_.tensor(node.outputs[0]);
    output.quantization = std::move(made);
    if (input->source != kNoTensor && input->rounded_by == kNoTensor) {
      output.source = input->source;
      output.rounded_by = node.outputs[0];
    }
    return {};
  }

  // Sets symmetric codes for a range: the end with the larger magnitude becomes the largest code.
  Result<void> SetRange(ModelTensor& codes, const ModelNode& node, std::size_t min_input,
                        std::int64_t axis, QuantizationOrigin origin) {
    if (codes.quantization || !IsInteger(codes.type)) return {};
    CBOARD_ASSIGN_OR_RETURN(const std::optional<std::vector<float>> min, Constant(node, min_input));
    CBOARD_ASSIGN_OR_RETURN(const std::optional<std::vector<float>> max,
                            Constant(node, min_input + 1));
    if (!min || !max || min->empty() || min->size() != max->size()) return {};
    ModelQuantization made;
    made.origin = origin;
    SetCodeRange(codes.type, made);
    if (min->size() > 1) {
      const auto rank = static_cast<std::int64_t>(codes.shape.size());
      if (!codes.has_shape || axis + rank < 0 || axis >= rank) return {};
      made.granularity = Quantization::Granularity::kPerChannel;
      made.axis = static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
      if (static_cast<std::uint64_t>(codes.shape[made.axis]) != min->size()) return {};
    }
    for (std::size_t i = 0; i < min->size(); ++i) {
      if (codes.type == DType::kUint8) {
        AppendNudged((*min)[i], (*max)[i], made);
      } else {
        const float limit = std::max(std::abs((*min)[i]), std::abs((*max)[i]));
        made.scales.push_back(limit / static_cast<float>(made.code_max));
      }
    }
    codes.quantization = std::move(made);
    return {};
  }

  Result<void> ReadDequantize(const ModelNode& node) {
    // Supports only the mode SCALED, which current quantizers write. Other modes add half of the
    // range before scaling.
    if (node.inputs.size() < 3 || TextOf(node, "mode") != "SCALED") return {};
    ModelTensor& codes = graph_.tensor(node.inputs[0]);
    CBOARD_RETURN_IF_ERROR(
        SetRange(codes, node, 1, IntOf(node, "axis", -1), QuantizationOrigin::kQdq));
    if (!codes.quantization || !codes.is_constant) return {};
    graph_.tensor(node.outputs[0]).source = codes.source;
    return {};
  }

  // Reads the ranges of the kernels with the inputs (input, filter, [bias,] min_input, max_input,
  // min_filter, max_filter, …), such as QuantizedConv2D.
  Result<void> ReadQuantizedKernel(const ModelNode& node) {
    const bool is_product = node.op_type.starts_with("QuantizedMatMul");
    const bool is_depthwise = node.op_type.starts_with("QuantizedDepthwiseConv2D");
    if (!is_product && !is_depthwise && !node.op_type.starts_with("QuantizedConv2D")) return {};
    const std::size_t ranges = node.op_type.find("WithBias") != std::string::npos ? 3 : 2;
    if (node.inputs.size() < ranges + 4) return {};
    CBOARD_RETURN_IF_ERROR(
        SetRange(graph_.tensor(node.inputs[0]), node, ranges, -1, QuantizationOrigin::kQOperator));
    return SetRange(graph_.tensor(node.inputs[1]), node, ranges + 2, is_depthwise ? -2 : -1,
                    QuantizationOrigin::kQOperator);
  }

  GraphAssembler& graph_;
};

}  // namespace

Result<void> ResolveTensorFlowQuantization(GraphAssembler& graph) {
  return TensorFlowQuantization(graph).Run();
}

}  // namespace cboard::model
