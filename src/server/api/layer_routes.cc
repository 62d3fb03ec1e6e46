// Routes for layers: the variants or stages that can be compared, the ranking with causes, and
// channels.
#include <algorithm>
#include <optional>

#include "cboard/analysis/channels.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/analysis/parsed_tag.h"
#include "cboard/analysis/stages.h"
#include "cboard/analysis/verified_runs.h"
#include "cboard/base/strings.h"
#include "cboard/compare/keep_float.h"
#include "server/api/api_route.h"
#include "server/api/json_body.h"
#include "server/api/verified_json.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::HistogramComparison;
using analysis::LayerTensor;
using analysis::RankedLayer;
using analysis::VariantLayers;

Result<HttpResponse> GetSides(const ApiCall& call) {
  const auto sides = analysis::FindVariantLayers(*call.snapshot);
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "models", sides, &VariantLayers::model);
  WriteValues(json, "variants", sides, &VariantLayers::variant);
  WriteValues(json, "table_variants", sides, &VariantLayers::table_variant);
  WriteValues(json, "runs", sides, &VariantLayers::run);
  WriteValues(json, "tensor_counts", sides, &VariantLayers::tensor_count);
  WriteValues(json, "values", sides, [](const VariantLayers& side) { return NameOf(side.values); });
  json.EndObject();
  return JsonResponse(json.Take());
}

// Returns the reason why one variant of a pair does not exist; empty if it exists.
Result<void> CheckSide(const std::vector<VariantLayers>& sides, const std::string& model,
                       const std::string& variant) {
  if (analysis::FindSide(sides, model, variant) != nullptr) return {};
  std::string known;
  for (const VariantLayers& side : sides) {
    if (!model.empty() && !side.model.empty() && side.model != model) continue;
    known += (known.empty() ? "" : ", ") + side.variant;
  }
  return Fail(ErrorCode::kNotFound, "no layer of variant " + Quoted(variant) +
                                        (model.empty() ? "" : " of model " + Quoted(model)) +
                                        " was logged" +
                                        (known.empty() ? "" : "; the logs have " + known));
}

Result<analysis::SidePair> QueriedSides(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string a, call.target.Query("a"));
  CBOARD_ASSIGN_OR_RETURN(const std::string b, call.target.Query("b"));
  const std::string model = TextQuery(call.target, "model");
  const auto sides = analysis::FindVariantLayers(*call.snapshot);
  CBOARD_RETURN_IF_ERROR(CheckSide(sides, model, a));
  CBOARD_RETURN_IF_ERROR(CheckSide(sides, model, b));
  if (auto pair = analysis::FindSides(sides, model, a, b)) return *std::move(pair);
  return Fail(ErrorCode::kNotFound,
              "the layers of variants " + Quoted(a) + " and " + Quoted(b) +
                  " belong to different models; choose two variants of one model");
}

void WriteLogged(JsonWriter& json, std::string_view key, const std::vector<RankedLayer>& layers,
                 std::string_view metric) {
  WriteNumbers(json, key, layers, [&](const RankedLayer& layer) -> std::optional<double> {
    const auto found = layer.logged.find(metric);
    return found == layer.logged.end() ? std::nullopt : std::optional(found->second);
  });
}

void WriteHistogramNumbers(JsonWriter& json, const std::vector<RankedLayer>& layers) {
  const auto number = [&](std::string_view key, double HistogramComparison::*member) {
    WriteNumbers(json, key, layers, [&](const RankedLayer& layer) -> std::optional<double> {
      return layer.histogram ? std::optional((*layer.histogram).*member) : std::nullopt;
    });
  };
  number("sqnr_at_most_db", &HistogramComparison::sqnr_at_most_db);
  number("w1_by_sigma", &HistogramComparison::w1_by_sigma);
  number("range_ratio", &HistogramComparison::range_ratio);
  number("deviation_ratio", &HistogramComparison::deviation_ratio);
  number("mean_shift_by_sigma", &HistogramComparison::mean_shift_by_sigma);
  number("kl", &HistogramComparison::kl);
  number("clipped_share", &HistogramComparison::clipped_share);
  number("codes_used", &HistogramComparison::codes_used);
}

// Writes the metric that decides each layer's level, and its limits.
void WriteLevelMetrics(JsonWriter& json, const std::vector<RankedLayer>& layers) {
  const auto number = [&](std::string_view key, auto figure) {
    WriteNumbers(json, key, layers, [&](const RankedLayer& layer) -> std::optional<double> {
      return layer.level_metric ? std::optional(figure(*layer.level_metric)) : std::nullopt;
    });
  };
  using analysis::LevelMetric;
  WriteValues(json, "judged_by", layers, [](const RankedLayer& l) {
    return l.level_metric ? l.level_metric->by : std::string();
  });
  number("judged_db", [](const LevelMetric& metric) { return metric.db; });
  number("red_db", [](const LevelMetric& metric) { return metric.red_db; });
  number("amber_db", [](const LevelMetric& metric) { return metric.amber_db; });
  WriteValues(json, "judged_is_bound", layers,
              [](const RankedLayer& l) { return l.level_metric && l.level_metric->is_bound; });
  WriteValues(json, "bits", layers,
              [](const RankedLayer& l) { return l.level_metric ? l.level_metric->bits : 8; });
  // The SQNR converted to 8 bits is written only for layers with fewer than 8 bits.
  WriteNumbers(json, "as_8_bits_db", layers, [](const RankedLayer& l) -> std::optional<double> {
    if (!l.level_metric || l.level_metric->bits >= 8) return std::nullopt;
    return l.level_metric->as_of_8_bits_db();
  });
}

void WriteLayers(JsonWriter& json, const std::vector<RankedLayer>& layers) {
  WriteValues(json, "names", layers, [](const auto& l) { return l.baseline.layer; });
  WriteValues(json, "variant_names", layers, [](const auto& l) { return l.variant.layer; });
  WriteValues(json, "roles", layers, [](const auto& l) { return NameOf(l.baseline.role); });
  WriteValues(json, "parameters", layers, [](const auto& l) { return l.baseline.parameter; });
  WriteValues(json, "depths", layers, [](const auto& l) { return l.baseline.depth; });
  WriteValues(json, "a_runs", layers, [](const auto& l) { return l.baseline.run; });
  WriteValues(json, "a_tags", layers, [](const auto& l) { return l.baseline.tag; });
  WriteValues(json, "b_runs", layers, [](const auto& l) { return l.variant.run; });
  WriteValues(json, "b_tags", layers, [](const auto& l) { return l.variant.tag; });
  WriteValues(json, "paired_by", layers, [](const auto& l) { return NameOf(l.paired_by); });
  WriteValues(json, "levels", layers, [](const auto& l) { return NameOf(l.diagnosis.level); });
  WriteValues(json, "causes", layers, [](const auto& l) { return NameOf(l.diagnosis.cause); });
  WriteValues(json, "cause_texts", layers,
              [](const auto& l) { return verdict::ShortTextOf(l.diagnosis.cause); });
  WriteValues(json, "cause_headlines", layers,
              [](const auto& l) { return verdict::HeadlineOf(l.diagnosis.cause); });
  WriteValues(json, "carried_from", layers, &RankedLayer::carried_from);
  WriteValues(json, "explanations", layers, [](const auto& l) { return l.diagnosis.explanation; });
  WriteValues(json, "fixes", layers, &RankedLayer::fix);
  WriteNumbers(json, "severities", layers, &RankedLayer::severity);
  WriteNumbers(json, "times_median", layers, &RankedLayer::times_median);
  WriteValues(json, "from_logged", layers, &RankedLayer::from_logged);
  WriteLevelMetrics(json, layers);
  WriteLogged(json, "sqnr_db", layers, "sqnr_db");
  WriteLogged(json, "worst_channel_sqnr_db", layers, "worst_channel_sqnr_db");
  WriteLogged(json, "worst_channel", layers, "worst_channel");
  WriteLogged(json, "accumulated_sqnr_db", layers, "accumulated_sqnr_db");
  WriteLogged(json, "cosine", layers, "cosine");
  WriteLogged(json, "mse", layers, "mse");
  WriteLogged(json, "bytes", layers, "bytes");
  WriteLogged(json, "score_alone", layers, "score_if_only_this_is_quantized");
  WriteHistogramNumbers(json, layers);
  WriteValues(json, "fallback_operations", layers, &RankedLayer::fallback_operation);
}

void WriteNames(JsonWriter& json, std::string_view key, const std::vector<LayerTensor>& tensors) {
  WriteValues(json, key, tensors, &LayerTensor::tag);
}

// Writes the default limits of the output SQNR. They apply if a diagnosis has no own limits.
void WriteLimits(JsonWriter& json, int bits) {
  const analysis::Thresholds limits = analysis::ThresholdsFor(bits);
  json.BeginObject().Key("bits").Value(bits);
  json.Key("red_db").Value(limits.sqnr_red_db).Key("amber_db").Value(limits.sqnr_amber_db);
  json.EndObject();
}

Result<HttpResponse> GetLayers(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const analysis::SidePair pair, QueriedSides(call));
  const auto& [a, b] = pair;
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run_b, FindRun(call, b.run));
  const analysis::LayerRanking ranking = analysis::RankVariants(call.snapshot, &a, b);
  const auto verified = analysis::ReadVerifiedRuns(*run_b, analysis::FindingsOf(b));
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("model").Value(a.model.empty() ? b.model : a.model);
  json.Key("a").Value(a.variant).Key("b").Value(b.variant);
  json.Key("not_measured").Value(ranking.not_measured);
  json.Key("outputs");
  if (ranking.outputs) {
    json.BeginObject().Key("level").Value(ranking.outputs->level);
    json.Key("sentence").Value(ranking.outputs->sentence).EndObject();
  } else {
    json.Null();
  }
  json.Key("order").Value(ranking.in_graph_order ? "graph" : "log");
  const analysis::LevelCounts counts = analysis::CountLevels(ranking);
  json.Key("counts").BeginObject().Key("red").Value(counts.red).Key("amber").Value(counts.amber);
  json.Key("green").Value(counts.green).Key("unmeasured").Value(counts.unmeasured).EndObject();
  WriteLimits(json.Key("limits"), ranking.widths.For(analysis::TensorRole::kOutput));
  json.Key("layers").BeginObject();
  WriteLayers(json, ranking.layers);
  WriteNumbers(json, "restored_alone_db",
               analysis::GainsAlone(verified.value_or(analysis::VerifiedRuns{}), ranking.layers));
  json.EndObject();
  WriteVerified(json.Key("verified"), verified);
  WriteNames(json, "a_only", ranking.baseline_only);
  WriteNames(json, "b_only", ranking.variant_only);
  WriteValues(json, "problems", ranking.errors, &Error::message);
  json.EndObject();
  return JsonResponse(json.Take());
}

// Maximum number of layer names that the page offers for copying.
constexpr std::size_t kMaxFloatLayers = 10'000;

Result<HttpResponse> PostKeepFloat(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::string> layers,
                          body.Texts("layers", kMaxFloatLayers));
  // Logs do not contain the quantization function that was used, so the page offers all functions.
  std::vector<std::pair<compare::Toolchain, compare::QuantizationScheme>> ways;
  for (const compare::Toolchain toolchain : compare::kToolchains) {
    for (const compare::QuantizationScheme scheme : compare::SchemesOf(toolchain)) {
      ways.emplace_back(toolchain, scheme);
    }
  }
  JsonWriter json;
  json.BeginObject();
  WriteValues(json, "toolchains", ways, [](auto way) { return NameOf(way.first, way.second); });
  WriteValues(json, "titles", ways,
              [](auto way) { return compare::TitleOf(way.first, way.second); });
  WriteValues(json, "snippets", ways,
              [&](auto way) { return compare::KeepFloatSnippet(layers, way.first, way.second); });
  json.EndObject();
  return JsonResponse(json.Take());
}

void WriteChannels(JsonWriter& json, const analysis::ChannelStatistics& channels) {
  json.BeginObject().Key("layer").Value(channels.layer);
  WriteNumbers(json, "min", channels.min);
  WriteNumbers(json, "max", channels.max);
  WriteNumbers(json, "mean", channels.mean);
  WriteNumbers(json, "sqnr_db", channels.sqnr_db);
  json.Key("histograms");
  if (channels.histograms) {
    json.BeginObject().Key("run").Value(channels.histograms->run);
    json.Key("tag").Value(channels.histograms->tag);
    WriteValues(json, "channels", channels.histograms->channels);
    json.EndObject();
  } else {
    json.Null();
  }
  json.Key("outliers").BeginObject();
  WriteValues(json, "channels", channels.outliers, &analysis::OutlierChannel::channel);
  WriteNumbers(json, "ratios", channels.outliers, &analysis::OutlierChannel::ratio);
  json.EndObject();
  WriteValues(json, "dead", channels.dead);
  json.Key("explanation").Value(analysis::DescribeOutliers(channels)).EndObject();
}

// Returns true if the log belongs to this model. If the log names no model, the directory of the
// stages must name it.
bool IsOfModel(const analysis::StageTimeline& timeline, const std::string& model) {
  if (model.empty()) return true;
  const std::string key = analysis::ModelKeyOf(model);
  return analysis::ModelKeyOf(timeline.logged_model) == key ||
         analysis::ModelKeyOf(timeline.model) == key;
}

// Returns the statistics of a layer in every stage and variant that has them, so that the page can
// show two of them in one chart. Most layers have no statistics: the list is then empty. This is
// not an error.
Result<HttpResponse> GetChannels(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string layer, call.target.Query("layer"));
  const std::string experiment = TextQuery(call.target, "experiment");
  const std::string tensor = TextQuery(call.target, "tensor");
  const std::string model = TextQuery(call.target, "model");
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version).Key("layer").Value(layer);
  json.Key("stages").BeginArray();
  const auto write = [&](std::string_view directory, const analysis::Stage& stage,
                         std::string_view part) {
    if (!experiment.empty() && directory != experiment) return;
    const auto channels = analysis::ReadLayerChannels(*call.snapshot, stage, layer, part, model);
    if (!channels) return;
    json.BeginObject().Key("experiment").Value(directory);
    json.Key("stage").Value(stage.description.name).Key("channels");
    WriteChannels(json, *channels);
    json.EndObject();
  };
  if (tensor.empty() || tensor == "output") {
    const auto timelines = analysis::FindStages(*call.snapshot);
    const bool has_own = std::ranges::any_of(
        timelines, [&](const auto& timeline) { return IsOfModel(timeline, model); });
    for (const auto& timeline : timelines) {
      // Stages without a model name count for every model, unless other stages name this model.
      const bool has_no_model = timeline.logged_model.empty();
      if (!IsOfModel(timeline, model) && (has_own || !has_no_model)) continue;
      for (const auto& stage : timeline.stages) write(timeline.experiment, stage, {});
    }
  }
  for (const auto& stage : analysis::FindChannelVariants(*call.snapshot)) {
    const std::size_t slash = stage.run.rfind('/');
    write(slash == std::string::npos ? "." : stage.run.substr(0, slash), stage,
          tensor.empty() ? "output" : tensor);
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> LayerRoutes() {
  constexpr ParameterType kText = ParameterType::kText;
  return {
      {.method = "GET",
       .path = "/compression/sides",
       .summary = "Models and variants whose layers were logged.",
       .handler = GetSides},
      {.method = "GET",
       .path = "/compression/layers",
       .summary = "The layers of two variants in pairs, worst first, with cause.",
       .parameters = {{"a", kText, true, false, "The baseline variant."},
                      {"b", kText, true, false, "The compressed variant."},
                      {"model", kText, false, false, "The model, when several were logged."}},
       .handler = GetLayers},
      {.method = "GET",
       .path = "/compression/channels",
       .summary = "Least, greatest and mean value of each channel of a layer.",
       .parameters = {{"layer", kText, true, false, "The layer."},
                      {"experiment", kText, false, false, "The directory of the stages."},
                      {"model", kText, false, false, "The model, when several were logged."},
                      {"tensor", kText, false, false, "\"weight\" or \"output\", which is usual."}},
       .handler = GetChannels},
      {.method = "POST",
       .path = "/compression/keep_float",
       .summary = "Settings for quantizers that keep layers in FP32.",
       .body_example = R"({"layers":["conv1","layer1.0.conv2"]})",
       .handler = PostKeepFloat},
  };
}

}  // namespace cboard::server
