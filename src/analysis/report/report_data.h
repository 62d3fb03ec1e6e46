// The data of a report, computed once for all sections.
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
  std::set<std::string, std::less<>> chosen = {};  // Names of the selected models; empty for all.
  std::vector<ReportModel> models = {};  // Failing models first, then sorted by loss of quality.
  std::vector<compression::MetricDescription> metrics = {};  // Metrics that any of the models has.
  std::string quality = {};  // The quality metric that most models have; empty if there is none.
  std::vector<Headline> headlines = {};
  VerdictCounts verdicts = {};
  std::optional<Result<ContractResult>> contract = {};
};

Result<ReportData> CollectReport(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                 const ReportOptions& options);

// Returns the quality loss of a model, computed as in model_summary.h.
std::optional<double> LostBy(const ReportData& data, const ReportModel& model);

// Returns the name of a metric for a sentence: "Model size" for "Model size (MB)".
std::string PlainName(const compression::MetricDescription& metric);

// Returns the title of a metric for table heads and axes: "Model size, MB", "Accuracy, %".
std::string NameWithUnit(const compression::MetricDescription& metric);

}  // namespace cboard::analysis
