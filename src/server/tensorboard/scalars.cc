#include "server/tensorboard/scalars.h"

#include "server/tensorboard/form_body.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {
namespace {

const reader::Tag* FindScalars(const reader::Run& run, std::string_view tag_name) {
  const reader::Tag* const tag = run.Find(tag_name);
  return tag != nullptr && tag->kind() == reader::TagKind::kScalar && tag->size() > 0 ? tag
                                                                                      : nullptr;
}

std::string PointsCsv(const std::vector<reader::ScalarPoint>& points) {
  std::string csv = "Wall time,Step,Value\r\n";
  for (const reader::ScalarPoint& point : points) {
    csv += PythonRepr(point.wall_time_seconds) + "," + std::to_string(point.step) + "," +
           PythonRepr(point.value) + "\r\n";
  }
  return csv;
}

Result<HttpResponse> GetScalarTags(const DataCall& call) {
  return TagListing(*call.snapshot, reader::TagKind::kScalar);
}

Result<HttpResponse> GetScalars(const DataCall& call) {
  const std::optional<std::string> run = call.Find("run");
  const std::optional<std::string> tag = call.Find("tag");
  if (!run || !tag) {
    return Fail(ErrorCode::kInvalidArgument, "Both run and tag must be specified: tag=" +
                                                 PythonRepr(tag) + ", run=" + PythonRepr(run));
  }
  return ScalarsResponse(call, run, tag, call.Find("format"));
}

Result<HttpResponse> PostScalarsMultirun(const DataCall& call) {
  if (call.method != "POST") {
    HttpResponse response = PlainResponse(405, "Method not allowed: this route answers POST only");
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  CBOARD_ASSIGN_OR_RETURN(const FormFields form, ParseForm(call.content_type, call.body));
  const std::vector<std::string> tags = FieldsNamed(form, "tag");
  if (tags.size() != 1) {
    return Fail(ErrorCode::kInvalidArgument, "tag must be specified exactly once");
  }
  JsonWriter json;
  json.BeginObject();
  for (const std::string& name : FieldsNamed(form, "runs")) {
    const reader::Run* const run = call.snapshot->FindRun(name);
    const reader::Tag* const tag = run == nullptr ? nullptr : FindScalars(*run, tags.front());
    if (tag == nullptr) continue;
    json.Key(name);
    WritePoints(json, SampledPoints(call, tag->scalars));
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<reader::ScalarPoint> SampledPoints(const DataCall& call,
                                               const reader::ScalarSeries& series) {
  const std::vector<std::size_t> indices =
      SampledIndices(series.size(), SampleLimit(call, "scalars", 1000));
  std::vector<reader::ScalarPoint> points;
  points.reserve(indices.size());
  std::size_t first = 0;
  series.ForEachBlock([&](const reader::ScalarBlock& block) {
    const std::size_t end = first + block.steps.size();
    while (points.size() < indices.size() && indices[points.size()] < end) {
      const std::size_t i = indices[points.size()] - first;
      points.push_back({block.steps[i], block.wall_times_seconds[i], block.values[i]});
    }
    first = end;
  });
  return points;
}

void WritePoints(JsonWriter& json, const std::vector<reader::ScalarPoint>& points) {
  json.BeginArray();
  for (const reader::ScalarPoint& point : points) {
    json.BeginArray().Value(point.wall_time_seconds).Value(point.step);
    json.Value(point.value).EndArray();
  }
  json.EndArray();
}

Result<HttpResponse> ScalarsResponse(const DataCall& call, const std::optional<std::string>& run,
                                     const std::optional<std::string>& tag,
                                     const std::optional<std::string>& format) {
  const reader::Run* const found_run = run ? call.snapshot->FindRun(*run) : nullptr;
  const reader::Tag* const found = found_run && tag ? FindScalars(*found_run, *tag) : nullptr;
  if (found == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "No scalar data for run=" + PythonRepr(run) + ", tag=" + PythonRepr(tag));
  }
  const std::vector<reader::ScalarPoint> points = SampledPoints(call, found->scalars);
  if (format == "csv") {
    return HttpResponse{.content_type = "text/csv; charset=utf-8", .body = PointsCsv(points)};
  }
  JsonWriter json;
  WritePoints(json, points);
  return JsonResponse(json.Take());
}

std::vector<DataRoute> ScalarRoutes() {
  return {{"/plugin/scalars/tags", GetScalarTags},
          {"/plugin/scalars/scalars", GetScalars},
          {"/plugin/scalars/scalars_multirun", PostScalarsMultirun}};
}

}  // namespace cboard::server::tensorboard
