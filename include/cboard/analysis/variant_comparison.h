// Compares one variant with another: differences, ratios and AURORA, for any choice of baseline.
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

// Change of a metric from the baseline to the variant. It exists only if both have a finite value.
struct Delta {
  double difference = 0;                // variant - baseline
  std::optional<double> relative = {};  // difference / |baseline|; nullopt if the baseline is 0.
  Verdict verdict = Verdict::kUnknown;  // By the metric's direction.
};

struct RatioCell {
  std::string name = {};
  std::string unit = {};
  std::string display_name = {};
  compression::Better better = compression::Better::kUnknown;
  double value = 0;
  // True if the log has no ratio for this pair, so that the ratio was computed from metrics.
  bool computed = false;
  bool derived = false;               // True if the metric was computed, not measured.
  std::optional<Source> source = {};  // Source of a logged metric.
};

struct AuroraCell {
  std::optional<double> score = {};
  std::optional<double> mean = {};  // aurora_mean, the plain mean of the ratios.
  std::optional<double> coverage = {};
  std::string formula = {};  // v1; empty if another program logged the score without a formula.
  // Weights of the score by factor; their sum is the coverage.
  std::vector<std::pair<std::string, double>> weights = {};
  // Factors of the score; the score is their product.
  std::vector<std::pair<std::string, double>> factors = {};
  std::string measured_on = {};  // Scores of different hardware are not comparable.
  bool computed = false;
  std::optional<Source> source = {};
  std::string reason = {};  // Why there is no score; empty if there is one.
};

struct VariantComparison {
  std::size_t row = 0;
  std::size_t baseline_row = 0;
  std::vector<std::optional<Delta>> deltas = {};  // One per ComparisonTable::metrics.
  std::vector<RatioCell> ratios = {};
  // Ratios that could not be computed, with the reason.
  std::vector<compression::Omission> omitted = {};
  AuroraCell aurora = {};
};

// Compares two rows of `table`. A logged ratio is used if it has the same baseline, or if it names
// no baseline and `baseline_row` is the model's default baseline. Other ratios are computed if the
// metrics are known. The same rule decides if a logged AURORA score is used instead of a computed
// score. But if `aurora` gives weights for the score, the score is computed.
VariantComparison CompareRows(const ComparisonTable& table, std::size_t row,
                              std::size_t baseline_row,
                              const std::optional<compression::AuroraOptions>& aurora = {});

// Compares every row with the baseline of its model, or with variant `baseline` if the model has
// it. Returns one entry per row; a baseline is compared with itself.
std::vector<VariantComparison> CompareAll(const ComparisonTable& table,
                                          std::string_view baseline = {});

}  // namespace cboard::analysis
