// Routes for smaller plugins of TensorBoard: PR curves, meshes, layouts of custom scalars.
#include <algorithm>

#include "cboard/base/strings.h"
#include "cboard/reader/plugin_query.h"
#include "server/api/entries.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

// Writes {"name":[[…],[…]]}, with one inner list per step.
template <typename Column>
void WriteCurves(JsonWriter& json, std::string_view name,
                 const std::vector<reader::PrCurveStep>& steps, Column column) {
  json.Key(name).BeginArray();
  for (const reader::PrCurveStep& step : steps) {
    json.BeginArray();
    for (const auto value : step.curve.*column) json.Value(value);
    json.EndArray();
  }
  json.EndArray();
}

Result<HttpResponse> GetPrCurves(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Entries entries, QueriedEntries(call, reader::TagKind::kPrCurve));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<reader::PrCurveStep> steps,
                          reader::ReadPrCurves(*entries.run, *entries.tag, entries.indices));
  JsonWriter json;
  WriteHead(json, call, entries);
  WriteCurves(json, "thresholds", steps, &reader::PrCurve::thresholds);
  WriteCurves(json, "precision", steps, &reader::PrCurve::precision);
  WriteCurves(json, "recall", steps, &reader::PrCurve::recall);
  WriteCurves(json, "true_positives", steps, &reader::PrCurve::true_positives);
  WriteCurves(json, "false_positives", steps, &reader::PrCurve::false_positives);
  WriteCurves(json, "true_negatives", steps, &reader::PrCurve::true_negatives);
  WriteCurves(json, "false_negatives", steps, &reader::PrCurve::false_negatives);
  json.EndObject();
  return JsonResponse(json.Take());
}

// Translates the parts of a mesh into the names that this API uses.
struct PartName {
  std::string_view name;
  proto::MeshContent content;
};
constexpr auto kParts = std::to_array<PartName>({{"vertices", proto::MeshContent::kVertex},
                                                 {"faces", proto::MeshContent::kFace},
                                                 {"colors", proto::MeshContent::kColor}});

std::string_view NameOf(proto::MeshContent content) {
  const auto found = std::ranges::find(kParts, content, &PartName::content);
  return found == kParts.end() ? std::string_view("unknown") : found->name;
}

Result<HttpResponse> GetMeshes(const ApiCall& call) {
  struct Listed {
    std::string_view run;
    reader::Mesh mesh;
  };
  std::vector<Listed> listed;
  const auto list = [&](const reader::Run& run) {
    for (reader::Mesh& mesh : reader::ListMeshes(run))
      listed.push_back({run.name, std::move(mesh)});
  };
  if (const auto name = call.target.Query("run")) {
    CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, *name));
    list(*run);
  } else {
    for (const auto& run : call.snapshot->runs) list(*run);
  }
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "runs", listed, &Listed::run);
  WriteValues(json, "names", listed, [](const Listed& one) { return one.mesh.name; });
  WriteValues(json, "samples", listed, [](const Listed& one) { return one.mesh.samples(); });
  json.Key("tags").BeginArray();
  for (const Listed& one : listed) {
    json.BeginArray();
    for (const reader::MeshPart& part : one.mesh.parts) json.Value(part.tag->name());
    json.EndArray();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

struct MeshOfRun {
  const reader::Run* run = nullptr;
  reader::Mesh mesh;
};

Result<MeshOfRun> QueriedMesh(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run_name, call.target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(const std::string name, call.target.Query("mesh"));
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, run_name));
  for (reader::Mesh& mesh : reader::ListMeshes(*run)) {
    if (mesh.name == name) return MeshOfRun{run, std::move(mesh)};
  }
  return Fail(ErrorCode::kNotFound, "run " + Quoted(run_name) + " has no mesh " + Quoted(name));
}

Result<HttpResponse> GetMeshSteps(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const MeshOfRun found, QueriedMesh(call));
  const std::vector<reader::MeshStep> steps = reader::ListMeshSteps(found.mesh);
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "steps", steps, &reader::MeshStep::step);
  WriteValues(json, "wall_times", steps, &reader::MeshStep::wall_time_seconds);
  WriteValues(json, "parts", steps,
              [](const reader::MeshStep& step) { return NameOf(step.content_type); });
  json.Key("shapes").BeginArray();
  for (const reader::MeshStep& step : steps) {
    json.BeginArray();
    for (const std::int64_t size : step.shape) json.Value(size);
    json.EndArray();
  }
  json.EndArray();
  WriteValues(json, "configs", steps, &reader::MeshStep::json_config);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetMeshData(const ApiCall& call) {
  constexpr std::size_t kMaxIndex = std::size_t{1} << 62;
  CBOARD_ASSIGN_OR_RETURN(const MeshOfRun found, QueriedMesh(call));
  CBOARD_ASSIGN_OR_RETURN(const std::string part, call.target.Query("part"));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t step, call.target.NumberQuery("step", 0, kMaxIndex, 0));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t sample,
                          call.target.NumberQuery("sample", 0, kMaxIndex, 0));
  const auto known = std::ranges::find(kParts, part, &PartName::name);
  if (known == kParts.end()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the parameter part is " + Quoted(part) + "; it must be vertices, faces or colors");
  }
  CBOARD_ASSIGN_OR_RETURN(
      std::string data,
      reader::ReadMeshData(*found.run, found.mesh, known->content, static_cast<std::int64_t>(step),
                           static_cast<std::int64_t>(sample)));
  return BlobResponse("application/octet-stream", std::move(data));
}

void WriteChart(JsonWriter& json, const proto::LayoutChart& chart) {
  json.BeginObject().Key("title").Value(chart.title);
  if (chart.margins.empty()) {
    WriteValues(json, "tags", chart.multiline_tags);
  } else {
    json.Key("margins").BeginObject();
    WriteValues(json, "values", chart.margins, &proto::MarginSeries::value);
    WriteValues(json, "lowers", chart.margins, &proto::MarginSeries::lower);
    WriteValues(json, "uppers", chart.margins, &proto::MarginSeries::upper);
    json.EndObject();
  }
  json.EndObject();
}

Result<HttpResponse> GetLayouts(const ApiCall& call) {
  std::vector<Error> errors;
  const std::vector<proto::LayoutCategory> layout = reader::ReadLayouts(*call.snapshot, errors);
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("categories").BeginArray();
  for (const proto::LayoutCategory& category : layout) {
    json.BeginObject().Key("title").Value(category.title).Key("closed").Value(category.closed);
    json.Key("charts").BeginArray();
    for (const proto::LayoutChart& chart : category.charts) WriteChart(json, chart);
    json.EndArray().EndObject();
  }
  json.EndArray();
  WriteValues(json, "problems", errors, &Error::message);
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> PluginRoutes() {
  const Parameter run = RunParameter();
  const Parameter mesh = {"mesh", ParameterType::kText, true, false, "The mesh, by its name."};
  return {
      {.method = "GET",
       .path = "/pr_curves",
       .summary = "Precision and recall at rising thresholds, for the steps of a tag.",
       .parameters = {run, TagParameter(), LimitParameter()},
       .handler = GetPrCurves},
      {.method = "GET",
       .path = "/meshes",
       .summary = "The meshes of a run, or of all, and the tags of their parts.",
       .parameters = {{"run", ParameterType::kText, false, false, "Only of this run."}},
       .handler = GetMeshes},
      {.method = "GET",
       .path = "/meshes/steps",
       .summary = "When each part of a mesh was logged, and its shape.",
       .parameters = {run, mesh},
       .handler = GetMeshSteps},
      {.method = "GET",
       .path = "/meshes/data",
       .summary = "The numbers of a part: float32, int32 or uint8, little-endian.",
       .parameters = {run,
                      mesh,
                      {"part", ParameterType::kText, true, false, "vertices, faces or colors."},
                      {"step", ParameterType::kWhole, false, false, "The step; 0 if not given."},
                      {"sample", ParameterType::kWhole, false, false,
                       "Which of a batch; the first if not given."}},
       .response_type = "application/octet-stream",
       .handler = GetMeshData},
      {.method = "GET",
       .path = "/layouts",
       .summary = "The layout of custom scalar charts, of all runs in one.",
       .handler = GetLayouts},
  };
}

}  // namespace cboard::server
