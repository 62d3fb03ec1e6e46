// Lint rules for the scales of quantized tensors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/layers/model_layers.h"
#include "compare/layers/quantizers.h"
#include "compare/layers/weight_rows.h"
#include "compare/lint/graph_lint.h"

namespace cboard::compare {
namespace {

// Maximum ratio between the scales of a Concat's inputs. All inputs get the scale of the output, so
// an input with another scale is rounded twice.
constexpr double kUnequalConcat = 1.01;
// If the scales of a Concat's inputs differ by more than this ratio, the inputs belong to different
// branches of the model, and a common range would be wrong.
constexpr double kOtherBranches = 4;
// Maximum ratio between the scales of a sum's inputs. The input with the larger scale limits the
// precision of the sum: with a larger ratio, at least one bit of the other input is lost.
constexpr double kUnequalAdd = 2;

// Returns true if a tensor is quantized, directly or behind an activation. Tensors in float are not
// rounded.
bool IsRounded(const model::ModelGraph& model, model::TensorId tensor) {
  if (tensor == model::kNoTensor) return false;
  if (QuantizerOf(model, tensor)) return true;
  return std::ranges::any_of(model.consumers(tensor), [&](model::NodeId consumer) {
    const model::ModelNode& node = model.node(consumer);
    return ClampOf(model, node) && !node.outputs.empty() && QuantizerOf(model, node.outputs[0]);
  });
}

void LintInputs(const model::ModelGraph& model, const model::ModelNode& node, double limit,
                std::vector<LintFinding>& findings) {
  if (node.outputs.empty() || !IsRounded(model, node.outputs[0])) return;
  double finest = HUGE_VAL, coarsest = 0;
  model::TensorId fine = model::kNoTensor, coarse = model::kNoTensor;
  for (const model::TensorId input : node.inputs) {
    if (input == model::kNoTensor || model.IsWeight(input)) continue;
    const model::ModelQuantization* how = QuantizationOf(model, input);
    if (how == nullptr || how->scales.size() != 1) return;
    const double scale = std::abs(double{how->scales[0]});
    if (scale < finest) finest = scale, fine = input;
    if (scale > coarsest) coarsest = scale, coarse = input;
  }
  if (fine == coarse || !(coarsest > limit * finest)) return;
  const bool is_concat =
      node.op_type.find("oncat") != std::string::npos || node.op_type == "CONCATENATION";
  findings.push_back(
      {LintRule::kUnequalScales, node.name,
       "inputs of this " + node.op_type + " have steps of " + verdict::ShortNumber(finest) + " (" +
           Quoted(model.tensor(fine).name) + ") and " + verdict::ShortNumber(coarsest) + " (" +
           Quoted(model.tensor(coarse).name) + "), a quotient of " +
           verdict::ShortNumber(coarsest / finest, 3) +
           (is_concat && coarsest > kOtherBranches * finest
                ? ": they share the steps of the output, which leaves the finer one " +
                      verdict::ShortNumber(std::log2(coarsest / finest), 2) +
                      " bits less; keep this " + node.op_type +
                      " in float32, or give the branches outputs of their own"
                : ": give them one range, or the finer one loses " +
                      verdict::ShortNumber(std::log2(coarsest / finest), 2) + " bits"),
       std::log2(coarsest / finest)});
}

bool IsDepthwise(const model::ModelGraph& model, const ModelLayer& layer) {
  const model::ModelNode& node = model.node(layer.node);
  if (node.op_type.find("DEPTHWISE") != std::string::npos ||
      node.op_type.find("Depthwise") != std::string::npos) {
    return true;
  }
  const std::vector<std::int64_t>& shape = model.tensor(layer.operand).shape;
  const model::AttributeValue* group = node.FindAttribute("group");
  const auto* groups = group == nullptr ? nullptr : std::get_if<std::int64_t>(group);
  return groups != nullptr && *groups > 1 && shape.size() >= 3 && shape[1] == 1;
}

void LintWeights(const model::ModelGraph& model, const ModelLayer& layer,
                 std::vector<LintFinding>& findings) {
  const model::ModelQuantization* how = QuantizationOf(model, layer.weight);
  if (how == nullptr) return;
  const std::string& name = model.node(layer.node).name;
  const std::size_t channels = SizeOf(model, layer).channels;
  if (how->scales.size() == 1 && channels > 1 && IsDepthwise(model, layer)) {
    findings.push_back({LintRule::kPerTensorDepthwise, name,
                        "one scale for the " + std::to_string(channels) +
                            " filters of a depthwise convolution, whose sizes differ most of all: "
                            "give each a scale of its own",
                        2});
  }
  // Rows of a lookup table are not multiplied, so their zero point does not matter.
  if (how->code_min < 0 && !layer.is_table &&
      std::ranges::any_of(how->zero_points, [](std::int32_t zero) { return zero != 0; })) {
    findings.push_back({LintRule::kWeightZeroPoint, name,
                        "signed weights with a zero point other than 0, which most integer kernels "
                        "do not take: quantize weights symmetrically"});
  }
}

// Reports one finding for all layers, because the conversion of the file is their common cause.
// Weights shared by several nodes count once.
void LintFloatWeights(const model::ModelGraph& model, std::span<const ModelLayer> layers,
                      std::vector<LintFinding>& findings) {
  std::unordered_set<model::TensorId> stored;
  std::uint64_t bytes = 0, code_bits = 0;
  const ModelLayer* first = nullptr;
  for (const ModelLayer& layer : layers) {
    const model::ModelTensor& weight = model.tensor(layer.weight);
    const model::ModelQuantization* how = QuantizationOf(model, layer.weight);
    if (layer.node == model::kNoNode || weight.rounded_by == model::kNoTensor || how == nullptr)
      continue;
    if (!stored.insert(weight.source).second) continue;
    if (first == nullptr) first = &layer;
    const auto levels = static_cast<std::uint64_t>(how->code_max - how->code_min);
    bytes += model.tensor(weight.source).stored_bytes();
    code_bits += SizeOf(model, layer).elements * std::bit_width(levels);
  }
  if (first == nullptr) return;
  const std::size_t others = stored.size() - 1;
  findings.push_back({LintRule::kFloatWeights, model.node(first->node).name,
                      "weights are stored as floats and rounded whenever the model runs, here" +
                          (others == 0 ? std::string()
                                       : " and in " + std::to_string(others) +
                                             (others == 1 ? " other layer" : " other layers")) +
                          ": " + HumanBytes(static_cast<double>(bytes)) +
                          " where codes would take " +
                          HumanBytes(static_cast<double>(code_bits) / 8) +
                          "; ONNX Runtime's quantizer stores codes of initializers, but not of "
                          "Constant nodes"});
}

// Checks that biases do not overflow. A bias is added to 32-bit sums of products, so its scale is
// the product of the scales of input and weights.
void LintBias(const model::ModelGraph& model, const ModelLayer& layer,
              std::vector<LintFinding>& findings) {
  constexpr double kLimit = std::numeric_limits<std::int32_t>::max();
  const model::ModelQuantization* weight = QuantizationOf(model, layer.weight);
  const model::ModelNode& node = model.node(layer.node);
  const model::ModelQuantization* input =
      node.inputs.empty() ? nullptr : QuantizationOf(model, node.inputs[0]);
  if (layer.bias == model::kNoTensor || weight == nullptr || input == nullptr) return;
  if (input->scales.size() != 1 || weight->scales.empty()) return;
  const auto bias = ReadBias(model, layer);
  if (!bias) return;
  if (weight->scales.size() != 1 && weight->scales.size() != bias->size()) return;
  std::size_t overflowing = 0, worst = 0;
  double largest = 0;
  for (std::size_t i = 0; i < bias->size(); ++i) {
    const double step =
        double{input->scales[0]} * weight->scales[weight->scales.size() == 1 ? 0 : i];
    const double code = std::abs(double{(*bias)[i]} / step);
    // Finds codes at the limit of int32, where the converter has clipped a larger value.
    if (!(code >= kLimit * (1 - 1e-6))) continue;
    ++overflowing;
    if (code > largest) largest = code, worst = i;
  }
  if (overflowing == 0) return;
  findings.push_back(
      {LintRule::kBiasOverflow, node.name,
       std::to_string(overflowing) + " of " + std::to_string(bias->size()) +
           " values of the bias do not fit 32 bits: " + verdict::ShortNumber((*bias)[worst]) +
           " in channel " + std::to_string(worst) + " needs at least " +
           verdict::ShortNumber(largest) +
           " steps, and int32 has 2.147e+09; a step is the scale of the input times the scale of "
           "the weights, and the weights of that channel are almost 0",
       std::log2(largest / kLimit) + 8});
}

}  // namespace

void LintScales(const model::ModelGraph& model, std::vector<LintFinding>& findings) {
  for (const model::ModelNode& node : model.nodes()) {
    if (node.op_type == "Concat" || node.op_type == "CONCATENATION" || node.op_type == "ConcatV2" ||
        node.op_type == "QLinearConcat") {
      LintInputs(model, node, kUnequalConcat, findings);
    } else if (node.op_type == "Add" || node.op_type == "ADD" || node.op_type == "AddV2" ||
               node.op_type == "Sum" || node.op_type == "QLinearAdd") {
      LintInputs(model, node, kUnequalAdd, findings);
    }
  }
  const std::vector<ModelLayer> layers = FindWeightLayers(model);
  for (const ModelLayer& layer : layers) {
    LintWeights(model, layer, findings);
    LintBias(model, layer, findings);
  }
  LintFloatWeights(model, layers, findings);
}

}  // namespace cboard::compare
