#include "server/comparison_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "cboard/compression/aurora.h"

namespace cboard {
namespace {

struct VariantLog {
  Metrics metrics;
  Metrics ratios;
  std::optional<double> aurora_coverage;
};

struct ModelLog {
  std::map<std::string, VariantLog> variants;
  std::string stored_baseline;  // As ratios name it.
  bool from_tags = true;        // Nothing but tags says that this is a model.
};

using ModelKey = std::pair<std::string, std::string>;  // Run, model.

std::map<ModelKey, ModelLog> CollectModels(const std::vector<std::shared_ptr<const RunLog>>& runs,
                                           std::map<std::string, MetricDescription>& described) {
  std::map<ModelKey, ModelLog> models;
  for (const auto& run : runs) {
    for (const auto& [tag, label] : run->labels) {
      const auto scan = run->scan.tags.find(tag);
      if (scan == run->scan.tags.end() || !scan->second.last_value) continue;
      ModelLog& model = models[{run->scan.name, label.model}];
      VariantLog& variant = model.variants[label.variant];
      model.from_tags = model.from_tags && label.from_tag;
      if (label.kind == LabelKind::kRatio) {
        variant.ratios[label.metric] = *scan->second.last_value;
        if (label.metric == "aurora") variant.aurora_coverage = label.coverage;
        if (!label.baseline.empty()) model.stored_baseline = label.baseline;
        continue;
      }
      variant.metrics[label.metric] = *scan->second.last_value;
      MetricDescription& description = described[label.metric];
      if (description.key.empty()) {
        description = DescribeMetric(label.metric);
        if (!label.unit.empty()) description.unit = label.unit;
        if (label.better != Better::kUnknown) description.better = label.better;
      }
    }
  }
  // "train/metrics/loss/total" of somebody's training looks like a model with one variant.
  std::erase_if(models, [](const auto& entry) {
    return entry.second.from_tags && entry.second.variants.size() < 2;
  });
  return models;
}

std::string BaselineOf(const ModelLog& model) {
  if (model.variants.contains(model.stored_baseline)) return model.stored_baseline;
  for (const char* usual : {"fp32", "float32", "baseline", "original", "bf16", "fp16"}) {
    if (model.variants.contains(usual)) return usual;
  }
  return model.variants.begin()->first;
}

// A column of `key` at its place in `columns`, which grow as rows come.
ComparisonColumn& ColumnOf(std::vector<ComparisonColumn>& columns, std::string_view key) {
  const auto found = std::ranges::find(columns, key, &ComparisonColumn::key);
  if (found != columns.end()) return *found;
  return columns.emplace_back(ComparisonColumn{.key = std::string(key)});
}

class TableBuilder {
 public:
  explicit TableBuilder(const std::map<std::string, MetricDescription>& described) {
    Metrics order;
    for (const auto& [key, description] : described) order[key] = 0;
    for (const auto& [known, value] : InLogOrder(order)) {
      const MetricDescription& metric = described.at(known.key);
      table_.metrics.push_back({.key = metric.key,
                                .tag = metric.flat_group + "/" + metric.flat_name,
                                .display_name = metric.display_name,
                                .unit = metric.unit,
                                .better = metric.better});
    }
  }

  void Add(const ModelKey& key, const ModelLog& model) {
    const std::string baseline = BaselineOf(model);
    AddRow(key, model, baseline, baseline);
    for (const auto& [variant, log] : model.variants) {
      if (variant != baseline) AddRow(key, model, variant, baseline);
    }
  }

  ComparisonTable Take() {
    for (ComparisonColumn& column : table_.metrics) column.values.resize(table_.rows.size());
    for (ComparisonColumn& column : table_.ratios) {
      column.values.resize(table_.rows.size());
      column.computed.resize(table_.rows.size());
    }
    return std::move(table_);
  }

 private:
  void AddRow(const ModelKey& key, const ModelLog& model, const std::string& variant,
              const std::string& baseline) {
    table_.rows.push_back(
        {.run = key.first, .model = key.second, .variant = variant, .baseline = baseline});
    const VariantLog& log = model.variants.at(variant);
    for (ComparisonColumn& column : table_.metrics) {
      const auto value = log.metrics.find(column.key);
      column.values.push_back(value == log.metrics.end() ? std::nullopt
                                                         : std::optional(value->second));
    }
    const Metrics& from = model.variants.at(baseline).metrics;
    if (variant != baseline) {
      for (const auto& [name, value] : log.ratios) {
        if (!name.starts_with("aurora")) SetRatio(name, value, false);
      }
      for (const RatioValue& ratio : ComputeRatios(from, log.metrics, baseline, variant).values) {
        Describe(ratio);
        if (!log.ratios.contains(std::string(ratio.name))) SetRatio(ratio.name, ratio.value, true);
      }
    }
    AddAurora(from, log, variant == baseline);
  }

  void SetRatio(std::string_view name, double value, bool computed) {
    ComparisonColumn& column = ColumnOf(table_.ratios, name);
    if (column.tag.empty()) column.tag = "compression/" + column.key;
    if (column.display_name.empty()) column.display_name = column.key;
    column.values.resize(table_.rows.size());
    column.computed.resize(table_.rows.size());
    column.values.back() = value;
    column.computed.back() = computed;
  }

  void Describe(const RatioValue& ratio) {
    ComparisonColumn& column = ColumnOf(table_.ratios, ratio.name);
    column.tag = "compression/" + column.key;
    column.display_name = ratio.display_name;
    column.unit = ratio.unit;
    column.better = ratio.better;
  }

  void AddAurora(const Metrics& from, const VariantLog& log, bool is_baseline) {
    AuroraColumn& aurora = table_.aurora;
    std::optional<double> score, coverage;
    std::string reason;
    bool computed = false;
    if (const auto logged = log.ratios.find("aurora"); logged != log.ratios.end()) {
      score = logged->second;
      coverage = log.aurora_coverage;
    } else if (is_baseline) {
      reason = "this is the baseline";
    } else if (const Result<AuroraScore> made = ComputeAurora(from, log.metrics)) {
      score = made->score;
      coverage = made->coverage;
      computed = true;
    } else {
      reason = made.error().message;
    }
    aurora.scores.push_back(score);
    aurora.coverages.push_back(coverage);
    aurora.computed.push_back(computed);
    aurora.reasons.push_back(std::move(reason));
  }

  ComparisonTable table_;
};

}  // namespace

ComparisonTable BuildComparison(const std::vector<std::shared_ptr<const RunLog>>& runs) {
  std::map<std::string, MetricDescription> described;
  const std::map<ModelKey, ModelLog> models = CollectModels(runs, described);
  TableBuilder builder(described);
  for (const auto& [key, model] : models) builder.Add(key, model);
  return builder.Take();
}

}  // namespace cboard
