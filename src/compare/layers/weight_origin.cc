#include "compare/layers/weight_origin.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace cboard::compare {
namespace {

using Axis = std::optional<std::size_t>;

// Maximum number of nodes between the weights and their operator; exporters write one or two.
constexpr int kMaxNodes = 8;

bool IsTranspose(std::string_view op) { return op == "Transpose" || op == "TRANSPOSE"; }

bool OnlyAddsOrDropsOnes(std::string_view op) {
  constexpr std::string_view kWeightOps[] = {"Unsqueeze", "Squeeze",     "Reshape", "ExpandDims",
                                             "SQUEEZE",   "EXPAND_DIMS", "RESHAPE", "Identity"};
  return std::ranges::find(kWeightOps, op) != std::end(kWeightOps);
}

// For each dimension of a Transpose's output: the dimension of its input. Empty if it is unknown.
std::vector<std::size_t> OrderOf(const model::ModelGraph& model, const model::ModelNode& node,
                                 std::size_t rank) {
  std::vector<double> given;
  if (const model::AttributeValue* value = node.FindAttribute("perm")) {
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(value)) {
      given.assign(list->begin(), list->end());
    }
  } else if (node.inputs.size() > 1) {
    if (!model.IsWeight(node.inputs[1])) return {};
    const auto list = model.ReadWeights(node.inputs[1], rank);
    if (list) given.assign(list->begin(), list->end());
  } else {  // Without `perm`, dimensions are reversed.
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

// Positions of the dimensions that are larger than one; nullopt if a size is unknown.
std::optional<std::vector<std::size_t>> RealDimensions(const model::ModelTensor& tensor) {
  if (!tensor.has_shape) return std::nullopt;
  std::vector<std::size_t> real;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] < 0) return std::nullopt;
    if (tensor.shape[i] != 1) real.push_back(i);
  }
  return real;
}

// Replaces the dimensions of `to` in `axes` by the dimensions of `from`. The two shapes may differ
// only by dimensions of size one, whose entries become empty. Returns false for other shapes.
bool PassOnes(const model::ModelTensor& from, const model::ModelTensor& to,
              std::vector<Axis>& axes) {
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

// Returns the range of dimension `axis` that a Slice takes; nullopt if it cuts other dimensions,
// too.
std::optional<ChannelRun> SlicedRun(const model::ModelGraph& model, const model::ModelNode& node,
                                    std::size_t axis) {
  const std::vector<std::int64_t>& shape = model.tensor(node.inputs[0]).shape;
  // Reads one number of the inputs starts, ends, axes or steps; nullopt if it is unknown.
  const auto number = [&](std::size_t input,
                          std::optional<double> otherwise) -> std::optional<double> {
    if (node.inputs.size() <= input || node.inputs[input] == model::kNoTensor) return otherwise;
    if (!model.IsWeight(node.inputs[input])) return std::nullopt;
    const auto values = model.ReadWeights(node.inputs[input], 1);
    return values && values->size() == 1 ? std::optional<double>(values->front()) : std::nullopt;
  };
  const auto start = number(1, {}), end = number(2, {}), along = number(3, 0), step = number(4, 1);
  if (!start || !end || !along || step != 1) return std::nullopt;
  if (axis >= shape.size() || shape[axis] < 0) return std::nullopt;
  const auto rank = static_cast<double>(shape.size());
  if ((*along < 0 ? *along + rank : *along) != static_cast<double>(axis)) return std::nullopt;
  // Negative positions count from the end. Positions behind the end are limited to the end.
  const auto size = static_cast<double>(shape[axis]);
  const auto place = [&](double at) { return std::clamp(at < 0 ? at + size : at, 0.0, size); };
  if (!(place(*end) > place(*start))) return std::nullopt;
  return ChannelRun{static_cast<std::size_t>(place(*start)),
                    static_cast<std::size_t>(place(*end) - place(*start))};
}

// Returns true if `runs` contain each of the `count` channels exactly once.
bool HaveEachOnce(std::vector<ChannelRun> runs, std::size_t count) {
  std::ranges::sort(runs, {}, &ChannelRun::first);
  std::size_t next = 0;
  for (const ChannelRun& run : runs) {
    if (run.first != next) return false;
    next += run.count;
  }
  return next == count;
}

// A tensor and the new order of its channels.
struct Reordered {
  model::TensorId tensor = model::kNoTensor;
  std::vector<ChannelRun> order;
};

// Recognizes a Concat of Slices of one tensor along `axis`. Such a Concat only reorders the
// channels of the tensor.
std::optional<Reordered> ReorderedBy(const model::ModelGraph& model, const model::ModelNode& concat,
                                     std::size_t axis) {
  const auto* value = concat.FindAttribute("axis");
  const auto* along = value == nullptr ? nullptr : std::get_if<std::int64_t>(value);
  Reordered found;
  for (const model::TensorId part : concat.inputs) {
    const model::NodeId producer =
        part == model::kNoTensor ? model::kNoNode : model.tensor(part).producer;
    if (producer == model::kNoNode || model.node(producer).op_type != "Slice") return std::nullopt;
    const model::ModelNode& slice = model.node(producer);
    if (slice.inputs.empty() || slice.inputs[0] == model::kNoTensor) return std::nullopt;
    if (found.tensor == model::kNoTensor) found.tensor = slice.inputs[0];
    const std::optional<ChannelRun> run = SlicedRun(model, slice, axis);
    if (!run || slice.inputs[0] != found.tensor) return std::nullopt;
    found.order.push_back(*run);
  }
  if (found.tensor == model::kNoTensor || along == nullptr) return std::nullopt;
  const std::vector<std::int64_t>& shape = model.tensor(found.tensor).shape;
  const auto rank = static_cast<std::int64_t>(shape.size());
  if ((*along < 0 ? *along + rank : *along) != static_cast<std::int64_t>(axis)) return std::nullopt;
  if (!HaveEachOnce(found.order, static_cast<std::size_t>(shape[axis]))) return std::nullopt;
  return found;
}

// The way from the input of an operator back to the stored tensor.
struct Way {
  model::TensorId tensor = model::kNoTensor;
  std::vector<Axis> axes;  // Dimension of `tensor` for each dimension of the operator's input.
  std::vector<ChannelRun> channel_order;
};

// Goes back by one node. Returns false if the node changes values.
bool StepBack(const model::ModelGraph& model, std::size_t channel_axis, Way& way) {
  const model::NodeId producer = model.tensor(way.tensor).producer;
  if (producer == model::kNoNode) return false;
  const model::ModelNode& node = model.node(producer);
  if (node.inputs.empty() || node.inputs[0] == model::kNoTensor) return false;
  if (IsTranspose(node.op_type)) {
    const auto order = OrderOf(model, node, model.tensor(way.tensor).shape.size());
    if (order.empty()) return false;
    for (Axis& axis : way.axes) {
      if (axis) axis = order[*axis];
    }
  } else if (node.op_type == "Concat") {
    const Axis channels = way.axes[channel_axis];
    if (!channels || !way.channel_order.empty()) return false;
    std::optional<Reordered> reordered = ReorderedBy(model, node, *channels);
    if (!reordered) return false;
    way.tensor = reordered->tensor;
    way.channel_order = std::move(reordered->order);
    return true;
  } else if (!OnlyAddsOrDropsOnes(node.op_type) ||
             !PassOnes(model.tensor(node.inputs[0]), model.tensor(way.tensor), way.axes)) {
    return false;
  }
  way.tensor = node.inputs[0];
  return true;
}

}  // namespace

std::optional<WeightOrigin> FindWeightOrigin(const model::ModelGraph& model,
                                             model::TensorId operand, const WeightLayout& layout) {
  if (operand == model::kNoTensor) return std::nullopt;
  Way way{.tensor = operand, .axes = {}, .channel_order = {}};
  way.axes.resize(model.tensor(operand).shape.size());
  for (std::size_t i = 0; i < way.axes.size(); ++i) way.axes[i] = i;
  if (layout.channel_axis >= way.axes.size()) return std::nullopt;
  for (int i = 0; !model.IsWeight(way.tensor); ++i) {
    if (i == kMaxNodes || !StepBack(model, layout.channel_axis, way)) return std::nullopt;
  }
  std::vector<Axis>& axes = way.axes;
  const std::vector<std::int64_t>& shape = model.tensor(way.tensor).shape;
  const bool are_dimensions =
      std::ranges::all_of(axes, [&](Axis axis) { return !axis || *axis < shape.size(); });
  if (!are_dimensions) return std::nullopt;
  const auto is_real = [&](Axis axis) { return axis && axes[*axis] && shape[*axes[*axis]] != 1; };
  WeightOrigin found{.tensor = way.tensor, .layout = {}};
  if (!layout.channel_order.empty() && !way.channel_order.empty()) return std::nullopt;
  if (is_real(layout.direction_axis)) {
    if (!way.channel_order.empty()) return std::nullopt;
    found.layout.direction_axis = axes[*layout.direction_axis];
  }
  const Axis channels = axes[layout.channel_axis];
  if (!layout.channel_order.empty() &&
      (!channels ||
       !HaveEachOnce(layout.channel_order, static_cast<std::size_t>(shape[*channels])))) {
    return std::nullopt;  // Nodes on the way expect other sizes.
  }
  if (way.tensor == operand) {  // True for most weights.
    found.layout.channel_axis = layout.channel_axis;
    found.layout.input_axis = layout.input_axis;
    found.layout.channel_order = layout.channel_order;
    return found;
  }
  // If there is only one channel, any dimension of size 1 is the channel dimension.
  if (!axes[layout.channel_axis]) {
    const auto one = std::ranges::find(shape, 1);
    if (one == shape.end()) return std::nullopt;
    axes[layout.channel_axis] = static_cast<std::size_t>(one - shape.begin());
  }
  found.layout.channel_axis = *axes[layout.channel_axis];
  found.layout.channel_order =
      way.channel_order.empty() ? layout.channel_order : std::move(way.channel_order);
  // The elements of a row are read in their stored order, unless the input channels come last.
  std::vector<std::size_t> row;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_of_row =
        i != layout.channel_axis && i != layout.input_axis && i != layout.direction_axis;
    if (is_of_row && is_real(i)) row.push_back(*axes[i]);
  }
  if (is_real(layout.input_axis)) row.insert(row.begin(), *axes[*layout.input_axis]);
  if (std::ranges::is_sorted(row)) return found;
  std::ranges::rotate(row, row.begin() + 1);
  if (!std::ranges::is_sorted(row)) return std::nullopt;
  found.layout.input_axis = row.back();
  return found;
}

}  // namespace cboard::compare
