// What a report is about, computed once for all its sections.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/policy.h"
#include "cboard/analysis/report.h"
#include "cboard/analysis/variant_comparison.h"

namespace cboard::analysis {

// One model: A and B, whichever of them was logged.
struct ReportModel {
  std::string name = {};
  std::string model = {};       // As layers name it.
  std::string experiment = {};  // That it is ranked in.
  std::optional<std::size_t> row_a = {};
  std::optional<std::size_t> row_b = {};
  Metrics a = {};
  Metrics b = {};
  std::set<std::string, std::less<>> derived = {};   // Keys of figures that nobody measured.
  std::optional<VariantComparison> comparison = {};  // When both are there.
  std::vector<PolicyCheck> checks = {};

  bool fails() const;
  bool is_judged() const;  // At least one gate had something to check.
};

struct ReportData {
  const ReportOptions& options;
  std::shared_ptr<const Snapshot> snapshot;
  ComparisonTable table = {};
  std::string a = {};
  std::string b = {};
  std::set<std::string, std::less<>> chosen = {};  // Models by their own names; empty: all.
  std::vector<ReportModel> models = {};            // Failing ones first, then by what they lost.
  std::vector<MetricDescription> metrics = {};     // Those that any of the models has.
  std::string quality = {};                        // The metric of most models; empty without any.
  std::optional<Result<ContractResult>> contract = {};
};

Result<ReportData> CollectReport(const std::shared_ptr<const Snapshot>& snapshot,
                                 const ReportOptions& options);

// How much quality a model lost: a fraction of one for accuracies, else in the metric's unit;
// positive is worse.
std::optional<double> LostBy(const ReportData& data, const ReportModel& model);

// Whether values are shares of one, to be shown in per cent.
bool IsShare(const MetricDescription& metric);

// "Model size" of "Model size (MB)": what a metric is called in a sentence.
std::string PlainName(const MetricDescription& metric);

// "Model size, MB" and "Accuracy, %": how heads and axes say a unit.
std::string NameWithUnit(const MetricDescription& metric);

}  // namespace cboard::analysis
