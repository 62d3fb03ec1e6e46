// Hyperparameters and metrics of many runs as one table, filtered and sorted.
#include <map>

#include "cboard/base/strings.h"
#include "cboard/reader/hparams_query.h"
#include "server/api/api_route.h"
#include "server/api/entries.h"
#include "server/api/json_body.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kDefaultGroups = 1000;
constexpr std::size_t kMaxGroups = 100'000;
constexpr std::size_t kMaxColumns = 1000;  // Per request.

[[nodiscard]] auto Wrong(std::string_view what) {
  return Fail(ErrorCode::kInvalidArgument, std::string(what));
}

Result<reader::MetricName> ParseMetric(simdjson::dom::array pair) {
  std::string_view group, tag;
  if (pair.size() != 2 || pair.at(0).get(group) != simdjson::SUCCESS ||
      pair.at(1).get(tag) != simdjson::SUCCESS) {
    return Wrong(R"(a metric must be ["group","tag"])");
  }
  return reader::MetricName{std::string(group), std::string(tag)};
}

Result<proto::HParamValue> ParseValue(element value) {
  bool truth = false;
  double number = 0;
  std::string_view text;
  if (value.get(truth) == simdjson::SUCCESS) return proto::HParamValue(truth);
  if (value.get(number) == simdjson::SUCCESS) return proto::HParamValue(number);
  if (value.get(text) == simdjson::SUCCESS) return proto::HParamValue(std::string(text));
  return Wrong(R"("values" may hold numbers, texts, true and false)");
}

// Parses a filter: {"min":0.1}, {"max":1}, {"values":["sgd"]} or {"regex":"^a"}. Session groups
// without the value are filtered out.
Result<void> ParseFilter(object column, reader::ColumnParameters& parameters) {
  reader::IntervalFilter interval{.min = -std::numeric_limits<double>::infinity(),
                                  .max = std::numeric_limits<double>::infinity()};
  const bool has_min = column["min"].get(interval.min) == simdjson::SUCCESS;
  const bool has_max = column["max"].get(interval.max) == simdjson::SUCCESS;
  simdjson::dom::array values;
  std::string_view regex;
  const bool has_values = column["values"].get(values) == simdjson::SUCCESS;
  const bool has_regex = column["regex"].get(regex) == simdjson::SUCCESS;
  if ((has_min || has_max) + has_values + has_regex > 1) {
    return Wrong(R"(a column takes one of "min" and "max", "values", "regex")");
  }
  if (has_min || has_max) parameters.filter = interval;
  if (has_regex) parameters.filter = reader::RegexFilter{std::string(regex)};
  if (has_values) {
    reader::DiscreteFilter discrete;
    for (const element value : values) {
      CBOARD_ASSIGN_OR_RETURN(proto::HParamValue parsed, ParseValue(value));
      discrete.values.push_back(std::move(parsed));
    }
    parameters.filter = std::move(discrete);
  }
  parameters.exclude_missing_values = parameters.filter.index() != 0;
  return {};
}

Result<reader::ColumnParameters> ParseColumn(element value) {
  object column;
  if (value.get(column) != simdjson::SUCCESS) return Wrong(R"("columns" must hold objects)");
  reader::ColumnParameters parameters;
  std::string_view name;
  simdjson::dom::array metric;
  if (column["hparam"].get(name) == simdjson::SUCCESS) {
    parameters.column = std::string(name);
  } else if (column["metric"].get(metric) == simdjson::SUCCESS) {
    CBOARD_ASSIGN_OR_RETURN(parameters.column, ParseMetric(metric));
  } else {
    return Wrong(R"(each of "columns" needs "hparam", a text, or "metric", ["group","tag"])");
  }
  std::string_view order;
  if (column["order"].get(order) == simdjson::SUCCESS) {
    if (order != "ascending" && order != "descending") {
      return Wrong("the parameter order is " + Quoted(order) +
                   "; it must be ascending or descending");
    }
    parameters.order =
        order == "ascending" ? reader::SortOrder::kAscending : reader::SortOrder::kDescending;
  }
  CBOARD_RETURN_IF_ERROR(ParseFilter(column, parameters));
  return parameters;
}

Result<reader::Aggregation> ParseAggregation(std::string_view text) {
  if (text == "mean") return reader::Aggregation::kAverage;
  if (text == "median") return reader::Aggregation::kMedian;
  if (text == "min") return reader::Aggregation::kMin;
  if (text == "max") return reader::Aggregation::kMax;
  return Wrong("the parameter aggregation is " + Quoted(text) +
               "; it must be mean, median, min or max");
}

Result<reader::SessionGroupsQuery> ParseQuery(std::string_view text) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(text));
  reader::SessionGroupsQuery query;
  CBOARD_ASSIGN_OR_RETURN(query.start_index, body.Whole("start", 0, kMaxGroups, 0));
  CBOARD_ASSIGN_OR_RETURN(query.slice_size, body.Whole("limit", 0, kMaxGroups, kDefaultGroups));
  CBOARD_ASSIGN_OR_RETURN(const std::string aggregation, body.Text("aggregation", "mean"));
  CBOARD_ASSIGN_OR_RETURN(query.aggregation, ParseAggregation(aggregation));
  if (query.aggregation != reader::Aggregation::kAverage) {
    CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::array by, body.Array("by", 2));
    CBOARD_ASSIGN_OR_RETURN(query.aggregation_metric, ParseMetric(by));
  }
  if (!body.Has("columns")) return query;
  CBOARD_ASSIGN_OR_RETURN(const simdjson::dom::array columns, body.Array("columns", kMaxColumns));
  for (const element column : columns) {
    CBOARD_ASSIGN_OR_RETURN(reader::ColumnParameters parsed, ParseColumn(column));
    query.columns.push_back(std::move(parsed));
  }
  return query;
}

std::string_view NameOf(proto::HParamType type) {
  switch (type) {
    case proto::HParamType::kString:
      return "text";
    case proto::HParamType::kBool:
      return "truth";
    case proto::HParamType::kFloat64:
      return "number";
    case proto::HParamType::kUnset:
      break;
  }
  return "unknown";
}

std::string_view NameOf(proto::HParamsStatus status) {
  switch (status) {
    case proto::HParamsStatus::kSuccess:
      return "success";
    case proto::HParamsStatus::kFailure:
      return "failure";
    case proto::HParamsStatus::kRunning:
      return "running";
    case proto::HParamsStatus::kUnknown:
      break;
  }
  return "unknown";
}

void WriteHParam(JsonWriter& json, const reader::SessionGroup& group, const std::string& name) {
  const auto found = group.hparams.find(name);
  WriteSetting(json, found == group.hparams.end() ? std::nullopt : std::optional(found->second));
}

void WriteHParams(JsonWriter& json, const reader::HParamsColumns& columns,
                  const reader::SessionGroupPage& page) {
  const auto& hparams = columns.hparams;
  json.Key("hparams").BeginObject();
  WriteValues(json, "names", hparams, [](const reader::HParamColumn& c) { return c.info.name; });
  WriteValues(json, "labels", hparams, [](const reader::HParamColumn& c) {
    return c.info.display_name.empty() ? c.info.name : c.info.display_name;
  });
  WriteValues(json, "descriptions", hparams,
              [](const reader::HParamColumn& c) { return c.info.description; });
  WriteValues(json, "types", hparams,
              [](const reader::HParamColumn& c) { return NameOf(c.info.type); });
  json.Key("values").BeginArray();
  for (const reader::HParamColumn& column : hparams) {
    json.BeginArray();
    for (const reader::SessionGroup& group : page.groups)
      WriteHParam(json, group, column.info.name);
    json.EndArray();
  }
  json.EndArray().EndObject();
}

void WriteMetrics(JsonWriter& json, const reader::HParamsColumns& columns,
                  const reader::SessionGroupPage& page) {
  const auto& metrics = columns.experiment.metrics;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> index;
  for (std::size_t i = 0; i < metrics.size(); ++i) index[{metrics[i].group, metrics[i].tag}] = i;
  std::vector<std::vector<std::optional<double>>> values(
      metrics.size(), std::vector<std::optional<double>>(page.groups.size()));
  for (std::size_t row = 0; row < page.groups.size(); ++row) {
    for (const reader::MetricValue& metric : page.groups[row].metrics) {
      const auto found = index.find({metric.name.group, metric.name.tag});
      if (found != index.end()) values[found->second][row] = metric.value;
    }
  }
  json.Key("metrics").BeginObject();
  WriteValues(json, "groups", metrics, &proto::MetricInfo::group);
  WriteValues(json, "tags", metrics, &proto::MetricInfo::tag);
  WriteValues(json, "labels", metrics, [](const proto::MetricInfo& metric) {
    if (!metric.display_name.empty()) return metric.display_name;
    return metric.group.empty() ? metric.tag : metric.group + "/" + metric.tag;
  });
  WriteValues(json, "descriptions", metrics, &proto::MetricInfo::description);
  json.Key("values").BeginArray();
  for (const auto& column : values) {
    json.BeginArray();
    for (const std::optional<double>& value : column) WriteNumber(json, value);
    json.EndArray();
  }
  json.EndArray().EndObject();
}

void WriteGroups(JsonWriter& json, const reader::SessionGroupPage& page) {
  const auto first = [](const reader::SessionGroup& group) -> const reader::HParamsSession* {
    return group.sessions.empty() ? nullptr : &group.sessions.front();
  };
  json.Key("groups").BeginObject();
  WriteValues(json, "names", page.groups, &reader::SessionGroup::name);
  WriteValues(json, "statuses", page.groups, [&](const reader::SessionGroup& group) {
    return NameOf(first(group) ? first(group)->status : proto::HParamsStatus::kUnknown);
  });
  json.Key("start_times").BeginArray();
  for (const reader::SessionGroup& group : page.groups) {
    const reader::HParamsSession* const session = first(group);
    if (session != nullptr && session->start_time_seconds > 0) {
      json.Value(session->start_time_seconds);
    } else {
      json.Null();
    }
  }
  json.EndArray().Key("runs").BeginArray();
  for (const reader::SessionGroup& group : page.groups) {
    json.BeginArray();
    for (const reader::HParamsSession& session : group.sessions) json.Value(session.name);
    json.EndArray();
  }
  json.EndArray().EndObject();
}

Result<HttpResponse> Respond(const ApiCall& call, reader::SessionGroupsQuery query) {
  // Merges all experiments: a writer may describe one experiment per trial, and the page shows the
  // hyperparameters of all of them.
  query.merge_experiments = true;
  const reader::HParamsTable table = reader::HParamsTable::Of(call.snapshot);
  const reader::HParamsColumns columns = table.Columns({.merge_experiments = true});
  CBOARD_ASSIGN_OR_RETURN(const reader::SessionGroupPage page, table.SessionGroups(query));
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("description").Value(columns.experiment.description);
  json.Key("total").Value(page.total_size);
  WriteHParams(json, columns, page);
  WriteMetrics(json, columns, page);
  WriteGroups(json, page);
  WriteValues(json, "problems", table.errors(), &Error::message);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetHParams(const ApiCall& call) {
  reader::SessionGroupsQuery query;
  CBOARD_ASSIGN_OR_RETURN(query.start_index, call.target.NumberQuery("start", 0, kMaxGroups, 0));
  CBOARD_ASSIGN_OR_RETURN(query.slice_size,
                          call.target.NumberQuery("limit", 0, kMaxGroups, kDefaultGroups));
  return Respond(call, std::move(query));
}

Result<HttpResponse> PostHParams(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(reader::SessionGroupsQuery query, ParseQuery(call.body));
  return Respond(call, std::move(query));
}

}  // namespace

std::vector<ApiRoute> HParamsRoutes() {
  constexpr ParameterType kWhole = ParameterType::kWhole;
  return {
      {.method = "GET",
       .path = "/hparams",
       .summary = "Hyperparameters and metrics of all trials.",
       .parameters = {{"start", kWhole, false, false, "The first trial, usually 0."},
                      {"limit", kWhole, false, false, "At most so many, usually 1000."}},
       .handler = GetHParams},
      {.method = "POST",
       .path = "/hparams",
       .summary = "The same, filtered and sorted.",
       .body_example =
           R"({"columns":[{"hparam":"bits","min":4},{"hparam":"scheme","values":["symmetric"]},)"
           R"({"metric":["","accuracy"],"order":"descending"}],"start":0,"limit":100})",
       .handler = PostHParams},
  };
}

}  // namespace cboard::server
