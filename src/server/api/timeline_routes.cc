// Routes for timelines: the trials of a tuning, and the stages of quantization.
#include <optional>

#include "cboard/analysis/similarity.h"
#include "cboard/analysis/stages.h"
#include "cboard/analysis/tuning.h"
#include "server/api/api_route.h"
#include "server/api/entries.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

void WriteTimeline(JsonWriter& json, const analysis::TuningTimeline& timeline) {
  const auto& trials = timeline.trials;
  using analysis::Trial;
  json.BeginObject().Key("experiment").Value(timeline.experiment);
  json.Key("model").Value(timeline.model);
  WriteValues(json, "runs", trials, &Trial::run);
  WriteValues(json, "numbers", trials, &Trial::number);
  WriteNumbers(json, "accuracies", trials, &Trial::accuracy);
  WriteNumbers(json, "best_so_far", trials, &Trial::best_so_far);
  WriteNumbers(json, "changes", trials, &Trial::change);
  WriteNumbers(json, "relative_changes", trials, &Trial::relative_change);
  json.Key("first_wall_times").BeginArray();
  for (const Trial& trial : trials) json.Value(trial.first_wall_time_seconds);
  json.EndArray();
  WriteNumbers(json, "durations", trials, &Trial::duration_seconds);
  json.Key("settings").BeginArray();
  for (const Trial& trial : trials) {
    json.BeginObject();
    for (const auto& [name, value] : trial.config) {
      json.Key(name);
      WriteSetting(json, value);
    }
    json.EndObject();
  }
  json.EndArray().Key("setting_changes").BeginArray();
  for (const Trial& trial : trials) {
    json.BeginArray();
    for (const analysis::ConfigChange& change : trial.changes) {
      json.BeginObject().Key("name").Value(change.name).Key("from");
      WriteSetting(json, change.from);
      json.Key("to");
      WriteSetting(json, change.to);
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndArray();
  for (const auto& [key, index] :
       {std::pair("baseline", timeline.baseline), std::pair("best", timeline.best)}) {
    json.Key(key);
    if (index) {
      json.Value(*index);
    } else {
      json.Null();
    }
  }
  json.EndObject();
}

Result<HttpResponse> GetTuning(const ApiCall& call) {
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("timelines").BeginArray();
  for (const auto& timeline : analysis::FindTuning(*call.snapshot)) WriteTimeline(json, timeline);
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetStages(const ApiCall& call) {
  using analysis::Stage;
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("timelines").BeginArray();
  for (const auto& timeline : analysis::FindStages(*call.snapshot)) {
    const auto& stages = timeline.stages;
    json.BeginObject().Key("experiment").Value(timeline.experiment);
    json.Key("model").Value(timeline.model);
    WriteValues(json, "names", stages, [](const Stage& stage) { return stage.description.name; });
    WriteValues(json, "titles", stages, [](const Stage& stage) { return stage.description.title; });
    WriteValues(json, "runs", stages, &Stage::run);
    WriteValues(json, "has_graph", stages, &Stage::has_graph);
    WriteValues(json, "has_resources", stages, &Stage::has_resources);
    WriteValues(json, "histogram_counts", stages, &Stage::histogram_count);
    WriteValues(json, "has_channels", stages, [](const Stage& stage) {
      return !stage.min_per_channel.empty() || !stage.max_per_channel.empty() ||
             !stage.mean_per_channel.empty();
    });
    json.Key("bytes").BeginArray();
    for (const Stage& stage : stages) {
      const Result<std::uint64_t> bytes = stage.has_resources
                                              ? analysis::ReadStageBytes(*call.snapshot, stage)
                                              : Fail(ErrorCode::kNotFound, "");
      if (bytes) {
        json.Value(*bytes);
      } else {
        json.Null();
      }
    }
    json.EndArray();
    WriteValues(json, "extras", timeline.extras);
    json.EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetSimilarity(const ApiCall& call) {
  const std::string experiment = TextQuery(call.target, "experiment");
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("timelines").BeginArray();
  for (const auto& timeline : analysis::FindStages(*call.snapshot)) {
    if (!experiment.empty() && timeline.experiment != experiment) continue;
    const auto similarity = analysis::ReadSimilarity(*call.snapshot, timeline);
    if (similarity.layers.empty()) continue;
    json.BeginObject().Key("experiment").Value(timeline.experiment);
    json.Key("model").Value(timeline.model);
    WriteValues(json, "layers", similarity.layers);
    WriteNumbers(json, "means", similarity.means);
    WriteValues(json, "samples", similarity.samples, &analysis::SampleSimilarity::name);
    json.Key("cosines").BeginArray();
    for (const analysis::SampleSimilarity& sample : similarity.samples) {
      json.BeginArray();
      for (const std::optional<double>& cosine : sample.cosines) WriteNumber(json, cosine);
      json.EndArray();
    }
    json.EndArray().EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> TimelineRoutes() {
  return {
      {.method = "GET",
       .path = "/compression/tuning",
       .summary = "Tuning runs, trial by trial.",
       .handler = GetTuning},
      {.method = "GET",
       .path = "/compression/stages",
       .summary = "Quantization stages, and what each has logged.",
       .handler = GetStages},
      {.method = "GET",
       .path = "/compression/similarity",
       .summary = "Cosine similarity of float and quantized model, by sample and layer.",
       .parameters = {{"experiment", ParameterType::kText, false, false,
                       "The directory of the stages."}},
       .handler = GetSimilarity},
  };
}

}  // namespace cboard::server
