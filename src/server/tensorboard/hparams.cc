#include <simdjson.h>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "server/tensorboard/hparams_request.h"
#include "server/tensorboard/hparams_table_text.h"
#include "server/tensorboard/scalars.h"

namespace cboard::server::tensorboard {
namespace {

// Returns the request: the body of a POST, a query parameter of a GET.
Result<std::string> RequestOf(const DataCall& call) {
  if (call.method == "POST") return std::string(call.body);
  const std::optional<std::string> request = call.Find("request");
  if (!request) {
    return Fail(ErrorCode::kInvalidArgument, "Expected a JSON-formatted request, but got none");
  }
  return *request;
}

void WriteValue(JsonWriter& json, const proto::HParamValue& value) {
  std::visit([&](const auto& known) { json.Value(known); }, value);
}

void WriteName(JsonWriter& json, const std::string& group, const std::string& tag) {
  json.Key("name").BeginObject().Key("group").Value(group).Key("tag").Value(tag).EndObject();
}

std::string_view NameOf(proto::HParamType type) {
  switch (type) {
    case proto::HParamType::kString:
      return "DATA_TYPE_STRING";
    case proto::HParamType::kBool:
      return "DATA_TYPE_BOOL";
    case proto::HParamType::kFloat64:
      return "DATA_TYPE_FLOAT64";
    case proto::HParamType::kUnset:
      break;
  }
  return "DATA_TYPE_UNSET";
}

std::string_view NameOf(proto::DatasetType type) {
  switch (type) {
    case proto::DatasetType::kTraining:
      return "DATASET_TRAINING";
    case proto::DatasetType::kValidation:
      return "DATASET_VALIDATION";
    case proto::DatasetType::kUnknown:
      break;
  }
  return "DATASET_UNKNOWN";
}

std::string_view NameOf(proto::HParamsStatus status) {
  switch (status) {
    case proto::HParamsStatus::kSuccess:
      return "STATUS_SUCCESS";
    case proto::HParamsStatus::kFailure:
      return "STATUS_FAILURE";
    case proto::HParamsStatus::kRunning:
      return "STATUS_RUNNING";
    case proto::HParamsStatus::kUnknown:
      break;
  }
  return "STATUS_UNKNOWN";
}

void WriteColumn(JsonWriter& json, const reader::HParamColumn& column) {
  const proto::HParamInfo& info = column.info;
  json.BeginObject().Key("name").Value(info.name).Key("displayName").Value(info.display_name);
  json.Key("description").Value(info.description).Key("type").Value(NameOf(info.type));
  if (!info.domain_discrete.empty()) {
    json.Key("domainDiscrete").BeginArray();
    for (const proto::HParamValue& value : info.domain_discrete) WriteValue(json, value);
    json.EndArray();
  } else if (info.domain_interval) {
    json.Key("domainInterval").BeginObject();
    json.Key("minValue").Value(info.domain_interval->first);
    json.Key("maxValue").Value(info.domain_interval->second).EndObject();
  }
  json.Key("differs").Value(column.differs).EndObject();
}

void WriteMetricInfo(JsonWriter& json, const proto::MetricInfo& metric) {
  json.BeginObject();
  WriteName(json, metric.group, metric.tag);
  json.Key("displayName").Value(metric.display_name);
  json.Key("description").Value(metric.description);
  json.Key("datasetType").Value(NameOf(metric.dataset_type)).EndObject();
}

Result<HttpResponse> GetExperiment(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string request, RequestOf(call));
  CBOARD_ASSIGN_OR_RETURN(const reader::HParamsColumnsQuery query, ParseExperimentRequest(request));
  const reader::HParamsColumns columns = reader::HParamsTable::Of(call.snapshot).Columns(query);
  const proto::HParamsExperiment& experiment = columns.experiment;
  JsonWriter json;
  json.BeginObject().Key("name").Value(experiment.name);
  json.Key("description").Value(experiment.description).Key("user").Value(experiment.user);
  json.Key("timeCreatedSecs").Value(experiment.time_created_seconds);
  json.Key("hparamInfos").BeginArray();
  for (const reader::HParamColumn& column : columns.hparams) WriteColumn(json, column);
  json.EndArray().Key("metricInfos").BeginArray();
  for (const proto::MetricInfo& metric : experiment.metrics) WriteMetricInfo(json, metric);
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

void WriteMetrics(JsonWriter& json, const std::vector<reader::MetricValue>& metrics) {
  json.Key("metricValues").BeginArray();
  for (const reader::MetricValue& metric : metrics) {
    json.BeginObject();
    WriteName(json, metric.name.group, metric.name.tag);
    json.Key("value").Value(metric.value).Key("trainingStep").Value(metric.training_step);
    json.Key("wallTimeSecs").Value(metric.wall_time_seconds).EndObject();
  }
  json.EndArray();
}

void WriteSession(JsonWriter& json, const reader::HParamsSession& session) {
  json.BeginObject().Key("name").Value(session.name);
  json.Key("startTimeSecs").Value(session.start_time_seconds);
  json.Key("endTimeSecs").Value(session.end_time_seconds);
  json.Key("status").Value(NameOf(session.status)).Key("modelUri").Value(session.model_uri);
  WriteMetrics(json, session.metrics);
  json.Key("monitorUrl").Value(session.monitor_url).EndObject();
}

Result<HttpResponse> GetSessionGroups(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string request, RequestOf(call));
  CBOARD_ASSIGN_OR_RETURN(const reader::SessionGroupsQuery query,
                          ParseSessionGroupsRequest(request));
  CBOARD_ASSIGN_OR_RETURN(const reader::SessionGroupPage page,
                          reader::HParamsTable::Of(call.snapshot).SessionGroups(query));
  JsonWriter json;
  json.BeginObject().Key("sessionGroups").BeginArray();
  for (const reader::SessionGroup& group : page.groups) {
    json.BeginObject().Key("name").Value(group.name).Key("hparams").BeginObject();
    for (const auto& [name, value] : group.hparams) {
      json.Key(name);
      WriteValue(json, value);
    }
    json.EndObject();
    WriteMetrics(json, group.metrics);
    json.Key("sessions").BeginArray();
    for (const reader::HParamsSession& session : group.sessions) WriteSession(json, session);
    json.EndArray().Key("monitorUrl").Value(group.monitor_url).EndObject();
  }
  json.EndArray().Key("totalSize").Value(page.total_size).EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetMetricEvals(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string request, RequestOf(call));
  CBOARD_ASSIGN_OR_RETURN(const MetricEvalsQuery query, ParseMetricEvalsRequest(request));
  const auto [run, tag] = reader::HParamsTable::RunAndTagOf(query.session_name, query.metric);
  return ScalarsResponse(call, run, tag, std::nullopt);
}

Result<std::vector<bool>> VisibleColumns(const DataCall& call) {
  const std::string text = call.Find("columnsVisibility").value_or("");
  simdjson::dom::parser parser;
  simdjson::dom::array members;
  if (parser.parse(text).get(members) != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument,
                "columnsVisibility is " + Quoted(text) + ", but must be a list of booleans");
  }
  std::vector<bool> visible;
  for (const simdjson::dom::element member : members) {
    bool truth = false;
    if (member.get(truth) != simdjson::SUCCESS) {
      return Fail(ErrorCode::kInvalidArgument, "columnsVisibility must be a list of booleans");
    }
    visible.push_back(truth);
  }
  return visible;
}

Result<HttpResponse> GetDownloadData(const DataCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::vector<bool> visible, VisibleColumns(call));
  CBOARD_ASSIGN_OR_RETURN(const std::string request, RequestOf(call));
  CBOARD_ASSIGN_OR_RETURN(const reader::SessionGroupsQuery query,
                          ParseSessionGroupsRequest(request));
  const reader::HParamsTable table = reader::HParamsTable::Of(call.snapshot);
  CBOARD_ASSIGN_OR_RETURN(const reader::SessionGroupPage page, table.SessionGroups(query));
  const reader::HParamsColumns columns = table.Columns({.include_metrics = query.include_metrics});
  return HParamsTableResponse(columns, page.groups, call.Find("format").value_or(""), visible);
}

}  // namespace

std::vector<DataRoute> HParamsRoutes() {
  return {{"/plugin/hparams/experiment", GetExperiment},
          {"/plugin/hparams/session_groups", GetSessionGroups},
          {"/plugin/hparams/metric_evals", GetMetricEvals},
          {"/plugin/hparams/download_data", GetDownloadData}};
}

}  // namespace cboard::server::tensorboard
