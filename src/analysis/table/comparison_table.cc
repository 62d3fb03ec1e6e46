#include "cboard/analysis/comparison_table.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "analysis/table/model_log.h"
#include "cboard/compression/tags.h"
#include "compression/tags/tag_key.h"

namespace cboard::analysis {
namespace {

struct Column {
  compression::MetricDescription description = {};
  TagFormat described_by = TagFormat::kStage;
};

class Collector {
 public:
  void Add(Fact fact) {
    ParsedTag& meaning = fact.meaning;
    ModelLog& model = models_[{meaning.experiment, ModelKeyOf(meaning.model)}];
    Rename(model.name, model.named_by, meaning.model, meaning.dialect);
    model.from_tags = model.from_tags &&
                      (meaning.dialect == TagFormat::kFlat || meaning.dialect == TagFormat::kGroup);
    model.from_groups = model.from_groups && meaning.dialect == TagFormat::kGroup;
    model.from_trials = model.from_trials && meaning.dialect == TagFormat::kTuning;
    VariantLog& variant = model.variants[compression::TagKeyOf(meaning.variant)];
    Rename(variant.name, variant.named_by, meaning.variant, meaning.dialect);

    Cell cell{.value = fact.value,
              .dialect = meaning.dialect,
              .derived = meaning.derived,
              .source = std::move(fact.source)};
    if (meaning.kind == FactKind::kRatio) {
      AddRatio(std::move(meaning), std::move(cell), model, variant);
      return;
    }
    Describe(meaning);
    variant.AddMetric(meaning.metric, std::move(cell));
  }

  Models& models() { return models_; }
  const std::map<std::string, Column>& columns() const { return columns_; }

 private:
  static void AddRatio(ParsedTag meaning, Cell cell, ModelLog& model, VariantLog& variant) {
    if (!meaning.baseline.empty()) model.stored_baseline = meaning.baseline;
    variant.AddRatio(meaning.metric, {.cell = std::move(cell),
                                      .baseline = std::move(meaning.baseline),
                                      .unit = std::move(meaning.unit),
                                      .better = meaning.better,
                                      .aurora = std::move(meaning.aurora)});
  }

  // Known metrics have a description; a description stored with the values overrides it.
  void Describe(const ParsedTag& meaning) {
    Column& column = columns_[meaning.metric];
    if (!column.description.key.empty() && column.described_by <= meaning.dialect) return;
    column.description = compression::DescribeMetric(meaning.metric);
    column.described_by = meaning.dialect;
    if (!meaning.unit.empty()) column.description.unit = meaning.unit;
    if (meaning.better != compression::Better::kUnknown) column.description.better = meaning.better;
  }

  Models models_;
  std::map<std::string, Column> columns_;
};

// Ratios that create a table row even without other values.
constexpr auto kRatios = std::to_array<std::string_view>(
    {"size_ratio", "size_reduction_pct", "speedup", "throughput_ratio", "memory_reduction_mb",
     "accuracy_drop", "accuracy_retention_pct", "energy_reduction_mw", "energy_ratio", "aurora",
     "aurora_mean"});

bool HasKnownValue(const VariantLog& variant) {
  return !variant.metrics.empty() || std::ranges::any_of(kRatios, [&](std::string_view ratio) {
    return variant.ratios.contains(ratio);
  });
}

// Returns true for a run whose name is "baseline" by chance: no trials are beside it, and its name
// contains no accuracy.
bool IsLoneBaseline(const ModelLog& model) {
  if (!model.from_trials || model.variants.size() != 1) return false;
  const VariantLog& variant = model.variants.begin()->second;
  return variant.name == "baseline" &&
         std::ranges::none_of(variant.metrics,
                              [](const auto& metric) { return metric.second.source.tag.empty(); });
}

// Returns true if the log suggests a compressed model only by its names, and if the names may have
// another meaning, such as curves of a training.
bool LooksLikeTraining(const ModelLog& model) {
  if (IsLoneBaseline(model)) return true;
  if (!model.from_tags) return false;
  // Any program may group curves with add_scalars, for example learning rates or losses.
  if (model.from_groups && std::ranges::none_of(model.variants, [](const auto& variant) {
        return NamesCompression(variant.second.name);
      })) {
    return true;
  }
  if (model.variants.size() < 2 && !IsKnownVariant(model.variants.begin()->second.name)) {
    return true;
  }
  return std::ranges::none_of(model.variants,
                              [](const auto& variant) { return HasKnownValue(variant.second); });
}

// Returns the key of the baseline variant.
std::string BaselineOf(const ModelLog& model) {
  const auto has = [&](std::string_view name) {
    return model.variants.contains(compression::TagKeyOf(name));
  };
  if (!model.stored_baseline.empty() && has(model.stored_baseline)) {
    return compression::TagKeyOf(model.stored_baseline);
  }
  for (const std::string_view usual : kKnownBaselines) {
    if (has(usual)) return compression::TagKeyOf(usual);
  }
  return model.variants.begin()->first;
}

// Sorts tune_2 before tune_10: numbers in names are compared as numbers.
bool NaturallyBefore(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  while (!a.empty() && !b.empty()) {
    if (digit(a[0]) && digit(b[0])) {
      const auto number = [&](std::string_view& text) {
        text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
        const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
        const std::string_view digits = text.substr(0, end);
        text.remove_prefix(end);
        return digits;
      };
      const std::string_view x = number(a), y = number(b);
      if (x != y) return std::tuple(x.size(), x) < std::tuple(y.size(), y);
      continue;
    }
    if (a[0] != b[0]) return a[0] < b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

class TableBuilder {
 public:
  explicit TableBuilder(const std::map<std::string, Column>& columns) {
    Metrics order;
    for (const auto& [key, column] : columns) order[key] = 0;
    for (const auto& [known, value] : compression::InLogOrder(order)) {
      table_.metrics.push_back(columns.at(known.key).description);
    }
  }

  void Add(const std::string& experiment, ModelLog& model) {
    const std::string baseline = BaselineOf(model);
    std::vector<std::pair<const std::string, VariantLog>*> variants;
    for (auto& variant : model.variants) variants.push_back(&variant);
    std::ranges::sort(variants, [&](const auto* a, const auto* b) {
      if ((a->first == baseline) != (b->first == baseline)) return a->first == baseline;
      return NaturallyBefore(a->first, b->first);
    });
    table_.models.push_back({.experiment = experiment,
                             .model = model.name,
                             .baseline = variants.front()->second.name,
                             .first_row = table_.rows.size(),
                             .row_count = variants.size()});
    for (auto* variant : variants) AddRow(experiment, model.name, variant->second);
  }

  ComparisonTable Take() { return std::move(table_); }

 private:
  void AddRow(const std::string& experiment, const std::string& model, VariantLog& variant) {
    TableRow& row = table_.rows.emplace_back(TableRow{.experiment = experiment,
                                                      .model = model,
                                                      .variant = variant.name,
                                                      .model_index = table_.models.size() - 1});
    row.cells.reserve(table_.metrics.size());
    for (const compression::MetricDescription& metric : table_.metrics) {
      const auto found = variant.metrics.find(metric.key);
      row.cells.push_back(found == variant.metrics.end() ? std::nullopt
                                                         : std::optional(std::move(found->second)));
    }
    row.ratios = std::move(variant.ratios);
  }

  ComparisonTable table_;
};

}  // namespace

ComparisonTable BuildComparisonTable(std::vector<Fact> facts) {
  Collector collector;
  for (Fact& fact : facts) collector.Add(std::move(fact));
  Models& models = collector.models();
  JoinSiblings(models);
  std::erase_if(models, [](const auto& entry) { return LooksLikeTraining(entry.second); });
  JoinExperiments(models);
  TableBuilder builder(collector.columns());
  for (auto& [place, model] : models) builder.Add(place.first, model);
  return builder.Take();
}

std::optional<std::size_t> ComparisonTable::FindMetric(std::string_view key) const {
  const auto found = std::ranges::find(metrics, key, &compression::MetricDescription::key);
  if (found == metrics.end()) return std::nullopt;
  return static_cast<std::size_t>(found - metrics.begin());
}

const TableModel* ComparisonTable::FindModel(std::string_view experiment,
                                             std::string_view model) const {
  const auto found = std::ranges::find_if(models, [&](const TableModel& candidate) {
    return candidate.experiment == experiment && candidate.model == model;
  });
  return found == models.end() ? nullptr : &*found;
}

std::optional<std::size_t> ComparisonTable::FindRow(std::string_view experiment,
                                                    std::string_view model,
                                                    std::string_view variant) const {
  const TableModel* place = FindModel(experiment, model);
  if (place == nullptr) return std::nullopt;
  for (std::size_t row = place->first_row; row < place->first_row + place->row_count; ++row) {
    if (rows[row].variant == variant) return row;
  }
  return std::nullopt;
}

Metrics ComparisonTable::MetricsOf(std::size_t row) const {
  Metrics values;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (const auto& cell = rows[row].cells[i]) values[metrics[i].key] = cell->value;
  }
  return values;
}

Metrics ComparisonTable::MeasuredOf(std::size_t row) const {
  Metrics values = MetricsOf(row);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    const auto& cell = rows[row].cells[i];
    if (cell && cell->derived) values.erase(metrics[i].key);
  }
  return values;
}

bool ComparisonTable::IsDerived(std::string_view metric, std::size_t row,
                                std::size_t baseline_row) const {
  const std::optional<std::size_t> column = FindMetric(metric);
  if (!column) return false;
  return std::ranges::any_of(std::array{row, baseline_row}, [&](std::size_t side) {
    const auto& cell = rows[side].cells[*column];
    return cell && cell->derived;
  });
}

std::string MissingTag(const TableRow& row, const compression::MetricDescription& metric) {
  return compression::DefaultTag({.kind = compression::CompressionTagKind::kMetric,
                                  .model = row.model,
                                  .name = metric.key,
                                  .variant = row.variant,
                                  .baseline = {}});
}

}  // namespace cboard::analysis
