#include "compare/blame/qdq_form.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compare/layers/model_layers.h"

namespace cboard::compare {
namespace {

// An operator on integer codes and its inputs. Each quantized input is a triple of codes, scale and
// zero point. The scale of the output and a 32-bit bias may follow.
struct CodeOperator {
  std::string_view name;
  std::string_view of_floats;
  std::vector<std::size_t> codes;  // Inputs with codes; scale and zero point follow each.
  std::size_t output_scale = 0;    // The zero point follows it.
  std::size_t bias = 0;            // 0: the operator has no bias.
};

const std::vector<CodeOperator>& CodeOperators() {
  static const std::vector<CodeOperator> kOperators = {
      {"QLinearConv", "Conv", {0, 3}, 6, 8},
      {"QGemm", "Gemm", {0, 3}, 7, 6},
      {"QLinearMatMul", "MatMul", {0, 3}, 6},
      {"QLinearAdd", "Add", {0, 3}, 6},
      {"QLinearMul", "Mul", {0, 3}, 6},
      {"QLinearSigmoid", "Sigmoid", {0}, 3},
      {"QLinearLeakyRelu", "LeakyRelu", {0}, 3},
      {"QLinearSoftmax", "Softmax", {0}, 3},
      {"QLinearAveragePool", "AveragePool", {0}, 3},
      {"QLinearGlobalAveragePool", "GlobalAveragePool", {0}, 3},
  };
  return kOperators;
}

// An operator on codes. Its first two inputs are scale and zero point of the output.
constexpr std::string_view kConcat = "QLinearConcat";

const CodeOperator* FindOperator(std::string_view op_type) {
  const auto found = std::ranges::find(CodeOperators(), op_type, &CodeOperator::name);
  return found == CodeOperators().end() ? nullptr : &*found;
}

// Standard ONNX operators that can work on codes directly, because the output has the same scale as
// the input.
bool MovesCodes(std::string_view op_type) {
  constexpr std::array<std::string_view, 8> kNames = {
      "MaxPool", "Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Gather", "Slice"};
  return std::ranges::find(kNames, op_type) != kNames.end();
}

class QdqForm {
 public:
  explicit QdqForm(const model::ModelGraph& model) : model_(model) {}

  std::optional<runtime::GraphEdits> Run() {
    for (const model::ModelNode& node : model_.nodes()) {
      if (!Add(node)) return std::nullopt;
    }
    return std::move(edits_);
  }

 private:
  struct Scale {
    std::string scale, zero_point;
  };

  const std::string& NameOf(model::TensorId id) const { return model_.tensor(id).name; }

  std::string InputName(const model::ModelNode& node, std::size_t input) const {
    const bool is_there = input < node.inputs.size() && node.inputs[input] != model::kNoTensor;
    return is_there ? NameOf(node.inputs[input]) : std::string();
  }

  bool Add(const model::ModelNode& node) {
    if (node.outputs.empty() || node.outputs[0] == model::kNoTensor) return true;
    if (node.op_type == "QuantizeLinear") {
      scales_[node.outputs[0]] = {InputName(node, 1), InputName(node, 2)};
      return true;
    }
    if (node.op_type == kConcat) return AddConcat(node);
    if (const CodeOperator* known = FindOperator(node.op_type)) return AddOperator(node, *known);
    if (node.op_type.starts_with("QLinear")) return false;
    const bool takes_codes =
        node.op_type != "DequantizeLinear" && !node.inputs.empty() &&
        std::ranges::any_of(node.inputs, [&](model::TensorId id) { return scales_.contains(id); });
    if (!takes_codes) return true;
    if (!MovesCodes(node.op_type) || node.outputs.size() != 1) return false;
    return AddMove(node);
  }

  // Adds a DequantizeLinear for an input and returns the name of its output. Scales per channel
  // require the axis.
  std::string Dequantized(const model::ModelNode& node, std::size_t input,
                          std::vector<runtime::NodeSketch>& nodes) const {
    const model::ModelTensor& codes = model_.tensor(node.inputs[input]);
    runtime::NodeSketch sketch{
        .op_type = "DequantizeLinear",
        .inputs = {codes.name, InputName(node, input + 1), InputName(node, input + 2)},
        // Adds a separate DequantizeLinear for each reader, like ONNX Runtime's quantizer.
        .output = std::string(WithoutQuantizationSuffix(codes.name)) + "_of_" +
                  NameOf(node.outputs[0]) + "_" + std::to_string(input) +
                  "_DequantizeLinear_Output"};
    if (codes.quantization && codes.quantization->scales.size() > 1) {
      sketch.axis = static_cast<std::int64_t>(codes.quantization->axis);
    }
    nodes.push_back(std::move(sketch));
    return nodes.back().output;
  }

  // Dequantizes a bias. Its scale is the scale of the input times the scale of the weights.
  std::optional<std::string> DequantizedBias(const model::ModelNode& node,
                                             const CodeOperator& known,
                                             std::vector<runtime::NodeSketch>& nodes) {
    const auto scales_of = [&](std::size_t codes) {
      return model_.ReadWeights(node.inputs[known.codes[codes] + 1]);
    };
    const auto left = scales_of(0), right = scales_of(1);
    if (!left || !right || left->size() != 1) return std::nullopt;
    const model::AttributeValue* alpha = node.FindAttribute("alpha");
    const auto* factor = alpha == nullptr ? nullptr : std::get_if<double>(alpha);
    runtime::ConstantTensor scale{
        .name = NameOf(node.inputs[known.bias]) + "_of_" + NameOf(node.outputs[0]) + "_scale",
        .shape = {},
        .values = *right};
    for (float& value : scale.values) {
      value *= (*left)[0] * static_cast<float>(factor == nullptr ? 1 : *factor);
    }
    runtime::NodeSketch sketch{
        .op_type = "DequantizeLinear",
        .inputs = {NameOf(node.inputs[known.bias]), scale.name},
        .output = std::string(WithoutQuantizationSuffix(NameOf(node.inputs[known.bias]))) + "_of_" +
                  NameOf(node.outputs[0]) + "_DequantizeLinear_Output"};
    if (scale.values.size() > 1) {
      scale.shape = {static_cast<std::int64_t>(scale.values.size())};
      sketch.axis = 0;
    }
    edits_.added.push_back(std::move(scale));
    nodes.push_back(std::move(sketch));
    return nodes.back().output;
  }

  // Writes the float operator, and the quantizer of its output.
  void Finish(const model::ModelNode& node, runtime::NodeSketch sketch, const Scale& scale,
              std::vector<runtime::NodeSketch> nodes) {
    const std::string codes = NameOf(node.outputs[0]);
    sketch.name = node.name;
    sketch.has_attributes = true;
    sketch.output = scale.scale.empty()
                        ? codes
                        : std::string(WithoutQuantizationSuffix(codes)) + "_QuantizeLinear_Input";
    const std::string floats = sketch.output;
    nodes.push_back(std::move(sketch));
    if (!scale.scale.empty()) {
      nodes.push_back({.op_type = "QuantizeLinear",
                       .inputs = {floats, scale.scale, scale.zero_point},
                       .output = codes});
      scales_[node.outputs[0]] = scale;
    }
    edits_.recomputed.push_back({.name = codes, .nodes = std::move(nodes), .own = {}, .in = {}});
  }

  bool AddOperator(const model::ModelNode& node, const CodeOperator& known) {
    std::vector<runtime::NodeSketch> nodes;
    runtime::NodeSketch sketch{.op_type = std::string(known.of_floats), .inputs = {}, .output = {}};
    // Omits attributes that the float operator does not have.
    sketch.left_out = {"channels_last", "opset"};
    for (const std::size_t codes : known.codes) {
      if (InputName(node, codes).empty()) return false;
      sketch.inputs.push_back(Dequantized(node, codes, nodes));
    }
    if (known.bias > 0 && !InputName(node, known.bias).empty()) {
      auto bias = DequantizedBias(node, known, nodes);
      if (!bias) return false;
      sketch.inputs.push_back(*std::move(bias));
    }
    Finish(node, std::move(sketch),
           {InputName(node, known.output_scale), InputName(node, known.output_scale + 1)},
           std::move(nodes));
    return true;
  }

  bool AddConcat(const model::ModelNode& node) {
    std::vector<runtime::NodeSketch> nodes;
    runtime::NodeSketch sketch{.op_type = "Concat", .inputs = {}, .output = {}};
    for (std::size_t i = 2; i + 2 < node.inputs.size(); i += 3) {
      sketch.inputs.push_back(Dequantized(node, i, nodes));
    }
    Finish(node, std::move(sketch), {InputName(node, 0), InputName(node, 1)}, std::move(nodes));
    return true;
  }

  bool AddMove(const model::ModelNode& node) {
    const auto scale = scales_.find(node.inputs[0]);
    if (scale == scales_.end()) return false;
    const Scale same = scale->second;
    const std::string codes = NameOf(node.inputs[0]);
    std::vector<runtime::NodeSketch> nodes = {
        {.op_type = "DequantizeLinear",
         .inputs = {codes, same.scale, same.zero_point},
         .output = std::string(WithoutQuantizationSuffix(codes)) + "_of_" +
                   NameOf(node.outputs[0]) + "_DequantizeLinear_Output"}};
    runtime::NodeSketch sketch{.op_type = node.op_type, .inputs = {nodes[0].output}, .output = {}};
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      sketch.inputs.push_back(InputName(node, i));
    }
    Finish(node, std::move(sketch), same, std::move(nodes));
    return true;
  }

  const model::ModelGraph& model_;
  std::unordered_map<model::TensorId, Scale> scales_;  // Scales of activations.
  runtime::GraphEdits edits_;
};

}  // namespace

bool HasCodeOperators(const model::ModelGraph& model) {
  return std::ranges::any_of(model.nodes(), [](const model::ModelNode& node) {
    return node.op_type == kConcat || FindOperator(node.op_type) != nullptr;
  });
}

std::optional<runtime::GraphEdits> QdqFormOf(const model::ModelGraph& model) {
  return QdqForm(model).Run();
}

}  // namespace cboard::compare
