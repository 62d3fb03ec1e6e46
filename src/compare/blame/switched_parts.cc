#include "compare/blame/switched_parts.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "compare/blame/split_operators.h"
#include "compare/layers/float_operators.h"
#include "compare/layers/layer_operators.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {
namespace {

class PartFinder {
 public:
  PartFinder(const model::ModelGraph& baseline, const model::ModelGraph& variant,
             const std::vector<RestorableLayer>& layers, const ModelComparison& comparison)
      : baseline_(baseline), variant_(variant), layers_(layers), comparison_(comparison) {}

  std::vector<SwitchedPart> Run() {
    for (std::size_t i = 0; i < layers_.size(); ++i) AddWeights(i);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (const auto& plan = layers_[i].output) rows_.emplace(plan->before, i);
    }
    for (std::size_t i = 0; i < variant_.nodes().size(); ++i) {
      const model::ModelNode& node = variant_.nodes()[i];
      if (node.op_type == "QuantizeLinear") AddOutput(node);
      if (node.op_type == "DequantizeLinear") AddConstant(node);
      if (node.op_type == "DynamicQuantizeLinear") AddDynamic(static_cast<model::NodeId>(i));
    }
    std::ranges::stable_sort(parts_, [](const SwitchedPart& a, const SwitchedPart& b) {
      if (a.depth != b.depth) return a.depth < b.depth;
      return a.part < b.part;
    });
    return std::move(parts_);
  }

 private:
  static std::size_t DepthOf(model::NodeId node) {
    return node == model::kNoNode ? 0 : model::IndexOf(node);
  }

  void AddWeights(std::size_t row) {
    const auto& weights = layers_[row].weights;
    if (!weights) return;
    // If two layers share a tensor of weights, the tensor is only one part.
    if (!done_.insert(weights->after.weight).second) return;
    if (weights->after.bias != model::kNoTensor) done_.insert(weights->after.bias);
    parts_.push_back({.part = Part::kWeight,
                      .layer = row,
                      .name = comparison_.layers[row].name,
                      .tensor = weights->after.weight,
                      .node = weights->after.node,
                      .depth = DepthOf(weights->after.node),
                      .weights = &*weights});
  }

  void AddOutput(const model::ModelNode& quantize) {
    const model::TensorId before = quantize.inputs.empty() ? model::kNoTensor : quantize.inputs[0];
    if (before == model::kNoTensor || variant_.IsWeight(before) || !done_.insert(before).second)
      return;
    const auto quantized = QuantizerOf(variant_, before);
    if (!quantized || quantized->after == model::kNoTensor) return;
    if (!IsFloat(variant_.tensor(before))) return;
    SwitchedPart part{.part = Part::kOutput,
                      .tensor = before,
                      .node = variant_.tensor(before).producer,
                      .depth = DepthOf(variant_.tensor(before).producer)};
    const model::ModelTensor& tensor = variant_.tensor(before);
    part.name = part.node == model::kNoNode ? tensor.name : variant_.node(part.node).name;
    if (const auto row = rows_.find(tensor.name); row != rows_.end()) {
      part.layer = row->second;
      part.name = comparison_.layers[row->second].name;
      part.clamp = layers_[row->second].output->clamp;
      part.grid = layers_[row->second].output->grid;
    } else if (const auto& how = variant_.tensor(quantized->codes).quantization;
               how && how->scales.size() == 1) {
      part.grid =
          tensor::QuantizationGrid{.scale = double{how->scales[0]},
                                   .zero_point = how->zero_points.empty() ? 0 : how->zero_points[0],
                                   .code_min = static_cast<std::int32_t>(how->code_min),
                                   .code_max = static_cast<std::int32_t>(how->code_max)};
    }
    parts_.push_back(std::move(part));
  }

  // Adds a DynamicQuantizeLinear, but only if all readers of its codes can become float operators.
  void AddDynamic(model::NodeId id) {
    const model::ModelNode& node = variant_.node(id);
    if (node.inputs.empty() || node.outputs.empty() || node.parent != model::kNoNode) return;
    std::size_t used = 0;
    for (const SwitchedPart& part : parts_) {
      if (part.part == Part::kWeight && part.weights != nullptr &&
          DynamicOf(part.weights->after) == id) {
        ++used;
      }
    }
    if (used == 0) return;
    const model::TensorId before = node.inputs[0];
    SwitchedPart part{.part = Part::kOutput,
                      .tensor = before,
                      .node = variant_.tensor(before).producer,
                      .depth = model::IndexOf(id),
                      .dynamic = id};
    part.name =
        part.node == model::kNoNode ? variant_.tensor(before).name : variant_.node(part.node).name;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const auto& plan = layers_[i].output;
      if (plan && plan->variant == variant_.tensor(before).name) {
        part.layer = i;
        part.name = comparison_.layers[i].name;
      }
    }
    parts_.push_back(std::move(part));
  }

  model::NodeId DynamicOf(const ModelLayer& layer) const {
    if (const auto product = ProductInsteadOf(variant_, layer)) return product->dynamic;
    if (const auto conv = ConvInsteadOf(variant_, layer)) return conv->dynamic;
    return model::kNoNode;
  }

  // Adds constants that are summands, factors, normalization parameters or lookup tables.
  void AddConstant(const model::ModelNode& dequantize) {
    const model::TensorId after =
        dequantize.outputs.empty() ? model::kNoTensor : dequantize.outputs[0];
    if (after == model::kNoTensor || !variant_.IsWeight(after) || !IsFloat(variant_.tensor(after)))
      return;
    if (dequantize.parent != model::kNoNode || !done_.insert(after).second) return;
    const model::ModelTensor& tensor = variant_.tensor(after);
    const model::TensorId ours = BaselineConstant(tensor);
    if (ours == model::kNoTensor || variant_.consumers(after).empty()) return;
    const model::NodeId node = variant_.consumers(after)[0];
    SwitchedPart part{.part = Part::kWeight,
                      .name = variant_.node(node).name,
                      .tensor = after,
                      .node = node,
                      .depth = model::IndexOf(node),
                      .baseline_constant = ours};
    for (std::size_t i = 0; i < comparison_.layers.size(); ++i) {
      if (VariantNodeOf(comparison_.layers[i]) == part.name && !layers_[i].weights) part.layer = i;
    }
    if (part.layer) part.name = comparison_.layers[*part.layer].name;
    parts_.push_back(std::move(part));
  }

  model::TensorId BaselineConstant(const model::ModelTensor& tensor) const {
    const model::TensorId ours = baseline_.FindTensor(WithoutQuantizationSuffix(tensor.name));
    if (!baseline_.IsWeight(ours) || baseline_.tensor(ours).shape != tensor.shape)
      return model::kNoTensor;
    return ours;
  }

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  const std::vector<RestorableLayer>& layers_;
  const ModelComparison& comparison_;
  std::unordered_map<std::string_view, std::size_t> rows_;  // By the tensor that is quantized.
  std::unordered_set<model::TensorId> done_;
  std::vector<SwitchedPart> parts_;
};

// Operators whose output has the same values as the first input, or averages of neighbouring values
// of it.
bool KeepsSignal(std::string_view op_type) {
  return PassesValues(op_type) || op_type == "Resize" || op_type == "Upsample" ||
         op_type == "AveragePool" || op_type == "Pad" || op_type == "Relu" || op_type == "Clip";
}

// Returns true if a node multiplies its first input by a single constant, as in a HardSwish that is
// split into several nodes. The multiplication does not change the integer codes.
bool OnlyScales(const model::ModelGraph& variant, const model::ModelNode& node) {
  if ((node.op_type != "Mul" && node.op_type != "Div") || node.inputs.size() != 2) return false;
  const model::TensorId factor = node.inputs[1];
  if (factor == model::kNoTensor || !variant.IsWeight(factor)) return false;
  const std::vector<std::int64_t>& shape = variant.tensor(factor).shape;
  return std::ranges::all_of(shape, [](std::int64_t size) { return size == 1; });
}

}  // namespace

std::vector<SwitchedPart> FindSwitchedParts(const model::ModelGraph& baseline,
                                            const model::ModelGraph& variant,
                                            const std::vector<RestorableLayer>& layers,
                                            const ModelComparison& comparison) {
  return PartFinder(baseline, variant, layers, comparison).Run();
}

std::vector<std::vector<std::size_t>> GroupParts(const model::ModelGraph& variant,
                                                 const std::vector<SwitchedPart>& parts) {
  std::vector<std::size_t> leader(parts.size());
  std::iota(leader.begin(), leader.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  std::unordered_map<model::TensorId, std::size_t> by_tensor;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].part == Part::kOutput) by_tensor.emplace(parts[i].tensor, i);
  }
  const SplitOperators split(variant);
  std::unordered_map<std::size_t, std::size_t> by_operator;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].part != Part::kOutput) continue;
    // Goes back over nodes that only move values, to the previous quantizer.
    model::TensorId tensor = parts[i].tensor;
    for (model::NodeId node = parts[i].node; node != model::kNoNode;) {
      const model::ModelNode& producer = variant.node(node);
      if (producer.inputs.empty() || producer.inputs[0] == model::kNoTensor) break;
      const bool is_rounding =
          producer.op_type == "QuantizeLinear" || producer.op_type == "DequantizeLinear";
      if (!is_rounding && !KeepsSignal(producer.op_type) && !OnlyScales(variant, producer)) break;
      tensor = producer.inputs[0];
      if (const auto before = by_tensor.find(tensor); before != by_tensor.end()) {
        leader[find(i)] = find(before->second);
        break;
      }
      node = variant.tensor(tensor).producer;
    }
    if (const auto inside = split.Around(parts[i].tensor)) {
      const auto [first, is_new] = by_operator.try_emplace(*inside, i);
      if (!is_new) leader[find(i)] = find(first->second);
    }
  }
  std::vector<std::vector<std::size_t>> groups;
  std::unordered_map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(find(i), groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

}  // namespace cboard::compare
