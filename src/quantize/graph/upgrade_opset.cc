// Rewrites nodes of older opsets for opset 13.
#include <algorithm>
#include <limits>

#include "cboard/base/strings.h"
#include "quantize/graph/encode_graph.h"
#include "quantize/graph/prepare_graph.h"

namespace cboard::quantize {
namespace {

constexpr std::int64_t kOpset = 13;

// Turns an attribute into an input.
void MoveToInput(Graph& graph, Node& node, std::string_view attribute, std::size_t input) {
  const Attribute* const found = node.Find(attribute);
  if (found == nullptr) return;
  const std::string name = graph.UniqueName(node.outputs[0] + "_" + std::string(attribute));
  graph.constants.emplace(name, Constant::Int64s(found->ints));
  if (node.inputs.size() <= input) node.inputs.resize(input + 1);
  node.inputs[input] = name;
  node.Remove(attribute);
}

void MoveFloatToInput(Graph& graph, Node& node, std::string_view attribute, std::size_t input) {
  const Attribute* const found = node.Find(attribute);
  if (found == nullptr || found->floats.empty()) return;
  const std::string name = graph.UniqueName(node.outputs[0] + "_" + std::string(attribute));
  graph.constants.emplace(name, Constant::Floats({}, {found->floats[0]}));
  if (node.inputs.size() <= input) node.inputs.resize(input + 1);
  node.inputs[input] = name;
  node.Remove(attribute);
}

// Rewrites a Softmax. Until opset 12, Softmax flattens its input to two dimensions at `axis`, which
// is another function unless `axis` is the last dimension; if the rank is unknown, only -1 is known
// to be the last.
void AppendSoftmax(Graph& graph, Node node, std::vector<Node>& out) {
  const std::int64_t axis = node.Int("axis", 1);
  if (axis == -1) return out.push_back(std::move(node));
  // Replaces the old Softmax by Flatten, Softmax over the last dimension, and Reshape, which is
  // right for every rank.
  const std::string input = node.inputs[0], output = node.outputs[0];
  const std::string flat = graph.UniqueName(output + "_flat"),
                    done = graph.UniqueName(output + "_softmax"),
                    shape = graph.UniqueName(output + "_shape");
  out.push_back({.name = graph.UniqueName(node.name + "_flatten"),
                 .op_type = "Flatten",
                 .inputs = {input},
                 .outputs = {flat},
                 .attributes = {Attribute::Int("axis", axis)}});
  out.push_back({.name = graph.UniqueName(node.name + "_shape"),
                 .op_type = "Shape",
                 .inputs = {input},
                 .outputs = {shape}});
  node.inputs[0] = flat;
  node.outputs[0] = done;
  node.Set(Attribute::Int("axis", -1));
  const std::string name = node.name;
  out.push_back(std::move(node));
  out.push_back({.name = graph.UniqueName(name + "_reshape"),
                 .op_type = "Reshape",
                 .inputs = {done, shape},
                 .outputs = {output}});
}

void UpgradeUpsample(Graph& graph, Node& node, std::int64_t from) {
  if (from < 9) {
    if (const Attribute* const scales = node.Find("scales"); scales != nullptr) {
      const std::string name = graph.UniqueName(node.outputs[0] + "_scales");
      graph.constants.emplace(
          name,
          Constant::Floats({static_cast<std::int64_t>(scales->floats.size())}, scales->floats));
      node.inputs.push_back(name);
      node.Remove("scales");
    }
  }
  node.op_type = "Resize";
  node.inputs = {node.Input(0), "", node.Input(1)};
  node.Set(Attribute::Text("coordinate_transformation_mode", "asymmetric"));
  node.Set(Attribute::Text("nearest_mode", "floor"));
}

Result<void> UpgradeNodes(Graph& graph, std::int64_t from);

// Rewrites bodies of If, Loop and Scan, which have the opset of the model.
Result<void> UpgradeBodies(Graph& graph, Node& node, std::int64_t from) {
  for (Attribute& attribute : node.attributes) {
    if (attribute.graphs.empty()) continue;
    if (attribute.graphs.size() > 1 || (node.Is("Scan") && from < 9)) {
      return Fail(ErrorCode::kInvalidArgument,
                  "the body of node " + Quoted(node.name) + " of opset " + std::to_string(from) +
                      " cannot be rewritten for opset 13; export the model again with opset 13");
    }
    CBOARD_ASSIGN_OR_RETURN(Graph body, ParseBody(attribute.graphs[0], graph));
    CBOARD_RETURN_IF_ERROR(UpgradeNodes(body, from));
    graph.used_names.insert(body.used_names.begin(), body.used_names.end());
    attribute = Attribute::Body(attribute.name, EncodeBody(body));
  }
  return {};
}

Result<void> UpgradeNodes(Graph& graph, std::int64_t from) {
  std::vector<Node> upgraded;
  for (Node& node : graph.nodes) {
    if (node.HasBody()) CBOARD_RETURN_IF_ERROR(UpgradeBodies(graph, node, from));
    if (!node.domain.empty()) {
      upgraded.push_back(std::move(node));
      continue;
    }
    if (node.Is("Squeeze") || node.Is("Unsqueeze") || node.Is("ReduceSum")) {
      MoveToInput(graph, node, "axes", 1);
    } else if (node.Is("Split")) {
      MoveToInput(graph, node, "split", 1);
    } else if (node.Is("Clip") && from < 11) {
      MoveFloatToInput(graph, node, "min", 1);
      MoveFloatToInput(graph, node, "max", 2);
    } else if (node.Is("Slice") && from < 10) {
      MoveToInput(graph, node, "starts", 1);
      MoveToInput(graph, node, "ends", 2);
      MoveToInput(graph, node, "axes", 3);
    } else if (node.Is("Pad") && from < 11) {
      MoveToInput(graph, node, "pads", 1);
      MoveFloatToInput(graph, node, "value", 2);
    } else if (node.Is("TopK") && from < 10) {
      MoveToInput(graph, node, "k", 1);
    } else if (node.Is("Scatter")) {
      node.op_type = "ScatterElements";
    } else if (node.Is("Dropout") && from < 12) {
      node.op_type = "Identity";
      node.attributes.clear();
      node.outputs.resize(1);
    } else if (node.Is("BatchNormalization")) {
      node.outputs.resize(1);
      if (from < 9) node.Remove("spatial");
    } else if (node.Is("Upsample")) {
      UpgradeUpsample(graph, node, from);
    } else if (node.Is("Resize") && from < 11) {
      UpgradeUpsample(graph, node, from);
    } else if (node.Is("Softmax") || node.Is("LogSoftmax") || node.Is("Hardmax")) {
      AppendSoftmax(graph, std::move(node), upgraded);
      continue;
    }
    upgraded.push_back(std::move(node));
  }
  graph.nodes = std::move(upgraded);
  return {};
}

}  // namespace

Result<std::int64_t> UpgradeOpset(Graph& graph) {
  const std::int64_t from = graph.opset();
  if (from >= kOpset) return 0;
  if (from < 7) {
    return Fail(ErrorCode::kInvalidArgument,
                "the model has opset " + std::to_string(from) +
                    "; quantization needs opset 7 or newer: export the model again with opset 13");
  }
  if (!graph.functions.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the model has opset " + std::to_string(from) +
                    " and functions, which cannot be rewritten for opset 13; export it again with "
                    "opset 13 or newer");
  }
  CBOARD_RETURN_IF_ERROR(UpgradeNodes(graph, from));
  graph.opsets[""] = kOpset;
  return from;
}

}  // namespace cboard::quantize
