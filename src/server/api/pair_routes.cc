// Routes for two variants of one model: bytes by layer, settings, and metrics by class.
#include <algorithm>

#include "cboard/analysis/class_scores.h"
#include "cboard/analysis/layer_bytes.h"
#include "cboard/analysis/stages.h"
#include "cboard/analysis/variant_config.h"
#include "server/api/api_route.h"
#include "server/api/entries.h"
#include "server/api/graph_cache.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::ClassScore;
using analysis::ConfigLine;
using analysis::GraphSource;
using analysis::LayerBytes;

constexpr std::string_view kResources = "Resources";

struct Pair {
  std::string model;
  std::string a;
  std::string b;
};

Result<Pair> QueriedPair(const ApiCall& call) {
  Pair pair;
  CBOARD_ASSIGN_OR_RETURN(pair.model, call.target.Query("model"));
  CBOARD_ASSIGN_OR_RETURN(pair.a, call.target.Query("a"));
  CBOARD_ASSIGN_OR_RETURN(pair.b, call.target.Query("b"));
  return pair;
}

// Writes the members that all responses of this file begin with.
void BeginResponse(JsonWriter& json, const ApiCall& call, const Pair& pair) {
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("model").Value(pair.model).Key("a").Value(pair.a).Key("b").Value(pair.b);
}

// Writes the metrics and their source; writes nothing if no layers were logged.
struct Bytes {
  std::string_view source = "none";
  std::vector<LayerBytes> layers = {};
  std::vector<Error> problems = {};
};

Result<Bytes> BytesOfGraphs(const ApiCall& call, const Pair& pair) {
  const auto sources = analysis::FindGraphs(*call.snapshot);
  const auto timelines = analysis::FindStages(*call.snapshot);
  const auto timeline = std::ranges::find(timelines, pair.model, &analysis::StageTimeline::model);
  const auto find = [&](const std::string& variant) {
    // Finds the runs that contain the graphs. In a log of stages, "float" is the first stage and
    // "quantized" the last.
    const analysis::Stage* const stage =
        timeline != timelines.end() ? analysis::FindSizedStage(*timeline, variant) : nullptr;
    return std::ranges::find_if(sources, [&](const GraphSource& source) {
      if (stage != nullptr) return source.run == stage->run;
      return source.model == pair.model && source.variant == variant;
    });
  };
  const auto a = find(pair.a), b = find(pair.b);
  if (a == sources.end() || b == sources.end()) return Bytes();
  CBOARD_ASSIGN_OR_RETURN(const GraphCache::Scene shelved, TakeScene(call.snapshot, *a, &*b));
  const auto has_resources = [](const GraphSource& source) {
    return std::ranges::find(source.profiles, kResources) != source.profiles.end();
  };
  const bool measured = has_resources(*a) && has_resources(*b);
  Bytes bytes{.source = "graphs", .problems = shelved->problems};
  bytes.layers =
      analysis::GraphLayerBytes(shelved->scene, measured ? analysis::NodeWeight::kMetadata
                                                         : analysis::NodeWeight::kConstants);
  return bytes.layers.empty() ? Bytes() : bytes;
}

Result<HttpResponse> GetBytes(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Pair pair, QueriedPair(call));
  Bytes bytes{.source = "logged",
              .layers = analysis::LoggedLayerBytes(*call.snapshot, pair.model, pair.a, pair.b)};
  const auto is_pair = [](const LayerBytes& layer) { return layer.a && layer.b; };
  if (!std::ranges::any_of(bytes.layers, is_pair)) {
    CBOARD_ASSIGN_OR_RETURN(bytes, BytesOfGraphs(call, pair));
  }
  JsonWriter json;
  BeginResponse(json, call, pair);
  json.Key("source").Value(bytes.source);
  json.Key("layers").BeginObject();
  WriteValues(json, "names", bytes.layers, &LayerBytes::layer);
  WriteNumbers(json, "a", bytes.layers, &LayerBytes::a);
  WriteNumbers(json, "b", bytes.layers, &LayerBytes::b);
  json.EndObject();
  WriteValues(json, "problems", bytes.problems, &Error::message);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetConfig(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Pair pair, QueriedPair(call));
  const auto config = [&](const std::string& variant) {
    return analysis::FindConfig(*call.snapshot, pair.model, variant);
  };
  const auto lines = analysis::CompareConfigs(config(pair.a), config(pair.b));
  const auto write = [&](JsonWriter& json, std::string_view side,
                         std::optional<proto::HParamValue> ConfigLine::*member) {
    json.Key(side).BeginArray();
    for (const ConfigLine& line : lines) WriteSetting(json, line.*member);
    json.EndArray();
  };
  JsonWriter json;
  BeginResponse(json, call, pair);
  json.Key("settings").BeginObject();
  WriteValues(json, "names", lines, &ConfigLine::name);
  write(json, "a", &ConfigLine::a);
  write(json, "b", &ConfigLine::b);
  WriteValues(json, "differ", lines, &ConfigLine::differs);
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetClasses(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Pair pair, QueriedPair(call));
  const auto scores = analysis::FindClassScores(*call.snapshot, pair.model, pair.a, pair.b);
  JsonWriter json;
  BeginResponse(json, call, pair);
  json.Key("classes").BeginObject();
  WriteValues(json, "metrics", scores, &ClassScore::metric);
  WriteValues(json, "names", scores, &ClassScore::name);
  WriteNumbers(json, "a", scores, &ClassScore::a);
  WriteNumbers(json, "b", scores, &ClassScore::b);
  WriteNumbers(json, "drops", scores, &ClassScore::Drop);
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> PairRoutes() {
  constexpr ParameterType kText = ParameterType::kText;
  const std::vector<Parameter> pair = {{"model", kText, true, false, "The model."},
                                       {"a", kText, true, false, "The baseline variant."},
                                       {"b", kText, true, false, "The compressed variant."}};
  return {
      {.method = "GET",
       .path = "/compression/bytes",
       .summary = "Size of each layer in two variants, the largest saving first.",
       .parameters = pair,
       .handler = GetBytes},
      {.method = "GET",
       .path = "/compression/config",
       .summary = "Settings of two variants, the ones that differ first.",
       .parameters = pair,
       .handler = GetConfig},
      {.method = "GET",
       .path = "/compression/classes",
       .summary = "A metric of each class in two variants, the largest drop first.",
       .parameters = pair,
       .handler = GetClasses},
  };
}

}  // namespace cboard::server
