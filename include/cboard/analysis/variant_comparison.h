// One variant against another: differences, ratios and AURORA, for any choice of baseline.
//
//   const auto change = CompareRows(table, int8_row, fp32_row);
//   change.aurora.score;  // as logged, or computed when it was not
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/compression/aurora.h"

namespace cboard::analysis {

enum class Verdict { kUnknown, kBetter, kSame, kWorse };

// Change of a metric from the baseline to the variant. Both are nullopt unless both sides were
// logged and are finite.
struct Delta {
  double difference = 0;                // variant - baseline
  std::optional<double> relative = {};  // difference / |baseline|, unless that is 0.
  Verdict verdict = Verdict::kUnknown;  // By the metric's direction.
};

struct RatioCell {
  std::string name = {};
  std::string unit = {};
  std::string display_name = {};
  compression::Better better = compression::Better::kUnknown;
  double value = 0;
  bool computed = false;              // From the metrics, because the log has none for this pair.
  bool derived = false;               // The metric was computed, not measured.
  std::optional<Source> source = {};  // Source of a logged metric.
};

struct AuroraCell {
  std::optional<double> score = {};
  std::optional<double> mean = {};  // aurora_mean, the plain mean of the ratios.
  std::optional<double> coverage = {};
  std::string formula = {};  // v1; empty when a foreign log does not say.
  std::vector<std::pair<std::string, double>> weights = {};  // By factor; they add up to coverage.
  std::vector<std::pair<std::string, double>> factors = {};  // Their product is the score.
  std::string measured_on = {};  // Scores of different hardware are not comparable.
  bool computed = false;
  std::optional<Source> source = {};
  std::string reason = {};  // Why there is no score; empty when there is one.
};

struct VariantComparison {
  std::size_t row = 0;
  std::size_t baseline_row = 0;
  std::vector<std::optional<Delta>> deltas = {};  // One per ComparisonTable::metrics.
  std::vector<RatioCell> ratios = {};
  std::vector<compression::Omission> omitted = {};  // Ratios that could not be computed, and why.
  AuroraCell aurora = {};
};

// Both rows must be in `table`. A logged ratio counts when it is about the same baseline, or does
// not say which and `baseline_row` is the model's own; all others are computed where the metrics
// allow it. Logged AURORA wins over computed AURORA likewise.
VariantComparison CompareRows(const ComparisonTable& table, std::size_t row,
                              std::size_t baseline_row,
                              const compression::AuroraOptions& aurora = {});

// Every row against the baseline of its model, or against variant `baseline` where a model has it;
// one entry per row, a baseline compared with itself.
std::vector<VariantComparison> CompareAll(const ComparisonTable& table,
                                          std::string_view baseline = {},
                                          const compression::AuroraOptions& aurora = {});

}  // namespace cboard::analysis
