#include "cboard/reader/graph_query.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"
#include "reader/query/attribute_text.h"

namespace cboard::reader {
namespace {

// Maximum depth of scopes. Deeper parts of a name are not divided into scopes.
constexpr std::size_t kMaxScopeDepth = 64;
constexpr std::string_view kOutputShapes = "_output_shapes";

tl::unexpected<Error> TooMany(std::string_view what, std::size_t limit) {
  return Fail(ErrorCode::kResourceExhausted, "the graph has more than " + HumanCount(limit) + " " +
                                                 std::string(what) +
                                                 ", which are too many to show");
}

// The parts of an input such as "^scope/name:3".
struct InputName {
  std::string_view name;  // The name without "^", the mark of control inputs.
  std::string_view node;  // The name also without the output number ":3".
  std::uint32_t output = 0;
  bool control = false;
};

InputName ParseInput(std::string_view text) {
  InputName input;
  input.control = text.starts_with('^');
  input.name = input.control ? text.substr(1) : text;
  input.node = input.name;
  const std::size_t colon = input.name.rfind(':');
  if (colon == std::string_view::npos) return input;
  const std::string_view number = input.name.substr(colon + 1);
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), input.output);
  if (error == std::errc() && end == number.data() + number.size()) {
    input.node = input.name.substr(0, colon);
  } else {
    input.output = 0;
  }
  return input;
}

std::string_view LastPart(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

class GraphReader {
 public:
  explicit GraphReader(const GraphLimits& limits) : limits_(limits) {
    graph_.scopes.emplace_back();  // The root scope.
    scope_of_name_.emplace("", 0);
  }

  void AddNode(const proto::NodeView& view) {
    if (error_) return;
    input_count_ += view.inputs.size();
    if (graph_.nodes.size() == limits_.max_nodes)
      return InvalidArgument(TooMany("nodes", limits_.max_nodes));
    if (input_count_ > limits_.max_edges)
      return InvalidArgument(TooMany("edges", limits_.max_edges));
    const auto index = static_cast<std::uint32_t>(graph_.nodes.size());
    GraphNode& node = graph_.nodes.emplace_back();
    node.name = ToValidUtf8(view.name);
    node.op = ToValidUtf8(view.op);
    node.device = ToValidUtf8(view.device);
    const auto damaged =
        proto::ForEachAttribute(view.bytes, [&](std::string_view key, std::string_view value) {
          if (key == kOutputShapes) node.output_shapes = ShapesOf(value);
          node.attributes.push_back(AttributeText(key, value, limits_.max_attribute_bytes));
        });
    if (!damaged) return InvalidArgument(Fail(damaged.error()));
    std::ranges::stable_sort(node.attributes, {}, &GraphAttribute::key);
    node_of_name_.emplace(view.name, index);
    inputs_.insert(inputs_.end(), view.inputs.begin(), view.inputs.end());
    input_ends_.push_back(inputs_.size());
    Place(index);
  }

  Result<Graph> Finish() {
    if (error_) return Fail(*std::move(error_));
    Connect();
    // A scope is listed before the scopes inside it, so the totals are added up from the last scope
    // to the first.
    for (std::size_t i = graph_.scopes.size(); i-- > 0;) {
      GraphScope& scope = graph_.scopes[i];
      scope.total_nodes += static_cast<std::uint32_t>(scope.nodes.size());
      if (scope.parent != kNoScope) graph_.scopes[scope.parent].total_nodes += scope.total_nodes;
    }
    return std::move(graph_);
  }

 private:
  void InvalidArgument(tl::unexpected<Error> error) { error_ = std::move(error).value(); }

  // Adds the node to the scope that its name begins with. Creates the scope if it does not exist.
  void Place(std::uint32_t index) {
    GraphNode& node = graph_.nodes[index];
    std::uint32_t scope = 0;
    std::size_t depth = 0;
    for (std::size_t slash = node.name.find('/');
         slash != std::string::npos && depth < kMaxScopeDepth;
         slash = node.name.find('/', slash + 1), ++depth) {
      const auto known = scope_of_name_.find(node.name.substr(0, slash));
      if (known != scope_of_name_.end()) {
        scope = known->second;
        continue;
      }
      if (graph_.scopes.size() == limits_.max_scopes) {
        return InvalidArgument(TooMany("scopes", limits_.max_scopes));
      }
      const auto made = static_cast<std::uint32_t>(graph_.scopes.size());
      graph_.scopes[scope].scopes.push_back(made);
      graph_.scopes.push_back({.name = node.name.substr(0, slash), .parent = scope});
      scope_of_name_.emplace(graph_.scopes.back().name, made);
      scope = made;
    }
    node.scope = scope;
    graph_.scopes[scope].nodes.push_back(index);
  }

  void Connect() {
    std::size_t begin = 0;
    for (std::uint32_t to = 0; to < graph_.nodes.size(); ++to) {
      for (std::size_t i = begin; i < input_ends_[to]; ++i) {
        const InputName input = ParseInput(inputs_[i]);
        // The name of a node itself may end in a colon and a number, as in ONNX. The full name is
        // therefore searched first.
        auto from = node_of_name_.find(input.name);
        const bool whole = from != node_of_name_.end();
        if (!whole) from = node_of_name_.find(input.node);
        if (from == node_of_name_.end()) {
          if (graph_.missing_input_count++ < kMaxMissingInputs) {
            graph_.missing_inputs.push_back(ToValidUtf8(input.name));
          }
          continue;
        }
        graph_.edges.push_back({.from = from->second,
                                .to = to,
                                .from_output = whole ? 0 : input.output,
                                .to_input = static_cast<std::uint32_t>(i - begin),
                                .control = input.control});
      }
      begin = input_ends_[to];
    }
  }

  const GraphLimits& limits_;
  Graph graph_;
  std::optional<Error> error_;
  std::size_t input_count_ = 0;
  // The node of each name. The names are views into the bytes of the GraphDef.
  std::unordered_map<std::string_view, std::uint32_t> node_of_name_;
  std::unordered_map<std::string, std::uint32_t> scope_of_name_;
  std::vector<std::string_view> inputs_;  // Inputs of all nodes, as views into the GraphDef.
  std::vector<std::size_t> input_ends_;   // Where each node's inputs end.
};

std::int64_t AddSaturating(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a > 0 ? std::numeric_limits<std::int64_t>::max()
               : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

Result<Graph> ParseGraph(std::string_view graph_def, const GraphLimits& limits) {
  GraphReader graph(limits);
  CBOARD_RETURN_IF_ERROR(
      proto::ForEachNode(graph_def, [&](const proto::NodeView& node) { graph.AddNode(node); }));
  return graph.Finish();
}

Result<GraphProfile> JoinRunMetadata(const Graph& graph, std::string_view run_metadata) {
  constexpr std::uint32_t kSeveral = kNoScope;
  std::unordered_map<std::string_view, std::uint32_t> by_name, by_last_part;
  for (std::uint32_t i = 0; i < graph.nodes.size(); ++i) {
    by_name.emplace(graph.nodes[i].name, i);
    const auto [found, is_new] = by_last_part.emplace(LastPart(graph.nodes[i].name), i);
    if (!is_new) found->second = kSeveral;
  }
  GraphProfile profile;
  profile.costs.resize(graph.nodes.size());
  CBOARD_RETURN_IF_ERROR(proto::ForEachNodeStats(
      run_metadata, [&](std::string_view device, const proto::NodeStats& stats) {
        auto found = by_name.find(stats.node_name);
        if (found == by_name.end()) {
          found = by_last_part.find(LastPart(stats.node_name));
          if (found == by_last_part.end() || found->second == kSeveral) {
            if (profile.unmatched_count++ < kMaxMissingInputs) {
              profile.unmatched.push_back(ToValidUtf8(stats.node_name));
            }
            return;
          }
        }
        std::optional<NodeCost>& cost = profile.costs[found->second];
        if (!cost) cost.emplace();
        cost->memory_bytes = AddSaturating(cost->memory_bytes, stats.total_bytes);
        cost->compute_micros = AddSaturating(cost->compute_micros, stats.all_end_rel_micros);
        if (!stats.output_shapes.empty()) cost->output_shapes = stats.output_shapes;
        cost->device = ToValidUtf8(device);
      }));
  return profile;
}

}  // namespace cboard::reader
