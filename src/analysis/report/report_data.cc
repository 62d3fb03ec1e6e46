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

Result<void> CheckNames(const ReportOptions& options, const std::vector<std::string>& names) {
  for (const std::string& wanted : options.models) {
    if (std::ranges::find(names, wanted) != names.end()) continue;
    return Fail(ErrorCode::kNotFound,
                "unknown model " + Quoted(wanted) + "; the log has " + Listed(names));
  }
  return {};
}

Result<void> CheckVariants(const ReportOptions& options, const std::vector<std::string>& variants) {
  for (const std::string& wanted : {options.baseline, options.variant}) {
    if (wanted.empty() || variants.empty()) continue;
    if (std::ranges::find(variants, wanted) != variants.end()) continue;
    return Fail(ErrorCode::kNotFound,
                "unknown variant " + Quoted(wanted) + "; the log has " + Listed(variants));
  }
  return {};
}

}  // namespace

std::optional<double> LostBy(const ReportData& data, const ReportModel& model) {
  return LostBy(data.quality, model);
}

Result<ReportData> CollectReport(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                 const ReportOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(const std::shared_ptr<const Policy> policy, ReadPolicy(options.policy));
  ReportData data{
      .options = options, .snapshot = snapshot, .policy = policy, .table = TableOf(*snapshot)};
  const std::vector<std::string> names = UniqueNames(data.table);
  CBOARD_RETURN_IF_ERROR(CheckNames(options, names));
  SummaryOptions wanted{.a = options.baseline, .b = options.variant, .policy = policy.get()};
  wanted.models.insert(options.models.begin(), options.models.end());
  std::vector<std::string> variants;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!wanted.models.empty() && !wanted.models.contains(names[i])) continue;
    const TableModel& model = data.table.models[i];
    if (!wanted.models.empty()) data.chosen.insert(model.model);
    for (std::size_t row = model.first_row; row < model.first_row + model.row_count; ++row) {
      const std::string& variant = data.table.rows[row].variant;
      if (std::ranges::find(variants, variant) == variants.end()) variants.push_back(variant);
    }
  }
  CBOARD_RETURN_IF_ERROR(CheckVariants(options, variants));
  Summary summary = Summarize(snapshot, data.table, wanted);
  data.a = std::move(summary.a);
  data.b = std::move(summary.b);
  data.models = std::move(summary.models);
  data.metrics = std::move(summary.metrics);
  data.quality = std::move(summary.quality);
  data.headlines = std::move(summary.headlines);
  data.verdicts = summary.verdicts;
  if (data.models.empty()) {
    return Fail(ErrorCode::kNotFound,
                variants.empty()
                    ? "nothing to report: no metric of a model and a variant was logged, such as "
                      "alexnet/metrics/accuracy/int8"
                    : "nothing to report: no model has values of " + Quoted(data.a) + " or " +
                          Quoted(data.b) + "; there are " + Listed(variants));
  }
  if (options.contract) {
    data.contract = CheckContract(*options.contract, data.table, snapshot);
  }
  return data;
}

std::string PlainName(const compression::MetricDescription& metric) {
  const std::string& name = metric.display_name;
  return name.ends_with(')') ? name.substr(0, name.rfind(" (")) : name;
}

std::string NameWithUnit(const compression::MetricDescription& metric) {
  const std::string plain = PlainName(metric);
  if (IsShare(metric)) return plain + ", %";
  if (plain == metric.display_name) return plain;
  return plain + ", " +
         metric.display_name.substr(plain.size() + 2,
                                    metric.display_name.size() - plain.size() - 3);
}

}  // namespace cboard::analysis
