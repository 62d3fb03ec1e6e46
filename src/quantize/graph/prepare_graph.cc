#include "quantize/graph/prepare_graph.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"
#include "quantize/graph/encode_graph.h"

namespace cboard::quantize {
namespace {

// Maximum size of a folded result; a larger one, such as the Expand of a scalar, is still computed
// at run time.
constexpr std::size_t kMaxFoldedBytes = std::size_t{64} << 20;

constexpr std::size_t kMaxGrownBytes = 4096;

// Returns, for each tensor that is computed from constants, the total bytes of these constants.
std::map<std::string, std::size_t> SourceBytes(const Graph& part) {
  std::map<std::string, std::size_t> bytes;
  for (const auto& [name, constant] : part.constants) bytes[name] = constant.elements.size();
  for (const Node& node : part.nodes) {
    std::size_t sum = 0;
    for (const std::string& input : node.inputs) {
      const auto found = bytes.find(input);
      if (found != bytes.end()) sum += found->second;
    }
    for (const std::string& output : node.outputs) bytes[output] = sum;
  }
  return bytes;
}

bool IsWeight(const Graph& graph, const GraphIndex& index, const std::string& tensor) {
  return std::ranges::any_of(index.Consumers(tensor), [&](std::size_t consumer) {
    const Node& node = graph.nodes[consumer];
    const bool has_weight =
        node.Is("Conv") || node.Is("ConvTranspose") || node.Is("Gemm") || node.Is("MatMul");
    return has_weight && node.Input(1) == tensor;
  });
}

bool IsQuantized(const Node& node) {
  static constexpr auto kTypes = std::to_array<std::string_view>(
      {"QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger",
       "ConvInteger", "MatMulNBits", "MatMulBnb4", "QGemm", "QAttention", "MatMulIntegerToFloat",
       "DynamicQuantizeMatMul", "DynamicQuantizeLSTM", "FakeQuantize"});
  return std::ranges::find(kTypes, node.op_type) != kTypes.end() ||
         node.op_type.starts_with("QLinear");
}

bool IsRandom(const Node& node) {
  return node.op_type.starts_with("Random") || node.Is("Multinomial") || node.Is("Bernoulli");
}

}  // namespace

Result<void> CheckIsFloat(const Graph& graph) {
  for (const Node& node : graph.nodes) {
    if (!IsQuantized(node)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "the model is already quantized: node " +
                    Quoted(node.name.empty() ? node.Input(0) : node.name) + " is a " +
                    node.op_type + "; use the original float model");
  }
  return {};
}

bool ReplaceTensor(Graph& graph, const std::string& from, const std::string& to) {
  const GraphIndex index(graph);
  if (index.IsOutput(from)) return false;
  for (const std::size_t consumer : index.Consumers(from)) {
    if (graph.nodes[consumer].HasBody()) return false;
  }
  for (const std::size_t consumer : index.Consumers(from)) {
    std::ranges::replace(graph.nodes[consumer].inputs, from, to);
  }
  return true;
}

namespace {

// Returns the constant of a Constant node; nullopt for kinds that are not supported.
std::optional<Constant> ValueOfConstant(const Node& node) {
  if (const Attribute* const value = node.Find("value"); value != nullptr) {
    if (!value->tensor || !value->tensor->encoded.empty()) return std::nullopt;
    return value->tensor;
  }
  if (const Attribute* const value = node.Find("value_float"); value != nullptr) {
    return Constant::Floats({}, value->floats);
  }
  if (const Attribute* const value = node.Find("value_floats"); value != nullptr) {
    return Constant::Floats({static_cast<std::int64_t>(value->floats.size())}, value->floats);
  }
  if (const Attribute* const value = node.Find("value_int"); value != nullptr) {
    Constant constant = Constant::Int64s(value->ints);
    constant.shape = {};
    return constant;
  }
  if (const Attribute* const value = node.Find("value_ints"); value != nullptr) {
    return Constant::Int64s(value->ints);
  }
  return std::nullopt;
}

}  // namespace

std::size_t RemoveTrivialNodes(Graph& graph) {
  const std::size_t before = graph.nodes.size();
  std::set<std::string> outputs;
  for (const Value& output : graph.outputs) outputs.insert(output.name);
  std::unordered_map<std::string, std::string> renamed;
  std::unordered_set<std::string> in_bodies;
  for (const Node& node : graph.nodes) {
    for (std::string& name : NamesInBodies(node)) in_bodies.insert(std::move(name));
  }
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    for (std::string& input : node.inputs) {
      if (const auto found = renamed.find(input); found != renamed.end()) input = found->second;
    }
    if (node.Is("Constant") && node.outputs.size() == 1) {
      if (auto constant = ValueOfConstant(node)) {
        graph.constants.insert_or_assign(node.outputs[0], *std::move(constant));
        continue;
      }
    }
    // Replaces a Sum of two inputs by an Add, which has an integer kernel.
    if (node.Is("Sum") && node.inputs.size() == 2) node.op_type = "Add";
    const bool is_identity =
        node.Is("Identity") || ((node.Is("Sum") || node.Is("Concat")) && node.inputs.size() == 1) ||
        (node.Is("Dropout") && (node.outputs.size() == 1 || node.outputs[1].empty()));
    if (is_identity && !outputs.contains(node.outputs[0]) && !in_bodies.contains(node.outputs[0])) {
      renamed[node.outputs[0]] = node.inputs[0];
      continue;
    }
    kept.push_back(std::move(node));
  }
  graph.nodes = std::move(kept);
  return before - graph.nodes.size();
}

std::size_t FoldConstants(Graph& graph, const runtime::SessionOptions& session) {
  std::unordered_set<std::string> constant;
  for (const auto& [name, value] : graph.constants) constant.insert(name);
  Graph part{.ir_version = graph.ir_version, .opsets = graph.opsets, .name = "constants"};
  std::vector<bool> is_folded(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (node.inputs.empty() || node.HasBody() || IsRandom(node) || !node.domain.empty() ||
        node.Is("Dropout")) {
      continue;
    }
    is_folded[i] = std::ranges::all_of(node.inputs, [&](const std::string& input) {
      return input.empty() || constant.contains(input);
    });
    if (!is_folded[i]) continue;
    constant.insert(node.outputs.begin(), node.outputs.end());
    part.nodes.push_back(node);
  }
  if (part.nodes.empty()) return 0;
  const GraphIndex index(graph);
  std::vector<std::string> wanted;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!is_folded[i]) continue;
    for (const std::string& output : graph.nodes[i].outputs) {
      const auto consumers = index.Consumers(output);
      const bool is_used = index.IsOutput(output) || std::ranges::any_of(consumers, [&](auto node) {
                             return !is_folded[node];
                           });
      if (!output.empty() && is_used && !index.IsOutput(output)) wanted.push_back(output);
    }
  }
  if (wanted.empty()) return 0;
  for (const auto& [name, value] : graph.constants) part.constants.emplace(name, value);
  // Includes only constants that these nodes use.
  std::unordered_set<std::string> used;
  for (const Node& node : part.nodes) used.insert(node.inputs.begin(), node.inputs.end());
  std::erase_if(part.constants, [&](const auto& entry) { return !used.contains(entry.first); });
  auto bytes = EncodeGraphWithOutputs(part, wanted);
  if (!bytes) return 0;
  runtime::SessionOptions options = session;
  options.pool = false;
  options.optimize = false;
  const auto opened =
      runtime::Session::FromBytes(AsBytes(*bytes), "the constants of the model", options);
  if (!opened) return 0;
  const auto results = opened->Run({}, wanted);
  if (!results) return 0;
  const std::map<std::string, std::size_t> sources = SourceBytes(part);
  for (const runtime::NamedTensor& result : results->tensors()) {
    const std::size_t size = result.tensor.byte_count();
    // Does not fold a table that is computed from a few numbers. A weight may grow to four times
    // its size, because 8 bits make it a quarter as large.
    const std::size_t factor = IsWeight(graph, index, result.name) ? 4 : 1;
    const bool has_grown = size > kMaxGrownBytes && size > factor * sources.at(result.name);
    if (size > kMaxFoldedBytes || has_grown) continue;
    graph.constants.insert_or_assign(
        result.name, Constant::Of(proto::OnnxTypeOf(result.tensor.dtype), result.tensor.shape,
                                  {static_cast<const char*>(result.tensor.data), size}));
  }
  const std::size_t before = graph.nodes.size();
  std::erase_if(graph.nodes, [&](const Node& node) {
    return std::ranges::all_of(node.outputs, [&](const std::string& output) {
      return output.empty() || graph.constants.contains(output);
    });
  });
  RemoveUnused(graph);
  return before - graph.nodes.size();
}

Result<PreparationCounts> PrepareGraph(Graph& graph, const runtime::SessionOptions& session) {
  CBOARD_RETURN_IF_ERROR(CheckIsFloat(graph));
  PreparationCounts counts;
  graph.ir_version = std::max<std::int64_t>(graph.ir_version, 8);
  counts.removed_nodes = RemoveTrivialNodes(graph);
  RemoveUnused(graph);
  counts.widened_constants = WidenHalf(graph);
  counts.folded_constants = FoldConstants(graph, session);
  CBOARD_ASSIGN_OR_RETURN(counts.upgraded_from_opset, UpgradeOpset(graph));
  FoldIntoWeights(graph, counts);
  RemoveUnused(graph);
  SortNodes(graph);
  return counts;
}

}  // namespace cboard::quantize
