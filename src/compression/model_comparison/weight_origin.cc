#include "compression/model_comparison/weight_origin.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace cboard::compare {
namespace {

using Axis = std::optional<std::size_t>;

// Exporters put one or two such nodes in between.
constexpr int kMaxNodes = 8;

bool IsTranspose(std::string_view op) { return op == "Transpose" || op == "TRANSPOSE"; }

bool OnlyAddsOrDropsOnes(std::string_view op) {
  constexpr std::string_view kOps[] = {"Unsqueeze", "Squeeze",     "Reshape", "ExpandDims",
                                       "SQUEEZE",   "EXPAND_DIMS", "RESHAPE", "Identity"};
  return std::ranges::find(kOps, op) != std::end(kOps);
}

// For each dimension of a Transpose's output the one of its input; empty when it is not known.
std::vector<std::size_t> OrderOf(const ModelGraph& model, const ModelNode& node, std::size_t rank) {
  std::vector<double> given;
  if (const AttributeValue* value = node.FindAttribute("perm")) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(value)) {
      given.assign(list->begin(), list->end());
    }
  } else if (node.inputs.size() > 1) {
    if (!model.IsWeight(node.inputs[1])) return {};
    const auto list = model.ReadWeights(node.inputs[1], rank);
    if (list) given.assign(list->begin(), list->end());
  } else {  // Backwards.
    for (std::size_t i = rank; i > 0; --i) given.push_back(static_cast<double>(i - 1));
  }
  std::vector<std::size_t> order;
  std::vector<bool> is_used(rank);
  for (const double from : given) {
    if (!(from >= 0 && from < static_cast<double>(rank))) return {};
    order.push_back(static_cast<std::size_t>(from));
    if (is_used[order.back()]) return {};
    is_used[order.back()] = true;
  }
  return order.size() == rank ? order : std::vector<std::size_t>();
}

// Positions of the dimensions that are not one; nothing when a size is not known.
std::optional<std::vector<std::size_t>> RealDimensions(const ModelTensor& tensor) {
  if (!tensor.has_shape) return std::nullopt;
  std::vector<std::size_t> real;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 0) return std::nullopt;
    if (tensor.shape[i] != 1) real.push_back(i);
  }
  return real;
}

// Turns dimensions of `to` into those of `from`, which has the same ones but for some of size one;
// those become nothing. False when the two have other dimensions.
bool PassOnes(const ModelTensor& from, const ModelTensor& to, std::vector<Axis>& axes) {
  const auto before = RealDimensions(from), after = RealDimensions(to);
  if (!before || !after || before->size() != after->size()) return false;
  for (std::size_t i = 0; i < before->size(); ++i) {
    if (from.shape[(*before)[i]] != to.shape[(*after)[i]]) return false;
  }
  for (Axis& axis : axes) {
    if (!axis) continue;
    const auto at = std::ranges::find(*after, *axis);
    axis = at == after->end() ? Axis() : (*before)[static_cast<std::size_t>(at - after->begin())];
  }
  return true;
}

}  // namespace

std::optional<WeightOrigin> FindWeightOrigin(const ModelGraph& model, TensorId operand,
                                             std::size_t channel_axis,
                                             std::optional<std::size_t> input_axis) {
  if (operand == kNoTensor) return std::nullopt;
  if (model.IsWeight(operand)) return WeightOrigin{operand, channel_axis, input_axis};
  // Where each dimension of the operand is in `tensor`.
  std::vector<Axis> axes(model.tensor(operand).shape.size());
  for (std::size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  TensorId tensor = operand;
  for (int i = 0; !model.IsWeight(tensor); ++i) {
    const NodeId producer = model.tensor(tensor).producer;
    if (producer == kNoNode || i == kMaxNodes) return std::nullopt;
    const ModelNode& node = model.node(producer);
    if (node.inputs.empty() || node.inputs[0] == kNoTensor) return std::nullopt;
    const TensorId input = node.inputs[0];
    if (IsTranspose(node.op_type)) {
      const auto order = OrderOf(model, node, model.tensor(tensor).shape.size());
      if (order.empty()) return std::nullopt;
      for (Axis& axis : axes) {
        if (axis) axis = order[*axis];
      }
    } else if (!OnlyAddsOrDropsOnes(node.op_type) ||
               !PassOnes(model.tensor(input), model.tensor(tensor), axes)) {
      return std::nullopt;
    }
    tensor = input;
  }
  const std::vector<std::int64_t>& shape = model.tensor(tensor).shape;
  const bool are_dimensions =
      std::ranges::all_of(axes, [&](Axis axis) { return !axis || *axis < shape.size(); });
  if (!are_dimensions || channel_axis >= axes.size()) return std::nullopt;
  if (!axes[channel_axis]) {  // Of one channel; any dimension of one is that of channels.
    const auto one = std::ranges::find(shape, 1);
    if (one == shape.end()) return std::nullopt;
    axes[channel_axis] = static_cast<std::size_t>(one - shape.begin());
  }
  // Rows are read in the order in which they lie, but for inputs that come last.
  std::vector<std::size_t> row;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i == channel_axis || i == input_axis || !axes[i] || shape[*axes[i]] == 1) continue;
    row.push_back(*axes[i]);
  }
  WeightOrigin found{tensor, *axes[channel_axis], std::nullopt};
  if (input_axis && axes[*input_axis] && shape[*axes[*input_axis]] != 1) {
    row.insert(row.begin(), *axes[*input_axis]);
  }
  if (std::ranges::is_sorted(row)) return found;
  std::ranges::rotate(row, row.begin() + 1);
  if (!std::ranges::is_sorted(row)) return std::nullopt;
  found.input_axis = row.back();
  return found;
}

}  // namespace cboard::compare
