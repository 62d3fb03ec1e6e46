#include "cboard/reader/plugin_query.h"
#include "server/content/json_columns.h"
#include "server/tensorboard/scalars.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {
namespace {

void WriteChart(JsonWriter& json, const proto::LayoutChart& chart) {
  json.BeginObject().Key("title").Value(chart.title);
  if (!chart.margins.empty()) {
    json.Key("margin").BeginObject().Key("series").BeginArray();
    for (const proto::MarginSeries& series : chart.margins) {
      json.BeginObject().Key("value").Value(series.value);
      json.Key("lower").Value(series.lower).Key("upper").Value(series.upper).EndObject();
    }
    json.EndArray().EndObject();
  } else if (!chart.multiline_tags.empty()) {
    json.Key("multiline").BeginObject();
    WriteValues(json, "tag", chart.multiline_tags);
    json.EndObject();
  }
  json.EndObject();
}

Result<HttpResponse> GetLayout(const DataCall& call) {
  // Errors are ignored, as in TensorBoard: a layout that cannot be read counts as missing.
  std::vector<Error> errors;
  const std::vector<proto::LayoutCategory> layout = reader::ReadLayouts(*call.snapshot, errors);
  if (layout.empty()) return JsonResponse("{}");
  JsonWriter json;
  json.BeginObject().Key("version").Value(0).Key("category").BeginArray();
  for (const proto::LayoutCategory& category : layout) {
    json.BeginObject().Key("title").Value(category.title).Key("chart").BeginArray();
    for (const proto::LayoutChart& chart : category.charts) WriteChart(json, chart);
    json.EndArray().Key("closed").Value(category.closed).EndObject();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetCustomScalars(const DataCall& call) {
  const std::string expression = call.Find("tag").value_or("");
  const Result<reader::TextPattern> pattern = reader::TextPattern::Compile(expression);
  if (expression.empty() || !pattern) {
    return JsonResponse(R"({"regex_valid":false,"tag_to_events":{}})");
  }
  const reader::Run* const run = call.snapshot->FindRun(call.Find("run").value_or(""));
  JsonWriter json;
  json.BeginObject().Key("regex_valid").Value(true).Key("tag_to_events").BeginObject();
  if (run != nullptr) {
    for (const reader::Tag* const tag :
         reader::TagsMatching(*run, reader::TagKind::kScalar, *pattern)) {
      if (tag->size() == 0) continue;
      json.Key(tag->name());
      WritePoints(json, SampledPoints(call, tag->scalars));
    }
  }
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetChartData(const DataCall& call) {
  return ScalarsResponse(call, call.Find("run"), call.Find("tag"), call.Find("format"));
}

}  // namespace

std::vector<DataRoute> CustomScalarRoutes() {
  return {{"/plugin/custom_scalars/layout", GetLayout},
          {"/plugin/custom_scalars/scalars", GetCustomScalars},
          {"/plugin/custom_scalars/download_data", GetChartData}};
}

}  // namespace cboard::server::tensorboard
