#include "cboard/reader/plugin_query.h"
#include "server/content/json_columns.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {
namespace {

constexpr std::size_t kPrCurveSteps = 100;

Result<HttpResponse> GetPrCurveTags(const DataCall& call) {
  return TagListing(*call.snapshot, reader::TagKind::kPrCurve);
}

// Writes numbers like WriteNumbers, but each float is converted to double and written with all
// digits, as in Python.
void WriteDoubles(JsonWriter& json, std::string_view key, const std::vector<double>& values) {
  json.Key(key).BeginArray();
  for (const double value : values) json.Value(value);
  json.EndArray();
}

void WriteCurve(JsonWriter& json, const reader::PrCurveStep& step) {
  const reader::PrCurve& curve = step.curve;
  json.BeginObject().Key("wall_time").Value(step.wall_time_seconds).Key("step").Value(step.step);
  WriteDoubles(json, "precision", curve.precision);
  WriteDoubles(json, "recall", curve.recall);
  WriteValues(json, "true_positives", curve.true_positives);
  WriteValues(json, "false_positives", curve.false_positives);
  WriteValues(json, "true_negatives", curve.true_negatives);
  WriteValues(json, "false_negatives", curve.false_negatives);
  WriteDoubles(json, "thresholds", curve.thresholds);
  json.EndObject();
}

Result<HttpResponse> GetPrCurves(const DataCall& call) {
  std::vector<std::string> run_names;
  for (const auto& [name, value] : call.target.query) {
    if (name == "run") run_names.push_back(value);
  }
  if (run_names.empty()) {
    return PlainResponse(400, "No runs provided when fetching PR curve data");
  }
  const std::string tag_name = call.Find("tag").value_or("");
  if (tag_name.empty()) return PlainResponse(400, "No tag provided when fetching PR curve data");
  JsonWriter json;
  json.BeginObject();
  for (const std::string& name : run_names) {
    const reader::Run* const run = call.snapshot->FindRun(name);
    const reader::Tag* const tag = run == nullptr ? nullptr : run->Find(tag_name);
    if (tag == nullptr || tag->kind() != reader::TagKind::kPrCurve || tag->size() == 0) {
      return PlainResponse(400, "No PR curves could be found for run " + PythonRepr(name) +
                                    " and tag " + PythonRepr(tag_name));
    }
    CBOARD_ASSIGN_OR_RETURN(
        const std::vector<reader::PrCurveStep> steps,
        reader::ReadPrCurves(
            *run, *tag,
            SampledIndices(tag->size(), SampleLimit(call, "pr_curves", kPrCurveSteps))));
    json.Key(name).BeginArray();
    for (const reader::PrCurveStep& step : steps) WriteCurve(json, step);
    json.EndArray();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<DataRoute> PrCurveRoutes() {
  return {{"/plugin/pr_curves/tags", GetPrCurveTags}, {"/plugin/pr_curves/pr_curves", GetPrCurves}};
}

}  // namespace cboard::server::tensorboard
