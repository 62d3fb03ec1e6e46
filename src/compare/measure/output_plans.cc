// Decides which tensors of two models are compared as the same output.
#include <algorithm>
#include <set>
#include <unordered_set>

#include "compare/layers/float_operators.h"
#include "compare/measure/output_comparison.h"

namespace cboard::compare {
namespace {

std::optional<tensor::QuantizationGrid> GridOf(const model::ModelTensor& codes) {
  if (!codes.quantization || codes.quantization->scales.size() != 1) return std::nullopt;
  const model::ModelQuantization& how = *codes.quantization;
  if (how.bits() > 16) return std::nullopt;
  return tensor::QuantizationGrid{.scale = double{how.scales[0]},
                                  .zero_point = how.zero_points.empty() ? 0 : how.zero_points[0],
                                  .code_min = static_cast<std::int32_t>(how.code_min),
                                  .code_max = static_cast<std::int32_t>(how.code_max)};
}

// Sets the tensors and the grid of the quantizer in `plan`. Returns false if scale or zero point
// cannot be read.
bool SetVariant(const model::ModelGraph& variant, const QuantizedTensor& quantized,
                OutputPlan& plan) {
  const model::ModelTensor& codes = variant.tensor(quantized.codes);
  plan.grid = GridOf(codes);
  if (!plan.grid) return false;
  if (quantized.before != model::kNoTensor) plan.before = variant.tensor(quantized.before).name;
  if (quantized.after != model::kNoTensor) {
    plan.variant = variant.tensor(quantized.after).name;
  } else {
    plan.variant = codes.name;
    plan.codes = codes.quantization;
  }
  return true;
}

ChannelPlace ChannelsOf(const model::ModelGraph& model, const ModelLayer& layer) {
  if (!layer.part.empty()) return ChannelPlace::kLast;
  return model.node(layer.node).op_type.find("Conv") != std::string::npos ? ChannelPlace::kSecond
                                                                          : ChannelPlace::kByRank;
}

bool CanBeCaptured(const model::ModelGraph& model, const ModelLayer& layer) {
  return layer.output != model::kNoTensor && !IsInBody(model, layer);
}

// Returns true if the only reader of a quantizer's output is an activation.
bool IsBeforeActivation(const model::ModelGraph& model, const QuantizedTensor& quantized) {
  if (quantized.after == model::kNoTensor) return false;
  const model::NodeId next = TensorUse(model).OnlyConsumer(quantized.after);
  return next != model::kNoNode && ClampOf(model, model.node(next)).has_value();
}

// Returns the input of the activation at the end of a layer.
model::TensorId BeforeActivation(const model::ModelGraph& model, const ModelLayer& layer) {
  const model::NodeId activation = model.tensor(layer.output).producer;
  return activation == model::kNoNode ? model::kNoTensor : model.node(activation).inputs[0];
}

}  // namespace

std::optional<OutputPlan> PlanOutput(const model::ModelGraph& baseline, const ModelLayer& before,
                                     const model::ModelGraph& variant, const ModelLayer& after) {
  if (!CanBeCaptured(baseline, before) || !CanBeCaptured(variant, after)) return std::nullopt;
  OutputPlan plan{.channels = ChannelsOf(baseline, before)};
  // If the variant has a quantizer between a product and the Add of its bias, the product is
  // compared.
  const bool is_cut = before.has_added_bias && after.bias == model::kNoTensor;
  if (is_cut && after.clamp) return std::nullopt;
  const std::optional<ClampRange> clamp = is_cut ? std::nullopt : before.clamp;
  plan.baseline = baseline.tensor(is_cut ? before.product : before.output).name;
  if (after.quantized) {
    if (after.clamp && !clamp) return std::nullopt;
    if (clamp && !after.clamp && IsBeforeActivation(variant, *after.quantized)) {
      // If the activation comes after the quantizer, the quantizer's range does not replace the
      // activation. Then the input of the activation is compared.
      const model::TensorId read = BeforeActivation(baseline, before);
      if (read == model::kNoTensor) return std::nullopt;
      plan.baseline = baseline.tensor(read).name;
    } else if (!after.clamp) {
      plan.clamp = clamp;
    }
    if (!SetVariant(variant, *after.quantized, plan)) return std::nullopt;
    return plan;
  }
  // Integer sums (ConvInteger, MatMulInteger) are multiplied by their scale in a later node. The
  // output of that node has the same name as in the baseline.
  if (variant.tensor(after.output).type == DType::kInt32) {
    const model::TensorId scaled = variant.FindTensor(plan.baseline);
    if (scaled == model::kNoTensor || variant.tensor(scaled).producer == model::kNoNode)
      return std::nullopt;
    plan.variant = plan.baseline;
    return plan;
  }
  if (clamp.has_value() != after.clamp.has_value()) return std::nullopt;
  plan.variant = variant.tensor(after.output).name;
  return plan;
}

std::vector<TensorPair> PairQuantizedTensors(const model::ModelGraph& baseline,
                                             const model::ModelGraph& variant,
                                             const std::vector<ModelLayer>& variant_layers) {
  std::unordered_set<model::TensorId> done;
  for (const ModelLayer& layer : variant_layers) {
    if (layer.quantized) done.insert(layer.quantized->before);
  }
  const TensorUse use(baseline);
  std::vector<TensorPair> pairs;
  for (const model::ModelNode& node : variant.nodes()) {
    if (node.op_type != "QuantizeLinear" || node.parent != model::kNoNode || node.inputs.empty())
      continue;
    const model::TensorId before = node.inputs[0];
    if (before == model::kNoTensor || variant.IsWeight(before) || !done.insert(before).second)
      continue;
    const std::optional<QuantizedTensor> quantized = QuantizerOf(variant, before);
    if (!quantized) continue;
    const model::ModelTensor& tensor = variant.tensor(before);
    model::TensorId ours = baseline.FindTensor(WithoutQuantizationSuffix(tensor.name));
    if (ours == model::kNoTensor || baseline.IsWeight(ours)) continue;
    TensorPair pair;
    // The range of the quantizer may replace the activation that follows in the baseline.
    if (const model::NodeId next = use.OnlyConsumer(ours); next != model::kNoNode) {
      const auto clamp = ClampOf(baseline, baseline.node(next));
      const model::TensorId clamped = clamp ? baseline.node(next).outputs[0] : model::kNoTensor;
      if (clamped != model::kNoTensor &&
          variant.FindTensor(baseline.tensor(clamped).name) == model::kNoTensor) {
        ours = clamped;
      }
    }
    const model::NodeId producer = baseline.tensor(ours).producer;
    // The activation may also be replaced if the node before it has been given the name of the
    // activation's output.
    const bool is_clamped = tensor.producer != model::kNoNode &&
                            ClampOf(variant, variant.node(tensor.producer)).has_value();
    if (producer != model::kNoNode && !is_clamped) {
      pair.plan.clamp = ClampOf(baseline, baseline.node(producer));
    }
    if (!SetVariant(variant, *quantized, pair.plan)) continue;
    pair.plan.baseline = baseline.tensor(ours).name;
    pair.name =
        producer == model::kNoNode ? baseline.tensor(ours).name : baseline.node(producer).name;
    pair.op_type = producer == model::kNoNode ? "Input" : baseline.node(producer).op_type;
    pair.depth = producer == model::kNoNode ? 0 : model::IndexOf(producer);
    pair.variant_name =
        tensor.producer == model::kNoNode ? tensor.name : variant.node(tensor.producer).name;
    pair.bits = variant.tensor(quantized->codes).quantization->bits();
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<TensorPair> PairBodyOutputs(const model::ModelGraph& baseline,
                                        const model::ModelGraph& variant,
                                        const std::vector<ModelLayer>& baseline_layers) {
  std::set<model::NodeId> nodes;
  for (const ModelLayer& layer : baseline_layers) {
    model::NodeId node = layer.node;
    while (node != model::kNoNode && baseline.node(node).parent != model::kNoNode) {
      node = baseline.node(node).parent;
    }
    if (node != layer.node) nodes.insert(node);
  }
  std::vector<TensorPair> pairs;
  for (const model::NodeId id : nodes) {
    const model::ModelNode& node = baseline.node(id);
    for (const model::TensorId output : node.outputs) {
      if (output == model::kNoTensor || !IsFloat(baseline.tensor(output))) continue;
      const std::string& name = baseline.tensor(output).name;
      const model::TensorId theirs = variant.FindTensor(name);
      const model::NodeId producer =
          theirs == model::kNoTensor ? model::kNoNode : variant.tensor(theirs).producer;
      if (producer == model::kNoNode || variant.node(producer).parent != model::kNoNode) continue;
      // A quantized output of an If, Loop or Scan is compared as a separate layer.
      if (!IsFloat(variant.tensor(theirs)) || QuantizerOf(variant, theirs)) continue;
      pairs.push_back({.plan = {.baseline = name, .variant = name},
                       .name = node.outputs.size() == 1 ? node.name : node.name + "/" + name,
                       .variant_name = variant.node(producer).name,
                       .op_type = node.op_type,
                       .depth = model::IndexOf(id),
                       .bits = 32});
    }
  }
  return pairs;
}

}  // namespace cboard::compare
