#include "cboard/analysis/model_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cboard/analysis/parsed_tag.h"
#include "cboard/analysis/snapshot_table.h"
#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

std::string DefaultVariant(const std::vector<std::string>& variants, const std::string& baseline) {
  if (std::ranges::find(variants, compression::kDefaultVariant) != variants.end() &&
      baseline != compression::kDefaultVariant) {
    return std::string(compression::kDefaultVariant);
  }
  for (const std::string& variant : variants) {
    if (variant != baseline) return variant;
  }
  return std::string(compression::kDefaultVariant);
}

// Counts the layers that were logged under the model's name. Layers without a model name are not
// counted, because they could belong to any model.
void AddLayers(const std::shared_ptr<const reader::Snapshot>& snapshot,
               std::span<const VariantLayers> sides, const Summary& summary, ModelSummary& model) {
  const std::string key = ModelKeyOf(model.model);
  std::optional<SidePair> pair = FindSides(sides, model.model, summary.a, summary.b);
  if (!pair || ModelKeyOf(pair->a.model) != key || ModelKeyOf(pair->b.model) != key) {
    model.damage.not_measured = WhyNotMeasured(sides, model.model);
    return;
  }
  auto ranking = std::make_shared<LayerRanking>(RankVariants(snapshot, &pair->a, pair->b));
  model.damage = DamageOf(*ranking);
  model.layers = std::move(ranking);
  model.sides = std::move(pair);
}

ModelSummary ModelOf(const ComparisonTable& table, std::size_t index, std::string name,
                     const std::optional<compression::AuroraOptions>& aurora,
                     const Summary& summary) {
  const TableModel& source = table.models[index];
  ModelSummary model{.name = std::move(name),
                     .model = source.model,
                     .experiment = std::string(ExperimentToRankIn(source))};
  for (std::size_t row = source.first_row; row < source.first_row + source.row_count; ++row) {
    if (table.rows[row].variant == summary.a) model.row_a = row;
    if (table.rows[row].variant == summary.b) model.row_b = row;
  }
  if (model.row_a) model.a = table.MetricsOf(*model.row_a);
  if (model.row_b) model.b = table.MetricsOf(*model.row_b);
  if (model.row_a && model.row_b) {
    model.comparison = CompareRows(table, *model.row_b, *model.row_a, aurora);
  }
  for (const std::optional<std::size_t>& row : {model.row_a, model.row_b}) {
    if (!row) continue;
    for (std::size_t i = 0; i < table.metrics.size(); ++i) {
      const std::optional<Cell>& cell = table.rows[*row].cells[i];
      if (cell && cell->derived) model.derived.insert(table.metrics[i].key);
    }
  }
  Metrics measured_a = model.a, measured_b = model.b;
  for (const std::string& key : model.derived) {
    measured_a.erase(key);
    measured_b.erase(key);
  }
  model.checks = CheckPolicy(*summary.policy, measured_a, measured_b);
  return model;
}

// Returns the quality metric that most models logged.
std::string QualityOf(const Summary& summary) {
  constexpr std::string_view kKnown[] = {"accuracy",   "f1_score", "auc",
                                         "perplexity", "wer",      "loss"};
  std::string best;
  std::ptrdiff_t most = 0;
  const auto consider = [&](const compression::MetricDescription& metric) {
    const auto count = std::ranges::count_if(summary.models, [&](const ModelSummary& model) {
      return model.a.contains(metric.key) || model.b.contains(metric.key);
    });
    if (count > most) {
      most = count;
      best = metric.key;
    }
  };
  for (const std::string_view key : kKnown) {
    const auto found =
        std::ranges::find(summary.metrics, key, &compression::MetricDescription::key);
    if (found != summary.metrics.end()) consider(*found);
  }
  for (const compression::MetricDescription& metric : summary.metrics) {
    if (metric.unit.empty() && metric.better != compression::Better::kUnknown) consider(metric);
  }
  return best;
}

std::optional<double> Median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

struct Best {
  const ModelSummary* model = nullptr;
  double gain = 0;
  std::size_t measured = 0;
};

// Returns the model with the largest gain in a resource.
Best BestGain(const Summary& summary, std::string_view metric) {
  Best best;
  const bool higher = compression::DescribeMetric(metric).better == compression::Better::kHigher;
  for (const ModelSummary& model : summary.models) {
    const auto a = model.a.find(metric);
    const auto b = model.b.find(metric);
    if (a == model.a.end() || b == model.b.end()) continue;
    if (!(a->second > 0) || !(b->second > 0) || model.derived.contains(metric)) continue;
    const double gain = higher ? b->second / a->second : a->second / b->second;
    if (!std::isfinite(gain)) continue;
    ++best.measured;
    if (best.model == nullptr || gain > best.gain) {
      best.model = &model;
      best.gain = gain;
    }
  }
  return best;
}

Headline DropHeadline(std::string_view name, const Summary& summary, double lost) {
  const compression::MetricDescription metric = compression::DescribeMetric(summary.quality);
  const bool is_share = IsShare(metric);
  return {.name = std::string(name),
          .figure = is_share ? verdict::FixedNumber(lost * 100, 2) : verdict::ShortNumber(lost, 3),
          .unit = is_share ? "pp" : metric.unit,
          .value = lost};
}

void AddDrops(Summary& summary) {
  std::vector<double> lost;
  const ModelSummary* worst = nullptr;
  double most = 0;
  for (const ModelSummary& model : summary.models) {
    const std::optional<double> by = LostBy(summary.quality, model);
    if (!by || !std::isfinite(*by)) continue;
    lost.push_back(*by);
    if (worst != nullptr && *by <= most) continue;
    worst = &model;
    most = *by;
  }
  const std::optional<double> median = Median(lost);
  if (!median) return;
  Headline middle = DropHeadline("Median drop", summary, *median);
  middle.note = HumanCount(static_cast<std::size_t>(
                    std::ranges::count_if(lost, [](double value) { return value <= 0; }))) +
                " of " + HumanCount(lost.size()) + " lose nothing";
  summary.headlines.push_back(std::move(middle));
  Headline largest = DropHeadline("Worst drop", summary, most);
  largest.model = worst->name;
  summary.headlines.push_back(std::move(largest));
}

void AddGains(Summary& summary) {
  const auto add = [&](std::string_view name, const Best& best, std::string_view by) {
    if (best.model == nullptr) return;
    summary.headlines.push_back({.name = std::string(name),
                                 .figure = verdict::TimesText(best.gain),
                                 .note = HumanCount(best.measured) + " measured" +
                                         (by.empty() ? "" : ", by " + std::string(by)),
                                 .model = best.model->name,
                                 .value = best.gain});
  };
  add("Best ratio", BestGain(summary, "model_size_mb"), {});
  // Latency and throughput measure the same property, so only the metric that more models logged is
  // used.
  const Best latency = BestGain(summary, "latency_mean_ms");
  const Best throughput = BestGain(summary, "throughput");
  if (throughput.measured > latency.measured) {
    add("Best speedup", throughput, "throughput");
  } else {
    add("Best speedup", latency, "latency");
  }
}

void CountVerdicts(Summary& summary) {
  for (const ModelSummary& model : summary.models) {
    switch (model.verdict.state) {
      case VerdictState::kFail:
        ++summary.verdicts.fail;
        break;
      case VerdictState::kWatch:
        ++summary.verdicts.watch;
        break;
      case VerdictState::kPass:
        ++summary.verdicts.pass;
        break;
      case VerdictState::kIncomplete:
        ++summary.verdicts.incomplete;
        break;
      case VerdictState::kNotChecked:
        ++summary.verdicts.not_checked;
        break;
    }
  }
}

}  // namespace

bool IsShare(const compression::MetricDescription& metric) {
  return metric.unit.empty() && metric.better == compression::Better::kHigher;
}

std::optional<double> LostBy(std::string_view quality, const ModelSummary& model) {
  const auto a = model.a.find(quality);
  const auto b = model.b.find(quality);
  if (a == model.a.end() || b == model.b.end()) return std::nullopt;
  const compression::MetricDescription metric = compression::DescribeMetric(quality);
  if (IsShare(metric)) return AsFraction(a->second) - AsFraction(b->second);
  return metric.better == compression::Better::kHigher ? a->second - b->second
                                                       : b->second - a->second;
}

Summary Summarize(const std::shared_ptr<const reader::Snapshot>& snapshot,
                  const ComparisonTable& table, const SummaryOptions& options) {
  const std::vector<std::string> names = UniqueNames(table);
  const auto is_wanted = [&](std::size_t i) {
    return options.models.empty() || options.models.contains(names[i]);
  };
  ComparisonTable about;  // A table with all variants, from which the pair is selected.
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_wanted(i)) continue;
    const TableModel& model = table.models[i];
    about.models.push_back(model);
    const auto rows = std::span(table.rows).subspan(model.first_row, model.row_count);
    about.rows.insert(about.rows.end(), rows.begin(), rows.end());
  }
  Summary summary{.a = options.a.empty() ? DefaultBaseline(about) : options.a,
                  .policy = options.policy != nullptr ? options.policy : FindPolicy("balanced")};
  summary.b = options.b.empty() ? DefaultVariant(VariantsOf(about), summary.a) : options.b;

  const std::vector<VariantLayers> sides = FindVariantLayers(*snapshot);
  std::set<std::string> keys;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!is_wanted(i)) continue;
    ModelSummary model = ModelOf(table, i, names[i], options.aurora, summary);
    if (model.a.empty() && model.b.empty()) continue;
    AddLayers(snapshot, sides, summary, model);
    model.verdict = VerdictOnModel(model.checks, model.damage);
    for (const Metrics* side : {&model.a, &model.b}) {
      for (const auto& [key, value] : *side) keys.insert(key);
    }
    summary.models.push_back(std::move(model));
  }
  for (const compression::MetricDescription& metric : table.metrics) {
    if (keys.contains(metric.key)) summary.metrics.push_back(metric);
  }
  summary.quality = QualityOf(summary);
  // Models without a known loss come last in their group.
  std::ranges::stable_sort(summary.models, [&](const ModelSummary& p, const ModelSummary& q) {
    if (p.fails() != q.fails()) return p.fails();
    constexpr double kNothing = -std::numeric_limits<double>::infinity();
    const double lost_p = LostBy(summary.quality, p).value_or(kNothing);
    const double lost_q = LostBy(summary.quality, q).value_or(kNothing);
    if (std::isnan(lost_p) || std::isnan(lost_q)) return !std::isnan(lost_p) && std::isnan(lost_q);
    return lost_p > lost_q;
  });
  AddDrops(summary);
  AddGains(summary);
  CountVerdicts(summary);
  return summary;
}

}  // namespace cboard::analysis
