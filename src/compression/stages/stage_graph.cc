#include "cboard/compression/stage_graph.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "writer/graph_import/node_names.h"

namespace cboard::compression {
namespace {

constexpr std::uint64_t kFloatBytes = 4;
constexpr int kMaxBits = 64;

using Attributes = std::vector<std::pair<std::string, proto::Attribute>>;

proto::Attribute ToAttribute(const StageAttribute& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return proto::Attribute::Int(*integer);
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return proto::Attribute::Float(static_cast<float>(*number));
  }
  if (const auto* truth = std::get_if<bool>(&value)) return proto::Attribute::Bool(*truth);
  return proto::Attribute::String(std::get<std::string>(value));
}

Attributes ToAttributes(const StageAttributes& attributes, const StageNode* shapes_of = nullptr) {
  Attributes result;
  for (const auto& [key, value] : attributes) {
    result.emplace_back(ToValidUtf8(key), ToAttribute(value));
  }
  if (shapes_of != nullptr && !shapes_of->output_shapes.empty()) {
    result.emplace_back("_output_shapes", proto::Attribute::ShapeList(shapes_of->output_shapes));
  }
  return result;
}

class Encoder {
 public:
  explicit Encoder(const StageGraph& graph) : graph_(graph) {
    for (const StageNode& node : graph.nodes) {
      for (const StageInput& input : node.inputs) read_.insert(input.node);
    }
  }

  Result<EncodedStageGraph> Encode() {
    if (graph_.nodes.empty()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "graph " + Quoted(graph_.name) + " has no nodes; expected at least one");
    }
    for (const StageNode& node : graph_.nodes) CBOARD_RETURN_IF_ERROR(Add(node));
    return EncodedStageGraph{.graph_def = builder_.Encode(),
                             .resources = proto::EncodeRunMetadata(bytes_),
                             .node_names = std::move(names_)};
  }

 private:
  Result<void> Add(const StageNode& node) {
    if (node.name.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "node " + std::to_string(names_.size()) +
                                                   " of graph " + Quoted(graph_.name) +
                                                   " has no name");
    }
    if (node.weight_bits < 1 || node.weight_bits > kMaxBits) {
      return Fail(ErrorCode::kInvalidArgument, "node " + Quoted(node.name) + " has weights of " +
                                                   std::to_string(node.weight_bits) +
                                                   " bits; expected 1 to 64");
    }
    const std::string name = NameFor(node);
    std::vector<std::string> inputs;
    for (const StageInput& input : node.inputs) {
      const auto found = sources_.find(input.node);
      if (found == sources_.end()) {
        return Fail(ErrorCode::kInvalidArgument,
                    "node " + Quoted(node.name) + " reads " + Quoted(input.node) +
                        ", which is not an earlier node; list each node after its inputs");
      }
      inputs.push_back(found->second + ":" + std::to_string(input.output));
    }
    // The value that later nodes read: the quantized output, if there is one.
    std::string source = name;
    if (!node.activation.empty()) source += ".activation";
    if (!sources_.emplace(node.name, source).second) {
      return Fail(ErrorCode::kInvalidArgument, "two nodes of graph " + Quoted(graph_.name) +
                                                   " have the name " + Quoted(node.name));
    }
    if (!node.weights.empty()) {
      const std::string weights = name + ".weights";
      builder_.AddNode({.name = weights, .attributes = ToAttributes(node.weights)});
      inputs.push_back(weights + ":1");
    }
    if (!node.activation.empty()) {
      builder_.AddNode({.name = source,
                        .inputs = {name + ":0"},
                        .attributes = ToAttributes(node.activation, &node)});
    }
    const std::string op = ToValidUtf8(node.op);
    builder_.AddNode({.name = name,
                      .op = op,
                      .inputs = std::move(inputs),
                      .device = op,  // TensorBoard colours nodes by device.
                      .attributes = ToAttributes(node.attributes, &node)});
    bytes_.push_back(
        {.node_name = name, .total_bytes = static_cast<std::int64_t>(WeightBytes(node))});
    names_.push_back(name);
    return {};
  }

  std::string NameFor(const StageNode& node) {
    const std::string own = writer::NodeName(ToValidUtf8(node.name));
    const int number = numbers_[node.op]++;
    std::string name = graph_.name.empty() ? std::string("model") : ToValidUtf8(graph_.name);
    if (node.inputs.empty()) {
      name = "Input";
    } else if (!read_.contains(node.name)) {
      name = "Output";
    } else {
      name += "/" + ToValidUtf8(node.op) + "_" + std::to_string(number);
    }
    return unique_.Take(name + "/" + own);
  }

  const StageGraph& graph_;
  std::unordered_set<std::string_view> read_;  // Nodes that another node reads.
  std::unordered_map<std::string, std::string> sources_;
  std::map<std::string, int, std::less<>> numbers_;  // Number of nodes so far, by op.
  writer::UniqueNames unique_;
  proto::GraphBuilder builder_;
  std::vector<proto::NodeStats> bytes_;
  std::vector<std::string> names_;
};

}  // namespace

std::uint64_t WeightBytes(const StageNode& node) {
  if (node.weight_bytes) return *node.weight_bytes;
  const auto bits = static_cast<std::uint64_t>(node.weight_bits);
  return node.float_parameters * kFloatBytes + (node.quantized_parameters * bits + 7) / 8;
}

Result<EncodedStageGraph> EncodeStageGraph(const StageGraph& graph) {
  return Encoder(graph).Encode();
}

}  // namespace cboard::compression
