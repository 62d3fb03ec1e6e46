// Routes for graphs: the list of logged graphs, views of one or two graphs, details of a node,
// search, and memory use at run time.
#include <algorithm>
#include <optional>

#include "cboard/analysis/graph_sources.h"
#include "cboard/analysis/graph_view.h"
#include "cboard/analysis/running_memory.h"
#include "cboard/base/strings.h"
#include "cboard/reader/run_query.h"
#include "server/api/api_route.h"
#include "server/api/graph_cache.h"
#include "server/api/graph_json.h"
#include "server/api/json_body.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::GraphScene;
using analysis::GraphSource;
using analysis::Outline;

// Number of boxes that a view opens by default: about as many as a screen shows.
constexpr std::size_t kAutomaticBoxes = 48;
constexpr std::size_t kMaxOpenGroups = 100'000;
constexpr std::size_t kMaxLayers = 100'000;

Result<HttpResponse> GetGraphs(const ApiCall& call) {
  const auto sources = analysis::FindGraphs(*call.snapshot);
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "runs", sources, &GraphSource::run);
  WriteValues(json, "tags", sources, &GraphSource::tag);
  WriteValues(json, "kinds", sources, [](const auto& source) { return NameOf(source.kind); });
  WriteValues(json, "models", sources, &GraphSource::model);
  WriteValues(json, "variants", sources, &GraphSource::variant);
  WriteNumbers(json, "wall_times", sources, &GraphSource::wall_time_seconds);
  WriteValues(json, "versions", sources, &GraphSource::version);
  json.Key("profiles").BeginArray();
  for (const GraphSource& source : sources) {
    json.BeginArray();
    for (const std::string& profile : source.profiles) json.Value(profile);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

Result<GraphSource> FindSource(const ApiCall& call, const std::string& run,
                               const std::string& tag) {
  CBOARD_RETURN_IF_ERROR(FindRun(call, run));
  std::string known;
  for (GraphSource& source : analysis::FindGraphs(*call.snapshot)) {
    if (source.run != run) continue;
    if (tag.empty() || source.tag == tag) return std::move(source);
    known += (known.empty() ? "" : ", ") + Quoted(source.tag);
  }
  if (known.empty()) return Fail(ErrorCode::kNotFound, "run " + Quoted(run) + " has no graph");
  return Fail(ErrorCode::kNotFound,
              "run " + Quoted(run) + " has no graph " + Quoted(tag) + "; it has " + known);
}

Result<GraphCache::Scene> FindScene(const ApiCall& call, const std::string& run,
                                    const std::string& tag, const std::string& with_run,
                                    const std::string& with_tag) {
  CBOARD_ASSIGN_OR_RETURN(const GraphSource a, FindSource(call, run, tag));
  if (with_run.empty()) return TakeScene(call.snapshot, a, nullptr);
  CBOARD_ASSIGN_OR_RETURN(const GraphSource b, FindSource(call, with_run, with_tag));
  return TakeScene(call.snapshot, a, &b);
}

Result<GraphCache::Scene> QueriedScene(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run, call.target.Query("run"));
  return FindScene(call, run, TextQuery(call.target, "tag"), TextQuery(call.target, "with_run"),
                   TextQuery(call.target, "with_tag"));
}

Result<GraphCache::Scene> SceneOfBody(const ApiCall& call, const JsonBody& body) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run, body.Text("run", ""));
  CBOARD_ASSIGN_OR_RETURN(const std::string tag, body.Text("tag", ""));
  CBOARD_ASSIGN_OR_RETURN(const std::string with_run, body.Text("with_run", ""));
  CBOARD_ASSIGN_OR_RETURN(const std::string with_tag, body.Text("with_tag", ""));
  return FindScene(call, run, tag, with_run, with_tag);
}

// Returns the nodes at a path: a single node, or all nodes of a group.
Result<std::vector<std::uint32_t>> NodesAt(const Outline& outline, const std::string& path) {
  if (const auto node = outline.node_of_path.find(path); node != outline.node_of_path.end()) {
    return std::vector{node->second};
  }
  const auto group = outline.group_of_path.find(path);
  if (group == outline.group_of_path.end()) {
    return Fail(ErrorCode::kNotFound, "the graph has no node or group " + Quoted(path));
  }
  std::vector<std::uint32_t> nodes, waiting{group->second};
  while (!waiting.empty()) {
    const analysis::OutlineGroup& next = outline.groups[waiting.back()];
    waiting.pop_back();
    nodes.insert(nodes.end(), next.nodes.begin(), next.nodes.end());
    waiting.insert(waiting.end(), next.groups.begin(), next.groups.end());
  }
  return nodes;
}

Result<std::vector<char>> TracedNodes(const GraphScene& scene, const JsonBody& body) {
  CBOARD_ASSIGN_OR_RETURN(const std::string path, body.Text("trace", ""));
  CBOARD_ASSIGN_OR_RETURN(const std::string direction, body.Text("direction", "inputs"));
  if (direction != "inputs" && direction != "outputs") {
    return Fail(ErrorCode::kInvalidArgument, "the parameter direction is " + Quoted(direction) +
                                                 "; it must be inputs or outputs");
  }
  if (path.empty()) return std::vector<char>();
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::uint32_t> nodes, NodesAt(scene.outline, path));
  return analysis::Trace(scene, nodes,
                         direction == "inputs" ? analysis::TraceDirection::kInputs
                                               : analysis::TraceDirection::kOutputs);
}

Result<HttpResponse> PostView(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const GraphCache::Scene shelved, SceneOfBody(call, body));
  const GraphScene& scene = shelved->scene;
  analysis::GraphViewOptions options;
  if (body.Has("open")) {
    CBOARD_ASSIGN_OR_RETURN(options.open, body.Texts("open", kMaxOpenGroups));
  } else {
    options.automatic_boxes = kAutomaticBoxes;
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string reveal, body.Text("reveal", ""));
  const auto revealed = scene.outline.node_of_path.find(reveal);
  if (revealed != scene.outline.node_of_path.end()) {
    for (std::uint32_t group = scene.outline.nodes[revealed->second].group; group != 0;
         group = scene.outline.groups[group].parent) {
      options.open.push_back(scene.outline.groups[group].path);
    }
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t constants, body.Whole("constants", 0, 1, 0));
  options.hide_constants = constants == 0;
  CBOARD_ASSIGN_OR_RETURN(const std::size_t quantization, body.Whole("quantization", 0, 1, 0));
  options.fold_quantization = quantization == 0;
  CBOARD_ASSIGN_OR_RETURN(const std::vector<char> traced, TracedNodes(scene, body));
  CBOARD_ASSIGN_OR_RETURN(const analysis::GraphView view, analysis::ViewScene(scene, options));
  const auto shown = std::ranges::count(scene.hidden, char{0});
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("node_count").Value(scene.diff.nodes.size()).Key("shown_count").Value(shown);
  const auto folded = scene.folded_into.size() - static_cast<std::size_t>(std::ranges::count(
                                                     scene.folded_into, analysis::kNoNode));
  json.Key("folded_count").Value(folded).Key("edge_count").Value(scene.diff.edges.size());
  json.Key("group_count").Value(scene.outline.groups.size() - 1);
  const auto has = [&](bool analysis::MeasuredGraph::*member) {
    return (*scene.a).*member || (scene.b != nullptr && (*scene.b).*member);
  };
  json.Key("has_memory").Value(has(&analysis::MeasuredGraph::has_memory));
  json.Key("has_time").Value(has(&analysis::MeasuredGraph::has_time));
  WriteView(json, scene, view, traced);
  WriteValues(json, "problems", shelved->problems, &Error::message);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetNode(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const GraphCache::Scene shelved, QueriedScene(call));
  CBOARD_ASSIGN_OR_RETURN(const std::string path, call.target.Query("path"));
  const Outline& outline = shelved->scene.outline;
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  const auto node = outline.node_of_path.find(path);
  const auto group = outline.group_of_path.find(path);
  if (node != outline.node_of_path.end()) {
    WriteSceneNode(json, shelved->scene, node->second);
  } else if (group != outline.group_of_path.end()) {
    WriteSceneGroup(json, shelved->scene, group->second);
  } else {
    return Fail(ErrorCode::kNotFound, "the graph has no node or group " + Quoted(path));
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetSearch(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const GraphCache::Scene shelved, QueriedScene(call));
  CBOARD_ASSIGN_OR_RETURN(const std::string pattern_text, call.target.Query("pattern"));
  CBOARD_ASSIGN_OR_RETURN(const reader::TextPattern pattern,
                          reader::TextPattern::Compile("(?i)" + pattern_text));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t limit,
                          call.target.NumberQuery("limit", 1, 100'000, 500));
  const GraphScene& scene = shelved->scene;
  std::vector<std::string_view> paths, ops;
  std::size_t total = 0;
  const auto look = [&](const std::string& path, std::string_view op) {
    if (!pattern.FoundIn(path) && !(op.size() > 0 && pattern.FoundIn(op))) return;
    if (++total > limit) return;
    paths.push_back(path);
    ops.push_back(op);
  };
  for (std::size_t i = 1; i < scene.outline.groups.size(); ++i)
    look(scene.outline.groups[i].path, "");
  for (std::uint32_t i = 0; i < scene.outline.nodes.size(); ++i) {
    if (!scene.hidden[i]) look(scene.outline.nodes[i].path, scene.AnyNode(i).op);
  }
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version).Key("total").Value(total);
  WriteValues(json, "paths", paths);
  WriteValues(json, "ops", ops);  // Both are empty for groups.
  json.EndObject();
  return JsonResponse(json.Take());
}

// Returns at most `points` positions, each with the maximum memory use of its interval.
Result<HttpResponse> GetMemory(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const GraphCache::Scene shelved, QueriedScene(call));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t points,
                          call.target.NumberQuery("points", 10, 10'000, 800));
  const GraphScene& scene = shelved->scene;
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  const auto write = [&](std::string_view side, const analysis::MeasuredGraph* graph,
                         std::uint32_t analysis::DiffNode::*member) {
    if (graph == nullptr) return;
    const analysis::RunningMemory memory = analysis::RunMemory(*graph);
    std::vector<std::uint32_t> scene_node(graph->graph.nodes.size(), 0);
    for (std::uint32_t i = 0; i < scene.diff.nodes.size(); ++i) {
      const std::uint32_t index = scene.diff.nodes[i].*member;
      if (index != analysis::kNoNode) scene_node[index] = i;
    }
    const auto path = [&](std::size_t i) -> const std::string& {
      return scene.outline.nodes[scene_node[memory.nodes[i]]].path;
    };
    std::vector<std::size_t> shown;
    const std::size_t count = memory.nodes.size();
    const std::size_t stretch = std::max<std::size_t>(1, (count + points - 1) / points);
    for (std::size_t i = 0; i < count; i += stretch) {
      const auto begin = memory.bytes.begin() + static_cast<std::ptrdiff_t>(i);
      const auto end =
          memory.bytes.begin() + static_cast<std::ptrdiff_t>(std::min(count, i + stretch));
      shown.push_back(
          static_cast<std::size_t>(std::max_element(begin, end) - memory.bytes.begin()));
    }
    json.Key(side).BeginObject().Key("operations").Value(count);
    json.Key("unknown_shapes").Value(memory.unknown_shapes);
    WriteValues(json, "places", shown);
    WriteValues(json, "paths", shown, path);
    WriteValues(json, "bytes", shown, [&](std::size_t i) { return memory.bytes[i]; });
    json.Key("peak_path").Value(count == 0 ? "" : path(memory.peak));
    json.Key("peak_bytes").Value(count == 0 ? 0 : memory.bytes[memory.peak]);
    json.EndObject();
  };
  write("a", scene.a.get(), &analysis::DiffNode::a);
  write("b", scene.b.get(), &analysis::DiffNode::b);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> PostLayers(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const GraphCache::Scene shelved, SceneOfBody(call, body));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::string> layers, body.Texts("layers", kMaxLayers));
  const std::vector<std::string_view> names(layers.begin(), layers.end());
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version).Key("paths").BeginArray();
  for (const std::uint32_t node : analysis::FindLayers(shelved->scene, names)) {
    if (node == analysis::kNoNode) {
      json.Null();
    } else {
      json.Value(shelved->scene.outline.nodes[node].path);
    }
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> GraphRoutes() {
  constexpr ParameterType kText = ParameterType::kText, kWhole = ParameterType::kWhole;
  const auto with_source = [](std::vector<Parameter> more) {
    std::vector<Parameter> parameters = {
        {"run", kText, true, false, "The run that has the graph."},
        {"tag", kText, false, false, "Its tag; the run's own graph without one."},
        {"with_run", kText, false, false, "The run of a second graph, to be compared with."},
        {"with_tag", kText, false, false, "The tag of the second graph."}};
    parameters.insert(parameters.end(), more.begin(), more.end());
    return parameters;
  };
  return {
      {.method = "GET",
       .path = "/graphs",
       .summary = "Every graph that was logged, and of which model and variant it is.",
       .handler = GetGraphs},
      {.method = "POST",
       .path = "/graphs/view",
       .summary = "One graph, or two as one, laid out: boxes and lines of what is open.",
       .body_example = R"({"run":"models","open":["net"]})",
       .handler = PostView},
      {.method = "GET",
       .path = "/graphs/node",
       .summary = "Details of a node or a group.",
       .parameters = with_source({{"path", kText, true, false, "As in a view."}}),
       .handler = GetNode},
      {.method = "GET",
       .path = "/graphs/search",
       .summary = "Nodes and groups whose path or operation matches.",
       .parameters =
           with_source({{"pattern", kText, true, false, "A regular expression, in any case."},
                        {"limit", kWhole, false, false, "Matches to list; 500."}}),
       .handler = GetSearch},
      {.method = "GET",
       .path = "/graphs/memory",
       .summary = "Bytes of activations that are alive while each operation runs.",
       .parameters = with_source({{"points", kWhole, false, false, "At most this many; 800."}}),
       .handler = GetMemory},
      {.method = "POST",
       .path = "/graphs/layers",
       .summary = "Where layers are in a graph.",
       .body_example = R"({"run":"models","layers":["conv1","layer1.0.conv2"]})",
       .handler = PostLayers},
  };
}

}  // namespace cboard::server
