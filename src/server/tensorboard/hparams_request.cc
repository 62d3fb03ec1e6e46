#include "server/tensorboard/hparams_request.h"

#include <simdjson.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "cboard/base/strings.h"

namespace cboard::server::tensorboard {
namespace {

using simdjson::SUCCESS;
using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t kMaxColumns = 10'000;

[[nodiscard]] auto Wrong(std::string_view field, std::string_view expected) {
  return Fail(ErrorCode::kInvalidArgument,
              "field " + Quoted(field) + " must be " + std::string(expected));
}

[[nodiscard]] auto Unknown(std::string_view field) {
  return Fail(ErrorCode::kInvalidArgument, "unknown field " + Quoted(field));
}

// Converts a name to snake_case: colParams becomes col_params.
std::string SnakeCase(std::string_view name) {
  std::string snake;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      snake += {'_', static_cast<char>(c - 'A' + 'a')};
    } else {
      snake += c;
    }
  }
  return snake;
}

Result<std::string> Text(std::string_view field, const element& value) {
  std::string_view text;
  if (value.get(text) != SUCCESS) return Wrong(field, "a string");
  return std::string(text);
}

Result<bool> Truth(std::string_view field, const element& value) {
  bool truth = false;
  if (value.get(truth) != SUCCESS) return Wrong(field, "true or false");
  return truth;
}

Result<double> Number(std::string_view field, const element& value) {
  double number = 0;
  if (value.get(number) == SUCCESS) return number;
  std::string_view text;
  if (value.get(text) == SUCCESS) {
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (problem == std::errc() && end == text.data() + text.size()) return number;
  }
  return Wrong(field, "a number");
}

Result<std::int32_t> Int32(std::string_view field, const element& value) {
  CBOARD_ASSIGN_OR_RETURN(const double number, Number(field, value));
  if (!(std::abs(number) <= std::numeric_limits<std::int32_t>::max()) ||
      number != std::trunc(number)) {
    return Wrong(field, "a whole number of 32 bits");
  }
  return static_cast<std::int32_t>(number);
}

// Parses a count. Protobuf allows negative counts, and Python interprets them as counted from the
// end. Here they are errors.
Result<std::size_t> Count(std::string_view field, const element& value) {
  CBOARD_ASSIGN_OR_RETURN(const std::int32_t number, Int32(field, value));
  if (number < 0) return Wrong(field, "at least 0");
  return static_cast<std::size_t>(number);
}

template <std::size_t kCount>
Result<int> EnumOf(std::string_view field, const element& value,
                   const std::array<std::string_view, kCount>& names) {
  std::string_view name;
  if (value.get(name) == SUCCESS) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == name) return static_cast<int>(i);
    }
    return Wrong(field, "one of the names of its enum, not " + Quoted(name));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::int32_t number, Int32(field, value));
  if (number < 0 || static_cast<std::size_t>(number) >= names.size()) {
    return Wrong(field, "a number from 0 to " + std::to_string(names.size() - 1));
  }
  return number;
}

// Calls `read(name, value)` for every field of an object that is not null, with its name in
// snake_case. `read` returns Result<void>.
template <typename Read>
Result<void> ForEachField(const object& fields, Read read) {
  for (const auto [key, value] : fields) {
    if (value.is_null()) continue;
    CBOARD_RETURN_IF_ERROR(read(SnakeCase(key), value));
  }
  return {};
}

// Stores the value of a Result in a variable of the same type, and returns its error if it failed.
template <typename T, typename Place>
Result<void> Store(Result<T> value, Place& place) {
  if (!value) return Fail(std::move(value).error());
  place = *std::move(value);
  return {};
}

Result<reader::MetricName> ReadMetricName(std::string_view field, const element& value) {
  object fields;
  if (value.get(fields) != SUCCESS) return Wrong(field, "an object with group and tag");
  reader::MetricName name;
  CBOARD_RETURN_IF_ERROR(
      ForEachField(fields, [&](const std::string& key, const element& member) -> Result<void> {
        if (key == "group") return Store(Text(key, member), name.group);
        if (key == "tag") return Store(Text(key, member), name.tag);
        return Unknown(key);
      }));
  return name;
}

Result<reader::IntervalFilter> ReadInterval(std::string_view field, const element& value) {
  object fields;
  if (value.get(fields) != SUCCESS) return Wrong(field, "an object with minValue and maxValue");
  reader::IntervalFilter interval;
  CBOARD_RETURN_IF_ERROR(
      ForEachField(fields, [&](const std::string& key, const element& member) -> Result<void> {
        if (key == "min_value") return Store(Number(key, member), interval.min);
        if (key == "max_value") return Store(Number(key, member), interval.max);
        return Unknown(key);
      }));
  return interval;
}

Result<reader::DiscreteFilter> ReadDiscrete(std::string_view field, const element& value) {
  array members;
  if (value.get(members) != SUCCESS) return Wrong(field, "a list");
  reader::DiscreteFilter filter;
  for (const element member : members) {
    double number = 0;
    bool truth = false;
    std::string_view text;
    if (member.get(truth) == SUCCESS) {
      filter.values.emplace_back(truth);
    } else if (member.get(number) == SUCCESS) {
      filter.values.emplace_back(number);
    } else if (member.get(text) == SUCCESS) {
      filter.values.emplace_back(std::string(text));
    } else {
      return Wrong(field, "a list of numbers, texts and booleans");
    }
  }
  return filter;
}

Result<reader::ColumnParameters> ReadColumn(const element& value) {
  object fields;
  if (value.get(fields) != SUCCESS) return Wrong("colParams", "a list of objects");
  reader::ColumnParameters column;
  constexpr std::array<std::string_view, 3> kOrders = {"ORDER_UNSPECIFIED", "ORDER_ASC",
                                                       "ORDER_DESC"};
  CBOARD_RETURN_IF_ERROR(
      ForEachField(fields, [&](const std::string& key, const element& member) -> Result<void> {
        if (key == "metric") return Store(ReadMetricName(key, member), column.column);
        if (key == "hparam") return Store(Text(key, member), column.column);
        if (key == "missing_values_first") {
          return Store(Truth(key, member), column.missing_values_first);
        }
        if (key == "exclude_missing_values") {
          return Store(Truth(key, member), column.exclude_missing_values);
        }
        if (key == "include_in_result") return Store(Truth(key, member), column.include_in_result);
        if (key == "filter_interval") return Store(ReadInterval(key, member), column.filter);
        if (key == "filter_discrete") return Store(ReadDiscrete(key, member), column.filter);
        if (key == "filter_regexp") {
          CBOARD_ASSIGN_OR_RETURN(std::string pattern, Text(key, member));
          column.filter = reader::RegexFilter{std::move(pattern)};
          return {};
        }
        if (key == "order") {
          CBOARD_ASSIGN_OR_RETURN(const int order, EnumOf(key, member, kOrders));
          column.order = static_cast<reader::SortOrder>(order);
          return {};
        }
        return Unknown(key);
      }));
  return column;
}

Result<void> ReadColumns(const element& value, std::vector<reader::ColumnParameters>& columns) {
  array members;
  if (value.get(members) != SUCCESS) return Wrong("colParams", "a list");
  if (members.size() > kMaxColumns) {
    return Wrong("colParams", "a list of at most " + std::to_string(kMaxColumns) + " entries");
  }
  for (const element member : members) {
    CBOARD_ASSIGN_OR_RETURN(reader::ColumnParameters column, ReadColumn(member));
    columns.push_back(std::move(column));
  }
  return {};
}

Result<void> ReadStatuses(const element& value, std::vector<proto::HParamsStatus>& statuses) {
  constexpr std::array<std::string_view, 4> kNames = {"STATUS_UNKNOWN", "STATUS_SUCCESS",
                                                      "STATUS_FAILURE", "STATUS_RUNNING"};
  array members;
  if (value.get(members) != SUCCESS) return Wrong("allowedStatuses", "a list");
  if (members.size() > kMaxColumns)
    return Wrong("allowedStatuses",
                 "a list of at most " + std::to_string(kMaxColumns) + " entries");
  for (const element member : members) {
    CBOARD_ASSIGN_OR_RETURN(const int status, EnumOf("allowedStatuses", member, kNames));
    statuses.push_back(static_cast<proto::HParamsStatus>(status));
  }
  return {};
}

Result<reader::Aggregation> ReadAggregation(std::string_view field, const element& value) {
  constexpr std::array<std::string_view, 5> kNames = {"AGGREGATION_UNSET", "AGGREGATION_AVG",
                                                      "AGGREGATION_MEDIAN", "AGGREGATION_MIN",
                                                      "AGGREGATION_MAX"};
  CBOARD_ASSIGN_OR_RETURN(const int number, EnumOf(field, value, kNames));
  switch (number) {
    case 2:
      return reader::Aggregation::kMedian;
    case 3:
      return reader::Aggregation::kMin;
    case 4:
      return reader::Aggregation::kMax;
    default:
      return reader::Aggregation::kAverage;
  }
}

// Parses a request and passes each of its fields to `read`.
template <typename Read>
Result<void> ParseRequest(std::string_view json, Read read) {
  if (json.size() > kMaxHParamsRequestBytes) {
    return Fail(ErrorCode::kInvalidArgument, "the body of the request is too long");
  }
  simdjson::dom::parser parser;
  object fields;
  if (parser.parse(json.data(), json.size()).get(fields) != SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument,
                "Expected a JSON-formatted request, but got " + Quoted(json));
  }
  return ForEachField(fields, read);
}

}  // namespace

Result<reader::HParamsColumnsQuery> ParseExperimentRequest(std::string_view json) {
  reader::HParamsColumnsQuery query;
  std::string experiment_name;  // Ignored: there is only one experiment.
  CBOARD_RETURN_IF_ERROR(
      ParseRequest(json, [&](const std::string& key, const element& value) -> Result<void> {
        if (key == "experiment_name") return Store(Text(key, value), experiment_name);
        if (key == "include_metrics") return Store(Truth(key, value), query.include_metrics);
        if (key == "hparams_limit") return Store(Count(key, value), query.max_hparams);
        return Unknown(key);
      }));
  return query;
}

Result<reader::SessionGroupsQuery> ParseSessionGroupsRequest(std::string_view json) {
  reader::SessionGroupsQuery query{.allowed_statuses = {}};
  std::string experiment_name;  // Ignored: there is only one experiment.
  CBOARD_RETURN_IF_ERROR(
      ParseRequest(json, [&](const std::string& key, const element& value) -> Result<void> {
        if (key == "experiment_name") return Store(Text(key, value), experiment_name);
        if (key == "allowed_statuses") return ReadStatuses(value, query.allowed_statuses);
        if (key == "col_params") return ReadColumns(value, query.columns);
        if (key == "aggregation_type") return Store(ReadAggregation(key, value), query.aggregation);
        if (key == "aggregation_metric") {
          return Store(ReadMetricName(key, value), query.aggregation_metric);
        }
        if (key == "start_index") return Store(Count(key, value), query.start_index);
        if (key == "slice_size") return Store(Count(key, value), query.slice_size);
        if (key == "include_metrics") return Store(Truth(key, value), query.include_metrics);
        return Unknown(key);
      }));
  return query;
}

Result<MetricEvalsQuery> ParseMetricEvalsRequest(std::string_view json) {
  MetricEvalsQuery query;
  std::string experiment_name;  // Ignored: there is only one experiment.
  CBOARD_RETURN_IF_ERROR(
      ParseRequest(json, [&](const std::string& key, const element& value) -> Result<void> {
        if (key == "experiment_name") return Store(Text(key, value), experiment_name);
        if (key == "session_name") return Store(Text(key, value), query.session_name);
        if (key == "metric_name") return Store(ReadMetricName(key, value), query.metric);
        return Unknown(key);
      }));
  return query;
}

}  // namespace cboard::server::tensorboard
