#include "server/comparison_table.h"
#include "server/json_columns.h"

namespace cboard {
namespace {

void WriteColumn(JsonWriter& json, const ComparisonColumn& column) {
  json.BeginObject();
  json.Key("key").Value(column.key).Key("tag").Value(column.tag);
  json.Key("display_name").Value(column.display_name).Key("unit").Value(column.unit);
  json.Key("better").Value(NameOf(column.better));
  WriteNumbers(json, "values", column.values);
  if (!column.computed.empty()) WriteValues(json, "computed", column.computed);
  json.EndObject();
}

}  // namespace

std::string ToJson(const ComparisonTable& table) {
  JsonWriter json;
  json.BeginObject();
  WriteValues(json, "runs", table.rows, &ComparisonRow::run);
  WriteValues(json, "models", table.rows, &ComparisonRow::model);
  WriteValues(json, "variants", table.rows, &ComparisonRow::variant);
  WriteValues(json, "baselines", table.rows, &ComparisonRow::baseline);
  json.Key("metrics").BeginArray();
  for (const ComparisonColumn& column : table.metrics) WriteColumn(json, column);
  json.EndArray().Key("ratios").BeginArray();
  for (const ComparisonColumn& column : table.ratios) WriteColumn(json, column);
  json.EndArray().Key("aurora").BeginObject();
  WriteNumbers(json, "values", table.aurora.scores);
  WriteNumbers(json, "coverages", table.aurora.coverages);
  WriteValues(json, "computed", table.aurora.computed);
  WriteValues(json, "reasons", table.aurora.reasons);
  return json.EndObject().EndObject().Take();
}

}  // namespace cboard
