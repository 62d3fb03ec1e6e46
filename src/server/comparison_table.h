// Every model, every variant, every metric: what the Overview shows.
//
// Rows are variants of models, the baseline of a model first; columns are metrics, ratios and
// AURORA. A value that nobody logged is std::nullopt, which is something else than a logged NaN.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/compression/metrics.h"
#include "server/run_log.h"

namespace cboard {

struct ComparisonRow {
  std::string run = {};
  std::string model = {};
  std::string variant = {};
  std::string baseline = {};  // The variant that this one is compared with; itself for baselines.
};

struct ComparisonColumn {
  std::string key = {};           // accuracy, size_ratio, …
  std::string tag = {};           // Its part of the tag: metrics/accuracy, compression/size_ratio.
  std::string display_name = {};  // Accuracy
  std::string unit = {};
  Better better = Better::kUnknown;
  std::vector<std::optional<double>> values = {};  // One per row.
  std::vector<bool> computed = {};  // Ratios: from the metrics, because the tag was not logged.
};

struct AuroraColumn {
  std::vector<std::optional<double>> scores = {};
  std::vector<std::optional<double>> coverages = {};  // The share of the weights that had metrics.
  std::vector<bool> computed = {};
  std::vector<std::string> reasons = {};  // Why there is no score; empty when there is one.
};

struct ComparisonTable {
  std::vector<ComparisonRow> rows = {};
  std::vector<ComparisonColumn> metrics = {};  // In the order of the vocabulary.
  std::vector<ComparisonColumn> ratios = {};
  AuroraColumn aurora = {};
};

// Models are told apart by run and name. A logged ratio is taken as it is, a missing one computed
// where the metrics allow it.
ComparisonTable BuildComparison(const std::vector<std::shared_ptr<const RunLog>>& runs);

std::string ToJson(const ComparisonTable& table);

}  // namespace cboard
