#include <charconv>
#include <map>

#include "cboard/analysis/graph_sources.h"
#include "cboard/reader/graph_query.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {
namespace {

// Plugin names under which graphs and their run-time statistics are stored.
constexpr std::string_view kGraphs = "graphs";
constexpr std::string_view kRunMetadata = "graph_run_metadata";               // Both.
constexpr std::string_view kRunMetadataGraph = "graph_run_metadata_graph";    // Graph only.
constexpr std::string_view kTaggedRunMetadata = "graph_tagged_run_metadata";  // Profile only.
constexpr std::string_view kKerasModel = "graph_keras_model";

struct TagItem {
  bool conceptual_graph = false;
  bool op_graph = false;
  bool profile = false;
};

// Returns true if the plugin data has the only supported version.
bool IsKnownVersion(const reader::Tag& tag) { return tag.info->plugin_content == "1"; }

std::map<std::string_view, TagItem> ItemsOf(const reader::Run& run) {
  std::map<std::string_view, TagItem> items;
  for (const reader::Tag& tag : run.tags) {
    if (tag.size() == 0) continue;
    const std::string_view plugin = reader::PluginOf(*tag.info);
    if (plugin == kTaggedRunMetadata) items[tag.name()].profile = true;
    if (!IsKnownVersion(tag)) continue;
    if (plugin == kRunMetadataGraph) items[tag.name()].op_graph = true;
    if (plugin == kRunMetadata) items[tag.name()].profile = items[tag.name()].op_graph = true;
    if (plugin == kKerasModel) items[tag.name()].conceptual_graph = true;
  }
  return items;
}

const reader::Tag* FindGraphTag(const reader::Run& run, std::string_view name,
                                std::string_view plugin) {
  const reader::Tag* const tag = run.Find(name);
  return tag != nullptr && tag->size() > 0 && reader::PluginOf(*tag->info) == plugin ? tag
                                                                                     : nullptr;
}

Result<HttpResponse> GetGraphInfo(const DataCall& call) {
  JsonWriter json;
  json.BeginObject();
  for (const reader::RunPointer& run : call.snapshot->runs) {
    const bool run_graph = FindGraphTag(*run, reader::kRunGraphTag, kGraphs) != nullptr;
    const std::map<std::string_view, TagItem> items = ItemsOf(*run);
    if (!run_graph && items.empty()) continue;
    json.Key(run->name).BeginObject().Key("run").Value(run->name).Key("tags").BeginObject();
    for (const auto& [tag, item] : items) {
      json.Key(tag).BeginObject().Key("tag").Value(tag);
      json.Key("conceptual_graph").Value(item.conceptual_graph);
      json.Key("op_graph").Value(item.op_graph).Key("profile").Value(item.profile).EndObject();
    }
    json.EndObject().Key("run_graph").Value(run_graph).EndObject();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

// Returns the newest bytes of a tag, from the first of the given plugins that has the tag.
Result<std::string> ReadNewest(const DataCall& call, std::string_view run_name,
                               std::string_view tag_name,
                               std::initializer_list<std::string_view> plugins) {
  const reader::Run* const run = call.snapshot->FindRun(run_name);
  for (const std::string_view plugin : plugins) {
    const reader::Tag* const tag = run == nullptr ? nullptr : FindGraphTag(*run, tag_name, plugin);
    if (tag != nullptr) return analysis::ReadNewestBytes(*run, *tag);
  }
  return Fail(ErrorCode::kNotFound, "the run has no graph with this tag");
}

Result<std::string> ReadGraphDef(const DataCall& call, const std::string& run) {
  const std::optional<std::string> tag = call.Find("tag");
  if (call.Find("conceptual") == "true") {
    CBOARD_ASSIGN_OR_RETURN(const std::string model,
                            ReadNewest(call, run, tag.value_or(""), {kKerasModel}));
    return reader::GraphDefOfKerasModel(model);
  }
  if (!tag) return ReadNewest(call, run, reader::kRunGraphTag, {kGraphs});
  CBOARD_ASSIGN_OR_RETURN(const std::string metadata,
                          ReadNewest(call, run, *tag, {kRunMetadata, kRunMetadataGraph}));
  return reader::GraphDefOfFunctionGraphs(metadata);
}

HttpResponse TextProto(std::string text) {
  return {.content_type = "text/x-protobuf; charset=utf-8", .body = std::move(text)};
}

Result<HttpResponse> GetGraph(const DataCall& call) {
  const std::optional<std::string> run = call.Find("run");
  if (!run) return PlainResponse(400, "query parameter \"run\" is required");
  reader::GraphTextOptions options;
  if (const std::optional<std::string> limit = call.Find("limit_attr_size")) {
    std::size_t bytes = 0;
    const char* const end = limit->data() + limit->size();
    const auto [stop, problem] = std::from_chars(limit->data(), end, bytes);
    if (problem != std::errc() || stop != end) {
      return PlainResponse(400, "query parameter `limit_attr_size` must be an integer");
    }
    const std::optional<std::string> key = call.Find("large_attrs_key");
    if (!key || key->empty()) {
      return PlainResponse(400, "large_attrs_key must be there when limit_attr_size is");
    }
    options.max_attribute_bytes = bytes;
    options.large_attributes_key = *key;
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string graph_def, ReadGraphDef(call, *run));
  CBOARD_ASSIGN_OR_RETURN(std::string text, reader::GraphDefText(graph_def, options));
  return TextProto(std::move(text));
}

Result<HttpResponse> GetRunMetadata(const DataCall& call) {
  const std::optional<std::string> run = call.Find("run");
  const std::optional<std::string> tag = call.Find("tag");
  if (!tag) return PlainResponse(400, "query parameter \"tag\" is required");
  if (!run) return PlainResponse(400, "query parameter \"run\" is required");
  CBOARD_ASSIGN_OR_RETURN(const std::string metadata,
                          ReadNewest(call, *run, *tag, {kTaggedRunMetadata, kRunMetadata}));
  CBOARD_ASSIGN_OR_RETURN(std::string text, reader::RunMetadataText(metadata));
  return TextProto(std::move(text));
}

}  // namespace

std::vector<DataRoute> GraphRoutes() {
  return {{"/plugin/graphs/info", GetGraphInfo},
          {"/plugin/graphs/graph", GetGraph},
          {"/plugin/graphs/run_metadata", GetRunMetadata}};
}

}  // namespace cboard::server::tensorboard
