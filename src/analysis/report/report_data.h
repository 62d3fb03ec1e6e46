// Data of a report, computed once for all its sections.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/model_summary.h"
#include "cboard/analysis/report.h"

namespace cboard::analysis {

using ReportModel = ModelSummary;

struct ReportData {
  const ReportOptions& options;
  std::shared_ptr<const reader::Snapshot> snapshot;
  std::shared_ptr<const Policy> policy = {};
  ComparisonTable table = {};
  std::string a = {};
  std::string b = {};
  std::set<std::string, std::less<>> chosen = {};  // Models by their own names; empty: all.
  std::vector<ReportModel> models = {};            // Failing ones first, then by what they lost.
  std::vector<compression::MetricDescription> metrics = {};  // Those that any of the models has.
  std::string quality = {};  // The metric of most models; empty without any.
  std::vector<Headline> headlines = {};
  VerdictCounts verdicts = {};
  std::optional<Result<ContractResult>> contract = {};
};

Result<ReportData> CollectReport(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                 const ReportOptions& options);

// How much quality a model lost, as model_summary.h has it.
std::optional<double> LostBy(const ReportData& data, const ReportModel& model);

// "Model size" of "Model size (MB)": what a metric is called in a sentence.
std::string PlainName(const compression::MetricDescription& metric);

// "Model size, MB" and "Accuracy, %": how heads and axes say a unit.
std::string NameWithUnit(const compression::MetricDescription& metric);

}  // namespace cboard::analysis
