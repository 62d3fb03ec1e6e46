#include "analysis/report/report_data.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "cboard/analysis/snapshot_table.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

std::string Listed(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < names.size() && i < 10; ++i) list += (i == 0 ? "" : ", ") + names[i];
  return list + (names.size() > 10 ? ", …" : "");
}

std::string UsualOther(const std::vector<std::string>& variants, const std::string& baseline) {
  if (std::ranges::find(variants, kUsualVariant) != variants.end() && baseline != kUsualVariant) {
    return std::string(kUsualVariant);
  }
  for (const std::string& variant : variants) {
    if (variant != baseline) return variant;
  }
  return std::string(kUsualVariant);
}

ReportModel ModelOf(const ReportData& data, std::size_t index, std::string name,
                    const Policy& policy) {
  const TableModel& source = data.table.models[index];
  ReportModel model{.name = std::move(name),
                    .model = source.model,
                    .experiment = std::string(ExperimentToRankIn(source))};
  for (std::size_t row = source.first_row; row < source.first_row + source.row_count; ++row) {
    if (data.table.rows[row].variant == data.a) model.row_a = row;
    if (data.table.rows[row].variant == data.b) model.row_b = row;
  }
  if (model.row_a) model.a = data.table.MetricsOf(*model.row_a);
  if (model.row_b) model.b = data.table.MetricsOf(*model.row_b);
  if (model.row_a && model.row_b) {
    model.comparison = CompareRows(data.table, *model.row_b, *model.row_a);
  }
  Metrics measured_a = model.a, measured_b = model.b;
  for (const std::optional<std::size_t>& row : {model.row_a, model.row_b}) {
    if (!row) continue;
    for (std::size_t i = 0; i < data.table.metrics.size(); ++i) {
      const std::optional<Cell>& cell = data.table.rows[*row].cells[i];
      if (cell && cell->derived) model.derived.insert(data.table.metrics[i].key);
    }
  }
  for (const std::string& key : model.derived) {
    measured_a.erase(key);
    measured_b.erase(key);
  }
  model.checks = CheckPolicy(policy, measured_a, measured_b);
  return model;
}

// The metric by which most models say how good they are.
std::string QualityOf(const ReportData& data) {
  constexpr std::string_view kKnown[] = {"accuracy",   "f1_score", "auc",
                                         "perplexity", "wer",      "loss"};
  std::string best;
  std::size_t most = 0;
  const auto consider = [&](const MetricDescription& metric) {
    const auto count =
        static_cast<std::size_t>(std::ranges::count_if(data.models, [&](const ReportModel& model) {
          return model.a.contains(metric.key) || model.b.contains(metric.key);
        }));
    if (count > most) {
      most = count;
      best = metric.key;
    }
  };
  for (const std::string_view key : kKnown) {
    const auto found = std::ranges::find(data.metrics, key, &MetricDescription::key);
    if (found != data.metrics.end()) consider(*found);
  }
  for (const MetricDescription& metric : data.metrics) {
    if (metric.unit.empty() && metric.better != Better::kUnknown) consider(metric);
  }
  return best;
}

Result<void> CheckNames(const ReportOptions& options, const std::vector<std::string>& names) {
  for (const std::string& wanted : options.models) {
    if (std::ranges::find(names, wanted) != names.end()) continue;
    return Fail(ErrorCode::kNotFound,
                "there is no model " + Quoted(wanted) + "; there are " + Listed(names));
  }
  return {};
}

Result<void> CheckVariants(const ReportOptions& options, const std::vector<std::string>& variants) {
  for (const std::string& wanted : {options.baseline, options.variant}) {
    if (wanted.empty() || variants.empty()) continue;
    if (std::ranges::find(variants, wanted) != variants.end()) continue;
    return Fail(ErrorCode::kNotFound,
                "there is no variant " + Quoted(wanted) + "; there are " + Listed(variants));
  }
  return {};
}

}  // namespace

bool ReportModel::fails() const {
  return std::ranges::any_of(
      checks, [](const PolicyCheck& check) { return check.outcome == GateOutcome::kFail; });
}

bool ReportModel::is_judged() const {
  return std::ranges::any_of(
      checks, [](const PolicyCheck& check) { return check.outcome != GateOutcome::kMissing; });
}

bool IsShare(const MetricDescription& metric) {
  return metric.unit.empty() && metric.better == Better::kHigher;
}

std::optional<double> LostBy(const ReportData& data, const ReportModel& model) {
  const auto a = model.a.find(data.quality);
  const auto b = model.b.find(data.quality);
  if (a == model.a.end() || b == model.b.end()) return std::nullopt;
  const MetricDescription metric = DescribeMetric(data.quality);
  if (IsShare(metric)) return AsFraction(a->second) - AsFraction(b->second);
  return metric.better == Better::kHigher ? a->second - b->second : b->second - a->second;
}

Result<ReportData> CollectReport(const std::shared_ptr<const Snapshot>& snapshot,
                                 const ReportOptions& options) {
  const Policy* const policy = FindPolicy(options.policy);
  if (policy == nullptr) {
    std::vector<std::string> names;
    for (const Policy& known : Policies()) names.emplace_back(known.name);
    return Fail(ErrorCode::kInvalidArgument,
                "there is no policy " + Quoted(options.policy) + "; there are " + Listed(names));
  }
  ReportData data{.options = options, .snapshot = snapshot, .table = TableOf(*snapshot)};
  const std::vector<std::string> names = UniqueNames(data.table);
  CBOARD_RETURN_IF_ERROR(CheckNames(options, names));
  const std::set<std::string> wanted(options.models.begin(), options.models.end());
  ComparisonTable about;  // Whose variants the pair is chosen from.
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!wanted.empty() && !wanted.contains(names[i])) continue;
    const TableModel& model = data.table.models[i];
    if (!wanted.empty()) data.chosen.insert(model.model);
    about.models.push_back(model);
    const auto rows = std::span(data.table.rows).subspan(model.first_row, model.row_count);
    about.rows.insert(about.rows.end(), rows.begin(), rows.end());
  }
  const std::vector<std::string> variants = VariantsOf(about);
  data.a = options.baseline.empty() ? UsualBaseline(about) : options.baseline;
  data.b = options.variant.empty() ? UsualOther(variants, data.a) : options.variant;
  CBOARD_RETURN_IF_ERROR(CheckVariants(options, variants));

  std::set<std::string> keys;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!wanted.empty() && !wanted.contains(names[i])) continue;
    ReportModel model = ModelOf(data, i, names[i], *policy);
    if (model.a.empty() && model.b.empty()) continue;
    for (const Metrics* side : {&model.a, &model.b}) {
      for (const auto& [key, value] : *side) keys.insert(key);
    }
    data.models.push_back(std::move(model));
  }
  if (data.models.empty()) {
    return Fail(ErrorCode::kNotFound,
                variants.empty()
                    ? "nothing to report: no metric of a model and a variant was logged, such as "
                      "alexnet/metrics/accuracy/int8"
                    : "nothing to report: no model has values of " + Quoted(data.a) + " or " +
                          Quoted(data.b) + "; there are " + Listed(variants));
  }
  for (const MetricDescription& metric : data.table.metrics) {
    if (keys.contains(metric.key)) data.metrics.push_back(metric);
  }
  data.quality = QualityOf(data);
  // Models that lost nothing known come last in their group.
  std::ranges::stable_sort(data.models, [&](const ReportModel& p, const ReportModel& q) {
    if (p.fails() != q.fails()) return p.fails();
    constexpr double kNothing = -std::numeric_limits<double>::infinity();
    const double lost_p = LostBy(data, p).value_or(kNothing);
    const double lost_q = LostBy(data, q).value_or(kNothing);
    if (std::isnan(lost_p) || std::isnan(lost_q)) return !std::isnan(lost_p) && std::isnan(lost_q);
    return lost_p > lost_q;
  });
  if (options.contract) {
    data.contract = CheckContract(*options.contract, data.table, snapshot);
  }
  return data;
}

std::string PlainName(const MetricDescription& metric) {
  const std::string& name = metric.display_name;
  return name.ends_with(')') ? name.substr(0, name.rfind(" (")) : name;
}

std::string NameWithUnit(const MetricDescription& metric) {
  const std::string plain = PlainName(metric);
  if (IsShare(metric)) return plain + ", %";
  if (plain == metric.display_name) return plain;
  return plain + ", " +
         metric.display_name.substr(plain.size() + 2,
                                    metric.display_name.size() - plain.size() - 3);
}

}  // namespace cboard::analysis
