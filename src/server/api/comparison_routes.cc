// Routes for comparisons: the table of models, variants and metrics, and its Pareto front.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/pareto.h"
#include "cboard/analysis/snapshot_table.h"
#include "cboard/analysis/variant_comparison.h"
#include "cboard/base/strings.h"
#include "server/api/api_route.h"
#include "server/api/aurora_json.h"
#include "server/api/json_body.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

using analysis::ComparisonTable;
using analysis::DefaultBaseline;
using analysis::TableModel;
using analysis::TableOf;
using analysis::TableRow;
using analysis::UniqueNames;
using analysis::VariantComparison;
using analysis::VariantsOf;
using NameSet = std::set<std::string, std::less<>>;

constexpr std::size_t kMaxObjectives = 16;
constexpr std::size_t kMaxComparedModels = 100'000;

class TableWriter {
 public:
  TableWriter(const ComparisonTable& table, std::string_view baseline)
      : table_(table),
        names_(UniqueNames(table)),
        variants_(VariantsOf(table)),
        comparisons_(analysis::CompareAll(table, baseline)) {
    for (std::size_t i = 0; i < variants_.size(); ++i) variant_index_[variants_[i]] = i;
  }

  void Write(JsonWriter& json) const {
    WriteValues(json, "models", names_);
    WriteValues(json, "experiments", table_.models, analysis::ExperimentToRankIn);
    WriteValues(json, "model_names", table_.models, &TableModel::model);
    WriteValues(json, "baselines", table_.models, &TableModel::baseline);
    WriteValues(json, "variants", variants_);
    WriteMetrics(json);
    WriteCells(json);
    WriteRatios(json);
    WriteAurora(json);
  }

 private:
  void WriteMetrics(JsonWriter& json) const {
    json.Key("metrics").BeginObject();
    WriteValues(json, "names", table_.metrics, &compression::MetricDescription::key);
    WriteValues(json, "units", table_.metrics, &compression::MetricDescription::unit);
    WriteValues(json, "directions", table_.metrics,
                [](const compression::MetricDescription& metric) { return NameOf(metric.better); });
    WriteValues(json, "labels", table_.metrics, &compression::MetricDescription::display_name);
    json.EndObject();
  }

  void WriteCells(JsonWriter& json) const {
    struct Entry {
      const TableRow* row;
      std::size_t metric;
      const analysis::Cell* cell;
    };
    std::vector<Entry> entries;
    for (const TableRow& row : table_.rows) {
      for (std::size_t m = 0; m < row.cells.size(); ++m) {
        if (row.cells[m]) entries.push_back({&row, m, &*row.cells[m]});
      }
    }
    const auto source = [](const Entry& entry) -> const analysis::Source& {
      return entry.cell->source;
    };
    json.Key("cells").BeginObject();
    WriteValues(json, "models", entries, [](const Entry& e) { return e.row->model_index; });
    WriteValues(json, "variants", entries,
                [&](const Entry& e) { return variant_index_.at(e.row->variant); });
    WriteValues(json, "metrics", entries, [](const Entry& e) { return e.metric; });
    WriteNumbers(json, "values", entries, [](const Entry& e) { return e.cell->value; });
    WriteValues(json, "derived", entries, [](const Entry& e) { return e.cell->derived; });
    WriteValues(json, "runs", entries, [&](const Entry& e) { return source(e).run; });
    WriteValues(json, "tags", entries, [&](const Entry& e) { return source(e).tag; });
    WriteValues(json, "steps", entries, [&](const Entry& e) { return source(e).step; });
    json.Key("wall_times").BeginArray();
    for (const Entry& entry : entries) json.Value(source(entry).wall_time_seconds);
    json.EndArray().EndObject();
  }

  const TableRow& RowOf(const VariantComparison& comparison) const {
    return table_.rows[comparison.row];
  }

  void WriteRatios(JsonWriter& json) const {
    struct Entry {
      const VariantComparison* comparison;
      const analysis::RatioCell* ratio;
    };
    std::vector<Entry> entries;
    for (const VariantComparison& comparison : comparisons_) {
      if (comparison.row == comparison.baseline_row) continue;
      for (const analysis::RatioCell& ratio : comparison.ratios) {
        entries.push_back({&comparison, &ratio});
      }
    }
    json.Key("ratios").BeginObject();
    WriteValues(json, "models", entries,
                [&](const Entry& e) { return RowOf(*e.comparison).model_index; });
    WriteValues(json, "variants", entries,
                [&](const Entry& e) { return variant_index_.at(RowOf(*e.comparison).variant); });
    WriteValues(json, "names", entries, [](const Entry& e) { return e.ratio->name; });
    WriteValues(json, "units", entries, [](const Entry& e) { return e.ratio->unit; });
    WriteNumbers(json, "values", entries, [](const Entry& e) { return e.ratio->value; });
    WriteValues(json, "computed", entries, [](const Entry& e) { return e.ratio->computed; });
    WriteValues(json, "derived", entries, [](const Entry& e) { return e.ratio->derived; });
    json.EndObject();
  }

  void WriteAurora(JsonWriter& json) const {
    std::vector<const VariantComparison*> entries;
    for (const VariantComparison& comparison : comparisons_) {
      if (comparison.row != comparison.baseline_row) entries.push_back(&comparison);
    }
    json.Key("aurora").BeginObject();
    WriteValues(json, "models", entries, [&](const auto* e) { return RowOf(*e).model_index; });
    WriteValues(json, "variants", entries,
                [&](const auto* e) { return variant_index_.at(RowOf(*e).variant); });
    std::vector<const analysis::AuroraCell*> cells;
    for (const VariantComparison* entry : entries) cells.push_back(&entry->aurora);
    WriteAuroraColumns(json, cells);
    json.EndObject();
  }

  const ComparisonTable& table_;
  std::vector<std::string> names_;
  std::vector<std::string> variants_;
  std::map<std::string, std::size_t, std::less<>> variant_index_;
  std::vector<VariantComparison> comparisons_;
};

Result<HttpResponse> GetTable(const ApiCall& call) {
  const ComparisonTable table = TableOf(*call.snapshot);
  const std::string baseline = TextQuery(call.target, "baseline");
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  json.Key("baseline").Value(baseline.empty() ? DefaultBaseline(table) : baseline);
  TableWriter(table, baseline).Write(json);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<std::size_t> MetricIndex(const ComparisonTable& table, const std::string& key) {
  if (const auto index = table.FindMetric(key)) return *index;
  std::string known;
  for (const compression::MetricDescription& metric : table.metrics) {
    known += (known.empty() ? "" : ", ") + metric.key;
  }
  return Fail(ErrorCode::kNotFound, "no model has the metric " + Quoted(key) +
                                        (known.empty() ? "" : "; the metrics are " + known));
}

struct ParetoQuery {
  std::vector<std::string> metrics;
  std::string variant;            // Empty for all variants.
  std::optional<NameSet> models;  // Unset for all models.
};

Result<HttpResponse> ParetoOf(const ApiCall& call, const ParetoQuery& query) {
  const ComparisonTable table = TableOf(*call.snapshot);
  const std::vector<std::string> names = UniqueNames(table);
  std::vector<std::size_t> metrics;
  std::vector<compression::Better> directions;
  for (const std::string& metric : query.metrics) {
    CBOARD_ASSIGN_OR_RETURN(const std::size_t index, MetricIndex(table, metric));
    metrics.push_back(index);
    directions.push_back(table.metrics[index].better);
  }
  std::vector<const TableRow*> rows;
  std::vector<std::optional<double>> values;
  for (const TableRow& row : table.rows) {
    if (!query.variant.empty() && row.variant != query.variant) continue;
    if (query.models && !query.models->contains(names[row.model_index])) continue;
    rows.push_back(&row);
    for (const std::size_t metric : metrics) {
      const auto& cell = row.cells[metric];
      values.push_back(cell ? std::optional(cell->value) : std::nullopt);
    }
  }
  CBOARD_ASSIGN_OR_RETURN(const analysis::ParetoFront front,
                          analysis::ComputeParetoFront(directions, values));
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "models", rows, [&](const TableRow* row) { return names[row->model_index]; });
  WriteValues(json, "variants", rows, [](const TableRow* row) { return row->variant; });
  json.Key("values").BeginArray();
  for (std::size_t m = 0; m < metrics.size(); ++m) {
    json.BeginArray();
    for (std::size_t r = 0; r < rows.size(); ++r) {
      WriteNumber(json, values[r * metrics.size() + m]);
    }
    json.EndArray();
  }
  json.EndArray();
  WriteValues(json, "front", front.front);
  json.Key("dominated_by").BeginArray();
  for (const auto& by : front.dominated_by) {
    if (by) {
      json.Value(*by);
    } else {
      json.Null();
    }
  }
  json.EndArray();
  WriteValues(json, "incomplete", front.incomplete);
  json.EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetPareto(const ApiCall& call) {
  ParetoQuery query{.variant = TextQuery(call.target, "variant")};
  for (const auto& [name, value] : call.target.query) {
    if (name == "metric") query.metrics.push_back(value);
  }
  return ParetoOf(call, query);
}

// Reads the models from the body: a list of names may be longer than a URL can be.
Result<HttpResponse> PostPareto(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const JsonBody body, JsonBody::Parse(call.body));
  ParetoQuery query;
  CBOARD_ASSIGN_OR_RETURN(query.metrics, body.Texts("metrics", kMaxObjectives));
  CBOARD_ASSIGN_OR_RETURN(query.variant, body.Text("variant", ""));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::string> models,
                          body.Texts("models", kMaxComparedModels));
  query.models.emplace(models.begin(), models.end());
  return ParetoOf(call, query);
}

}  // namespace

std::vector<ApiRoute> ComparisonRoutes() {
  constexpr ParameterType kText = ParameterType::kText;
  return {
      {.method = "GET",
       .path = "/compression/table",
       .summary = "Every model, variant and metric, with ratios and AURORA.",
       .parameters = {{"baseline", kText, false, false,
                       "The variant that others are compared with, where a model has it."}},
       .handler = GetTable},
      {.method = "GET",
       .path = "/compression/pareto",
       .summary = "Which variants no other beats in all of some metrics.",
       .parameters = {{"metric", kText, true, true, "A metric; give it twice or more."},
                      {"variant", kText, false, false, "Only this variant of each model."}},
       .handler = GetPareto},
      {.method = "POST",
       .path = "/compression/pareto",
       .summary = "The same for some models.",
       .body_example =
           R"({"metrics":["model_size_mb","accuracy"],"variant":"int8","models":["alexnet"]})",
       .handler = PostPareto},
  };
}

}  // namespace cboard::server
