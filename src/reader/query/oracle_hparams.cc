// Answers requests of tensorboard_oracle.py about hyperparameters. Reads the contents of runs and a
// request as JSON, and writes the columns and groups as JSON.
#include <simdjson.h>

#include "cboard/base/json_writer.h"
#include "cboard/reader/hparams_query.h"
#include "reader/query/oracle_queries.h"

namespace cboard::testing {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

std::string Text(element value) { return std::string(std::string_view(value)); }

std::string FromHex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  }
  return bytes;
}

proto::HParamValue ValueOf(element value) {
  if (value.is_bool()) return bool(value);
  if (value.is_string()) return Text(value);
  return double(value);
}

std::optional<std::string> Content(object run, std::string_view key) {
  std::string_view hex;
  if (run[key].get(hex) != simdjson::SUCCESS) return std::nullopt;
  return FromHex(hex);
}

reader::HParamsSource SourceOf(object request) {
  reader::HParamsSource source;
  for (const object run : array(request["runs"])) {
    source.runs.push_back({Text(run["name"]), Content(run, "experiment"), Content(run, "start"),
                           Content(run, "end")});
  }
  std::map<std::string, std::map<std::string, reader::ScalarPoint>, std::less<>> scalars;
  for (const auto& [run, tags] : object(request["scalars"])) {
    source.scalar_runs.emplace_back(run);
    for (const auto& [tag, point] : object(tags)) {
      const array values(point);
      scalars[std::string(run)][std::string(tag)] = {std::int64_t(values.at(0)),
                                                     double(values.at(1)), double(values.at(2))};
    }
  }
  source.scalar_tags = [scalars](std::string_view run) {
    std::vector<std::string> tags;
    for (const auto& [tag, point] : scalars.find(run)->second) tags.push_back(tag);
    return tags;
  };
  source.last_point = [scalars](std::string_view run,
                                std::string_view tag) -> std::optional<reader::ScalarPoint> {
    const auto found = scalars.find(run);
    if (found == scalars.end()) return std::nullopt;
    const auto point = found->second.find(std::string(tag));
    if (point == found->second.end()) return std::nullopt;
    return point->second;
  };
  return source;
}

reader::MetricName MetricOf(element metric) { return {Text(metric["group"]), Text(metric["tag"])}; }

reader::ColumnParameters ColumnOf(object given) {
  reader::ColumnParameters column;
  element value;
  if (given["hparam"].get(value) == simdjson::SUCCESS) column.column = Text(value);
  if (given["metric"].get(value) == simdjson::SUCCESS) column.column = MetricOf(value);
  if (given["order"].get(value) == simdjson::SUCCESS) {
    column.order =
        Text(value) == "ORDER_ASC" ? reader::SortOrder::kAscending : reader::SortOrder::kDescending;
  }
  if (given["missingValuesFirst"].get(value) == simdjson::SUCCESS) {
    column.missing_values_first = bool(value);
  }
  if (given["excludeMissingValues"].get(value) == simdjson::SUCCESS) {
    column.exclude_missing_values = bool(value);
  }
  if (given["includeInResult"].get(value) == simdjson::SUCCESS) {
    column.include_in_result = bool(value);
  }
  if (given["filterRegexp"].get(value) == simdjson::SUCCESS) {
    column.filter = reader::RegexFilter{Text(value)};
  }
  if (given["filterInterval"].get(value) == simdjson::SUCCESS) {
    column.filter = reader::IntervalFilter{double(value["minValue"]), double(value["maxValue"])};
  }
  if (given["filterDiscrete"].get(value) == simdjson::SUCCESS) {
    reader::DiscreteFilter filter;
    for (const element one : array(value)) filter.values.push_back(ValueOf(one));
    column.filter = std::move(filter);
  }
  return column;
}

reader::SessionGroupsQuery QueryOf(object given) {
  reader::SessionGroupsQuery query;
  query.allowed_statuses.clear();
  for (const element status : array(given["allowedStatuses"])) {
    query.allowed_statuses.push_back(
        static_cast<proto::HParamsStatus>(static_cast<int>(std::int64_t(status))));
  }
  for (const object column : array(given["colParams"])) query.columns.push_back(ColumnOf(column));
  query.aggregation =
      static_cast<reader::Aggregation>(static_cast<int>(std::int64_t(given["aggregation"])));
  query.aggregation_metric = MetricOf(given["aggregationMetric"]);
  query.start_index = std::uint64_t(given["startIndex"]);
  query.slice_size = std::uint64_t(given["sliceSize"]);
  query.include_metrics = bool(given["includeMetrics"]);
  return query;
}

void Write(JsonWriter& json, const proto::HParamValue& value) {
  std::visit([&](const auto& plain) { json.Value(plain); }, value);
}

void Write(JsonWriter& json, const std::vector<reader::MetricValue>& metrics) {
  json.BeginArray();
  for (const reader::MetricValue& metric : metrics) {
    json.BeginArray().Value(metric.name.group).Value(metric.name.tag).Value(metric.value);
    json.Value(metric.training_step).Value(metric.wall_time_seconds).EndArray();
  }
  json.EndArray();
}

void Write(JsonWriter& json, const reader::SessionGroup& group) {
  json.BeginObject().Key("name").Value(group.name).Key("monitor").Value(group.monitor_url);
  json.Key("hparams").BeginObject();
  for (const auto& [name, value] : group.hparams) {
    json.Key(name);
    Write(json, value);
  }
  json.EndObject().Key("metrics");
  Write(json, group.metrics);
  json.Key("sessions").BeginArray();
  for (const reader::HParamsSession& session : group.sessions) {
    json.BeginArray().Value(session.name).Value(static_cast<int>(session.status));
    json.Value(session.start_time_seconds).Value(session.end_time_seconds);
    json.Value(session.model_uri).Value(session.monitor_url);
    Write(json, session.metrics);
    json.EndArray();
  }
  json.EndArray().EndObject();
}

void Write(JsonWriter& json, const reader::HParamsColumns& columns) {
  json.BeginObject().Key("hparams").BeginArray();
  for (const reader::HParamColumn& column : columns.hparams) {
    json.BeginArray().Value(column.info.name).Value(static_cast<int>(column.info.type));
    json.Value(column.differs).BeginArray();
    for (const proto::HParamValue& value : column.info.domain_discrete) Write(json, value);
    if (const auto& interval = column.info.domain_interval) {
      json.Value(interval->first).Value(interval->second);
    }
    json.EndArray().EndArray();
  }
  json.EndArray().Key("metrics").BeginArray();
  for (const proto::MetricInfo& metric : columns.experiment.metrics) {
    json.BeginArray().Value(metric.group).Value(metric.tag).EndArray();
  }
  json.EndArray().EndObject();
}

}  // namespace

Result<std::string> RunHParamsOracle(std::string_view request) {
  simdjson::dom::parser parser;
  const object given = parser.parse(request.data(), request.size());
  const reader::HParamsTable table(SourceOf(given));
  if (!table.errors().empty()) return Fail(table.errors().front());
  const reader::SessionGroupsQuery query = QueryOf(given["query"]);
  CBOARD_ASSIGN_OR_RETURN(const reader::SessionGroupPage page, table.SessionGroups(query));
  JsonWriter json;
  json.BeginObject().Key("columns");
  Write(json, table.Columns({.include_metrics = query.include_metrics}));
  json.Key("total").Value(page.total_size).Key("groups").BeginArray();
  for (const reader::SessionGroup& group : page.groups) Write(json, group);
  json.EndArray().EndObject();
  return json.Take();
}

}  // namespace cboard::testing
