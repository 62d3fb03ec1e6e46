#include "compare/layers/input_layout.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

namespace cboard::compare {

std::optional<InputLayout> InputsOf(const model::ModelGraph& model, const ModelLayer& layer) {
  if (layer.node == model::kNoNode || !layer.part.empty() || layer.layout.direction_axis ||
      layer.is_table) {
    return std::nullopt;
  }
  const model::ModelNode& node = model.node(layer.node);
  const std::vector<std::int64_t>& shape = model.tensor(layer.weight).shape;
  const WeightSize size = SizeOf(model, layer);
  // In most formats, the input channels are the first dimension of a row. TensorFlow's depthwise
  // layout is an exception.
  const std::size_t axis = layer.layout.input_axis.value_or(layer.layout.channel_axis == 0 ? 1 : 0);
  const bool is_convolution = node.op_type.find("Conv") != std::string::npos ||
                              node.op_type.find("CONV") != std::string::npos;
  const bool is_other = node.op_type.starts_with("Depthwise") ||
                        node.op_type.starts_with("DEPTHWISE") || node.op_type == "GroupConvolution";
  if (shape.size() < 2 || (shape.size() > 2 && !is_convolution) || is_other) return std::nullopt;
  if (size.elements == 0 || axis >= shape.size()) return std::nullopt;
  InputLayout layout{.inputs = static_cast<std::size_t>(shape[axis])};
  layout.each = size.elements / size.channels / layout.inputs;
  const model::AttributeValue* const group = node.FindAttribute("group");
  const auto* const groups = group == nullptr ? nullptr : std::get_if<std::int64_t>(group);
  if (groups == nullptr || *groups <= 1) return layout;
  layout.groups = static_cast<std::size_t>(*groups);
  if (size.channels % layout.groups != 0) return std::nullopt;
  layout.inputs *= layout.groups;
  return layout;
}

model::TensorId DataOf(const model::ModelGraph& model, const ModelLayer& layer) {
  if (layer.node == model::kNoNode) return model::kNoTensor;
  const auto& inputs = model.node(layer.node).inputs;
  const auto found = std::ranges::find_if(
      inputs, [&](model::TensorId id) { return id != layer.operand && id != layer.weight; });
  return found == inputs.end() ? model::kNoTensor : *found;
}

void ScaleInputs(const InputFactors& inputs, std::size_t first, std::size_t channels,
                 std::span<float> rows) {
  const auto& [factors, layout] = inputs;
  if (factors.empty()) return;
  const std::size_t row = layout.row(), in_group = channels / layout.groups;
  for (std::size_t begin = 0; begin < rows.size(); begin += row, ++first) {
    const auto of_group = factors.subspan(first / in_group * layout.in_group(), layout.in_group());
    for (std::size_t i = 0; i < row; ++i) {
      float& weight = rows[begin + i];
      weight = static_cast<float>(weight * of_group[i / layout.each]);
    }
  }
}

}  // namespace cboard::compare
