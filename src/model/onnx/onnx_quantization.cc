// Finds the scales of codes in an ONNX graph.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>
#include <utility>

#include "model/graph/node_attributes.h"
#include "model/graph/quantization_rules.h"
#include "model/graph/stored_values.h"
#include "model/onnx/onnx_block_codes.h"
#include "model/onnx/onnx_passes.h"

namespace cboard::model {
namespace {

// For an operator on quantized tensors: the indices of the inputs that contain codes, their scale,
// and their zero point. kOutput means that the codes are the node's output. If there are several
// scales, `axis` is the dimension of the channels.
constexpr int kOutput = -1;
constexpr int kNone = -2;
struct Triple {
  int codes = kNone;
  int scale = kNone;
  int zero_point = kNone;
  int axis = 0;  // Negative values count from the end.
};
struct QOperator {
  std::string_view op;
  std::array<Triple, 3> triples;
};
constexpr QOperator kQOperators[] = {
    {"QLinearConv", {{{0, 1, 2}, {3, 4, 5, 0}, {kOutput, 6, 7}}}},
    {"QLinearMatMul", {{{0, 1, 2, -2}, {3, 4, 5, -1}, {kOutput, 6, 7}}}},
    {"QGemm", {{{0, 1, 2}, {3, 4, 5, 1}, {kOutput, 7, 8}}}},
    {"QLinearAdd", {{{0, 1, 2}, {3, 4, 5}, {kOutput, 6, 7}}}},
    {"QLinearMul", {{{0, 1, 2}, {3, 4, 5}, {kOutput, 6, 7}}}},
    {"QLinearAveragePool", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearGlobalAveragePool", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearLeakyRelu", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearSigmoid", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"QLinearSoftmax", {{{0, 1, 2}, {kOutput, 3, 4}}}},
    {"DynamicQuantizeLSTM", {{{1, 8, 9}, {2, 10, 11}}}},
    {"DynamicQuantizeMatMul", {{{1, 2, 3, -1}}}},
    {"MatMulIntegerToFloat", {{{1, 3, 5, -1}}}},
};

// True for operators whose output has the same values as their input in the same order, perhaps
// cast to another float type.
bool KeepsValues(std::string_view op) {
  constexpr std::string_view kOps[] = {"Identity", "Cast",      "Reshape",
                                       "Squeeze",  "Unsqueeze", "Flatten"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

class OnnxQuantization {
 public:
  explicit OnnxQuantization(GraphAssembler& graph) : graph_(graph) {}

  Result<void> Run() {
    for (const ModelNode& node : graph_.nodes()) {
      if (node.op_type == "DequantizeLinear") {
        CBOARD_RETURN_IF_ERROR(ReadDequantize(node));
      } else if (node.op_type == "QuantizeLinear") {
        CBOARD_RETURN_IF_ERROR(ReadQuantize(node));
      } else if (node.op_type == "DynamicQuantizeLinear") {
        ReadDynamicQuantize(node);
      } else if (node.op_type == "MatMulNBits") {
        CBOARD_RETURN_IF_ERROR(ReadMatMulNBits(node, BlocksOf(node, 1), graph_));
      } else if (node.op_type == "GatherBlockQuantized") {
        CBOARD_RETURN_IF_ERROR(ReadGatherBlockQuantized(node, BlocksOf(node, 0), graph_));
      } else if (KeepsValues(node.op_type)) {
        PassOn(node);
      } else {
        CBOARD_RETURN_IF_ERROR(ReadQOperator(node));
      }
      CBOARD_RETURN_IF_ERROR(FollowIntegerProduct(node));
    }
    for (const ModelNode& node : graph_.nodes()) ReadTable(node);
    return {};
  }

 private:
  static TensorId At(const std::vector<TensorId>& ids, std::size_t i) {
    return i < ids.size() ? ids[i] : kNoTensor;
  }

  ModelTensor* InputOf(const ModelNode& node, std::size_t i) {
    const TensorId id = At(node.inputs, i);
    return id == kNoTensor ? nullptr : &graph_.tensor(id);
  }

  // Returns the constant whose values a tensor has without changes, or null if there is none.
  const ModelTensor* ConstantBehind(TensorId id) {
    if (id == kNoTensor) return nullptr;
    const ModelTensor& tensor = graph_.tensor(id);
    if (tensor.source == kNoTensor || tensor.rounded_by != kNoTensor) return nullptr;
    const ModelTensor& constant = graph_.tensor(tensor.source);
    return constant.quantization ? nullptr : &constant;
  }

  // Builds quantization parameters from the constants `scale` and `zero_point`. `type` is the type
  // of the codes, and `codes` has their shape.
  Result<std::optional<ModelQuantization>> Parameters(QuantizationOrigin origin, DType type,
                                                      const ModelTensor& codes, TensorId scale,
                                                      TensorId zero_point, std::int64_t axis,
                                                      std::int64_t group_size) {
    const ModelTensor* scales = ConstantBehind(scale);
    const ModelTensor* zero_points = ConstantBehind(zero_point);
    if (scales == nullptr || (zero_point != kNoTensor && zero_points == nullptr))
      return std::nullopt;
    return MakeQuantization(graph_, {.origin = origin,
                                     .type = type,
                                     .scales = scales,
                                     .zero_points = zero_points,
                                     .has_shape = codes.has_shape,
                                     .shape = codes.shape,
                                     .axis = axis,
                                     .group_size = group_size});
  }

  Result<void> ReadDequantize(const ModelNode& node) {
    ModelTensor* codes = InputOf(node, 0);
    if (codes == nullptr || node.outputs.empty() || node.outputs[0] == kNoTensor) return {};
    CBOARD_ASSIGN_OR_RETURN(
        const std::optional<ModelQuantization> parameters,
        Parameters(QuantizationOrigin::kQdq, codes->type, *codes, At(node.inputs, 1),
                   At(node.inputs, 2), IntOf(node, "axis", 1), IntOf(node, "block_size", 0)));
    if (!parameters) return {};
    // If the codes come from a constant, for example through an Identity, the scales are stored in
    // the constant's tensor.
    ModelTensor* holder = codes;
    if (codes->source != kNoTensor && codes->rounded_by == kNoTensor) {
      ModelTensor& stored = graph_.tensor(codes->source);
      if (stored.shape != codes->shape) return {};
      holder = &stored;
    }
    const bool is_first = !holder->quantization;
    if (is_first) holder->quantization = *parameters;
    if (!codes->quantization) codes->quantization = *parameters;
    if (codes->source == kNoTensor) return {};
    // If the same codes are used with two different scales, the first scale is kept.
    if (!is_first && (holder->quantization->scales != parameters->scales ||
                      holder->quantization->zero_points != parameters->zero_points)) {
      return {};
    }
    ModelTensor& output = graph_.tensor(node.outputs[0]);
    output.source = codes->source;
    output.rounded_by = codes->rounded_by;
    return {};
  }

  Result<void> ReadQuantize(const ModelNode& node) {
    const ModelTensor* input = InputOf(node, 0);
    if (input == nullptr || node.outputs.empty() || node.outputs[0] == kNoTensor) return {};
    ModelTensor& output = graph_.tensor(node.outputs[0]);
    CBOARD_ASSIGN_OR_RETURN(
        output.quantization,
        Parameters(QuantizationOrigin::kQdq, output.type, *input, At(node.inputs, 1),
                   At(node.inputs, 2), IntOf(node, "axis", 1), IntOf(node, "block_size", 0)));
    if (output.quantization && IsInteger(output.type) && HasStoredValues(*input)) {
      output.source = input->source;
      output.rounded_by = node.outputs[0];
    }
    return {};
  }

  // True if the tensor has the values of a constant, in the constant's own shape and without
  // quantization.
  bool HasStoredValues(const ModelTensor& tensor) {
    if (tensor.source == kNoTensor || tensor.rounded_by != kNoTensor) return false;
    const ModelTensor& stored = graph_.tensor(tensor.source);
    return !stored.quantization && stored.shape == tensor.shape;
  }

  // Handles DynamicQuantizeLinear of weights: the quantizer did not know that the tensor is a
  // weight, so the model computes a single scale at run time.
  void ReadDynamicQuantize(const ModelNode& node) {
    const ModelTensor* input = InputOf(node, 0);
    const TensorId codes = At(node.outputs, 0);
    if (input == nullptr || codes == kNoTensor || !HasStoredValues(*input)) return;
    const auto [entry, is_new] = dynamic_.try_emplace(IndexOf(input->source));
    if (is_new) entry->second = DynamicScaleOf(graph_.tensor(input->source));
    if (!entry->second) return;
    ModelTensor& output = graph_.tensor(codes);
    output.quantization = entry->second;
    output.source = input->source;
    output.rounded_by = codes;
  }

  // Computes the scale as the specification of DynamicQuantizeLinear defines it, in float32.
  static std::optional<ModelQuantization> DynamicScaleOf(const ModelTensor& stored) {
    const std::optional<std::vector<float>> values =
        FloatsOf(stored, std::numeric_limits<std::size_t>::max());
    if (!values || values->empty()) return std::nullopt;
    const auto [lowest, highest] = std::ranges::minmax(*values);
    const float low = std::min(lowest, 0.0f), high = std::max(highest, 0.0f);
    const float scale = (high - low) / 255;
    if (!(scale > 0) || !std::isfinite(scale)) return std::nullopt;
    ModelQuantization made;
    made.origin = QuantizationOrigin::kQOperator;
    made.scales = {scale};
    made.zero_points = {
        static_cast<std::int32_t>(std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f))};
    SetCodeRange(DType::kUint8, made);
    return made;
  }

  void PassOn(const ModelNode& node) {
    const ModelTensor* input = InputOf(node, 0);
    if (input == nullptr || node.outputs.empty() || node.outputs[0] == kNoTensor) return;
    ModelTensor& output = graph_.tensor(node.outputs[0]);
    if (node.op_type == "Cast" && !IsFloat(output.type)) return;
    output.source = input->source;
    output.rounded_by = input->rounded_by;
    // Copies the quantization only if it has a single scale, as activations have. Copies of long
    // lists of scales at each node would use too much memory.
    if (input->source == kNoTensor && input->quantization &&
        input->quantization->scales.size() == 1) {
      output.quantization = input->quantization;
    }
  }

  // Handles a Gather from a constant table of codes. If the DequantizeLinear after it has a single
  // scale, this is also the scale of the table.
  void ReadTable(const ModelNode& node) {
    if (node.op_type != "Gather" || At(node.outputs, 0) == kNoTensor) return;
    ModelTensor* table = InputOf(node, 0);
    const auto& quantization = graph_.tensor(node.outputs[0]).quantization;
    if (table == nullptr || !table->is_constant || table->quantization || !quantization) return;
    if (quantization->scales.size() == 1 && IsInteger(table->type)) {
      table->quantization = quantization;
    }
  }

  Result<void> ReadQOperator(const ModelNode& node) {
    const auto* entry = std::ranges::find(kQOperators, node.op_type, &QOperator::op);
    if (entry == std::end(kQOperators)) return {};
    for (Triple triple : entry->triples) {
      if (triple.codes == kNone) continue;
      if (node.op_type == "QGemm" && triple.codes == 3 && IntOf(node, "transB", 0) != 0) {
        triple.axis = 0;
      }
      const TensorId id = triple.codes == kOutput
                              ? At(node.outputs, 0)
                              : At(node.inputs, static_cast<std::size_t>(triple.codes));
      const TensorId scale = At(node.inputs, static_cast<std::size_t>(triple.scale));
      if (id == kNoTensor || scale == kNoTensor) continue;
      const TensorId zero_point = At(node.inputs, static_cast<std::size_t>(triple.zero_point));
      ModelTensor& codes = graph_.tensor(id);
      if (codes.quantization) continue;
      if (codes.type == DType::kUnknown && zero_point != kNoTensor) {
        codes.type = graph_.tensor(zero_point).type;
      }
      // The codes of recurrent weights have the shape [directions, inputs, channels]. Their scales
      // have the shape [directions] or [directions, channels]. In the second case, all inputs of a
      // channel share a scale.
      std::int64_t group_size = 0;
      if (node.op_type == "DynamicQuantizeLSTM" && codes.shape.size() == 3 &&
          graph_.tensor(scale).shape.size() == 2) {
        triple.axis = 1;
        group_size = codes.shape[1];
      }
      CBOARD_ASSIGN_OR_RETURN(codes.quantization,
                              Parameters(QuantizationOrigin::kQOperator, codes.type, codes, scale,
                                         zero_point, triple.axis, group_size));
    }
    return ReadBias(node);
  }

  // Sets the scale of the int32 bias of QLinearConv and QGemm, which is the input scale times the
  // weight scale. The bias of QGemm may have more dimensions before the channels.
  Result<void> ReadBias(const ModelNode& node) {
    const std::size_t position = node.op_type == "QLinearConv" ? 8
                                 : node.op_type == "QGemm"     ? 6
                                                               : 0;
    ModelTensor* bias = position == 0 ? nullptr : InputOf(node, position);
    const ModelTensor* input = InputOf(node, 0);
    const ModelTensor* weights = InputOf(node, 3);
    if (bias == nullptr || bias->quantization || !bias->is_constant || bias->shape.empty() ||
        bias->type != DType::kInt32 || !input->quantization || !weights->quantization ||
        input->quantization->scales.size() != 1) {
      return {};
    }
    ModelQuantization scaled;
    scaled.origin = QuantizationOrigin::kQOperator;
    scaled.scales = weights->quantization->scales;
    if (scaled.scales.size() > 1) {
      if (!std::cmp_equal(scaled.scales.size(), bias->shape.back())) return {};
      scaled.granularity = Quantization::Granularity::kPerChannel;
      scaled.axis = bias->shape.size() - 1;
    }
    CBOARD_RETURN_IF_ERROR(graph_.Charge(scaled.scales.size() * sizeof(float)));
    for (float& scale : scaled.scales) scale *= input->quantization->scales[0];
    SetCodeRange(bias->type, scaled);
    bias->quantization = std::move(scaled);
    return {};
  }

  // Collects the inputs of an operator whose weights are stored in blocks. `codes` is the index of
  // the input with the codes.
  BlockInputs BlocksOf(const ModelNode& node, std::size_t codes) {
    return {.codes = InputOf(node, codes),
            .scales = ConstantBehind(At(node.inputs, 2)),
            .zero_points = ConstantBehind(At(node.inputs, 3)),
            .has_zero_points = At(node.inputs, 3) != kNoTensor,
            .groups = ConstantBehind(At(node.inputs, 4)),
            .has_groups = At(node.inputs, 4) != kNoTensor};
  }

  // Finds the weight scales of dynamic quantization. Such graphs multiply integers first and apply
  // the scales later: Mul(Cast(MatMulInteger(a, b)), Mul(scale of a, scale of b)). Older quantizers
  // add an integer bias before the Cast.
  Result<void> FollowIntegerProduct(const ModelNode& node) {
    if (node.outputs.empty()) return {};
    if (node.op_type == "MatMulInteger" || node.op_type == "ConvInteger") {
      if (const TensorId weights = At(node.inputs, 1);
          weights != kNoTensor && graph_.tensor(weights).is_constant) {
        products_[IndexOf(node.outputs[0])] = {weights, At(node.inputs, 3),
                                               node.op_type == "ConvInteger" ? 0 : -1};
      }
      return {};
    }
    if (node.op_type != "Cast" && node.op_type != "Add" && node.op_type != "Mul") return {};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoTensor) continue;
      const auto product = products_.find(IndexOf(node.inputs[i]));
      if (product == products_.end()) continue;
      IntegerProduct behind = product->second;
      const TensorId factor = At(node.inputs, 1 - std::min<std::size_t>(i, 1));
      if (node.op_type == "Mul" && !IsDynamicScale(factor)) return SetProductScale(behind, factor);
      behind.has_input_scale |= node.op_type == "Mul";
      products_.try_emplace(IndexOf(node.outputs[0]), behind);
      return {};
    }
    return {};
  }

  struct IntegerProduct {
    TensorId weights = kNoTensor;
    TensorId zero_point = kNoTensor;
    std::int64_t axis = 0;
    bool has_input_scale = false;  // True if it was multiplied by the input's scale only.
  };

  const ModelNode* ProducerOf(TensorId id) {
    const NodeId producer = id == kNoTensor ? kNoNode : graph_.tensor(id).producer;
    return producer == kNoNode ? nullptr : &graph_.nodes()[IndexOf(producer)];
  }

  bool IsDynamicScale(TensorId id) {
    const ModelNode* producer = ProducerOf(id);
    return producer != nullptr && producer->op_type == "DynamicQuantizeLinear";
  }

  // Returns the tensor with the weight scale. If `factor` is the product of input scale and weight
  // scale, this is the operand that is constant.
  TensorId WeightScale(const IntegerProduct& product, TensorId factor) {
    if (product.has_input_scale) return factor;
    const ModelNode* scales = ProducerOf(factor);
    if (scales == nullptr || scales->op_type != "Mul") return kNoTensor;
    const auto constant = std::ranges::find_if(
        scales->inputs, [&](TensorId id) { return ConstantBehind(id) != nullptr; });
    return constant == scales->inputs.end() ? kNoTensor : *constant;
  }

  Result<void> SetProductScale(const IntegerProduct& product, TensorId factor) {
    ModelTensor& weights = graph_.tensor(product.weights);
    const TensorId scale = WeightScale(product, factor);
    if (scale == kNoTensor || weights.quantization) return {};
    CBOARD_ASSIGN_OR_RETURN(weights.quantization,
                            Parameters(QuantizationOrigin::kQOperator, weights.type, weights, scale,
                                       product.zero_point, product.axis, 0));
    return {};
  }

  GraphAssembler& graph_;
  // The products of integers. The key is the index of the tensor that contains the product.
  std::unordered_map<std::size_t, IntegerProduct> products_;
  // The quantization parameters that DynamicQuantizeLinear computes from a constant tensor. The key
  // is the index of this tensor.
  std::unordered_map<std::size_t, std::optional<ModelQuantization>> dynamic_;
};

}  // namespace

Result<void> ResolveOnnxQuantization(GraphAssembler& graph) {
  return OnnxQuantization(graph).Run();
}

}  // namespace cboard::model
