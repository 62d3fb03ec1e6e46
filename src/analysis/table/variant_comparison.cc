#include "cboard/analysis/variant_comparison.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "cboard/base/check.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

std::optional<Delta> DeltaOf(const std::optional<Cell>& from, const std::optional<Cell>& to,
                             compression::Better better) {
  if (!from || !to || !std::isfinite(from->value) || !std::isfinite(to->value)) return std::nullopt;
  Delta delta{.difference = to->value - from->value};
  if (from->value != 0) delta.relative = delta.difference / std::abs(from->value);
  if (delta.difference == 0) {
    delta.verdict = Verdict::kSame;
  } else if (better != compression::Better::kUnknown) {
    delta.verdict = (delta.difference > 0) == (better == compression::Better::kHigher)
                        ? Verdict::kBetter
                        : Verdict::kWorse;
  }
  return delta;
}

class Comparer {
 public:
  Comparer(const ComparisonTable& table, std::size_t row, std::size_t baseline_row)
      : table_(table),
        row_index_(row),
        baseline_index_(baseline_row),
        row_(table.rows[row]),
        baseline_(table.rows[baseline_row]),
        from_(table.MetricsOf(baseline_row)),
        to_(table.MetricsOf(row)) {
    usual_baseline_ = table.models[row_.model_index].baseline == baseline_.variant;
  }

  // Returns the ratio that was logged for this pair of variants.
  const LoggedRatio* Logged(std::string_view name) const {
    const auto found = row_.ratios.find(name);
    if (found == row_.ratios.end()) return nullptr;
    const std::string& about = found->second.baseline;
    const bool same_pair = about.empty() ? usual_baseline_ : about == baseline_.variant;
    return same_pair ? &found->second : nullptr;
  }

  void FillRatios(VariantComparison& result) const {
    compression::Ratios computed =
        compression::ComputeRatios(from_, to_, baseline_.variant, row_.variant);
    for (const compression::RatioValue& ratio : computed.values) {
      const LoggedRatio* logged = Logged(ratio.name);
      result.ratios.push_back(
          {.name = std::string(ratio.name),
           .unit = std::string(ratio.unit),
           .display_name = std::string(ratio.display_name),
           .better = ratio.better,
           .value = logged != nullptr ? logged->cell.value : ratio.value,
           .computed = logged == nullptr,
           .derived = table_.IsDerived(ratio.metric, row_index_, baseline_index_),
           .source = logged != nullptr ? std::optional(logged->cell.source) : std::nullopt});
    }
    for (compression::Omission& omission : computed.omitted) {
      if (Logged(omission.what) == nullptr) result.omitted.push_back(std::move(omission));
    }
    FillRemainingLogged(result);
  }

  void FillAurora(const std::optional<compression::AuroraOptions>& given,
                  AuroraCell& aurora) const {
    const LoggedRatio* logged = given ? nullptr : Logged("aurora");
    if (logged != nullptr) {
      aurora = {.score = logged->cell.value,
                .coverage = logged->aurora.coverage,
                .formula = logged->aurora.formula,
                .weights = logged->aurora.weights,
                .measured_on = logged->aurora.measured_on,
                .source = logged->cell.source};
      if (const LoggedRatio* mean = Logged("aurora_mean")) aurora.mean = mean->cell.value;
      for (const std::string_view factor : compression::kAuroraFactorNames) {
        const LoggedRatio* part = Logged("aurora/" + std::string(factor));
        if (part != nullptr) aurora.factors.emplace_back(factor, part->cell.value);
      }
      return;
    }
    const compression::AuroraOptions options = given.value_or(compression::AuroraOptions{});
    const Result<compression::AuroraScore> made = compression::ComputeAurora(
        table_.MeasuredOf(baseline_index_), table_.MeasuredOf(row_index_), options);
    if (!made) {
      aurora.reason = made.error().message;
      return;
    }
    aurora = {.score = made->score,
              .mean = made->mean,
              .coverage = made->coverage,
              .formula = "v1",
              .measured_on = options.measured_on,
              .computed = true};
    for (const compression::AuroraFactor& factor : made->factors) {
      aurora.weights.emplace_back(factor.name, factor.weight);
      aurora.factors.emplace_back(factor.name, factor.factor);
    }
    aurora.factors.emplace_back("penalty", made->penalty_factor);
  }

 private:
  // Adds logged ratios that cannot be computed from the metrics.
  void FillRemainingLogged(VariantComparison& result) const {
    const std::size_t computed = result.ratios.size();
    for (const auto& [name, logged] : row_.ratios) {
      if (name.starts_with("aurora") || Logged(name) == nullptr) continue;
      const auto known = std::span(result.ratios).first(computed);
      if (std::ranges::find(known, name, &RatioCell::name) != known.end()) continue;
      result.ratios.push_back({.name = name,
                               .unit = logged.unit,
                               .display_name = name,
                               .better = logged.better,
                               .value = logged.cell.value,
                               .source = logged.cell.source});
    }
  }

  const ComparisonTable& table_;
  std::size_t row_index_;
  std::size_t baseline_index_;
  const TableRow& row_;
  const TableRow& baseline_;
  Metrics from_;
  Metrics to_;
  bool usual_baseline_ = false;
};

}  // namespace

VariantComparison CompareRows(const ComparisonTable& table, std::size_t row,
                              std::size_t baseline_row,
                              const std::optional<compression::AuroraOptions>& aurora) {
  CBOARD_CHECK(row < table.rows.size() && baseline_row < table.rows.size());
  VariantComparison result{.row = row, .baseline_row = baseline_row};
  result.deltas.reserve(table.metrics.size());
  for (std::size_t i = 0; i < table.metrics.size(); ++i) {
    result.deltas.push_back(DeltaOf(table.rows[baseline_row].cells[i], table.rows[row].cells[i],
                                    table.metrics[i].better));
  }
  if (row == baseline_row) {
    result.aurora.reason = "this is the baseline";
    return result;
  }
  const Comparer comparer(table, row, baseline_row);
  comparer.FillRatios(result);
  comparer.FillAurora(aurora, result.aurora);
  return result;
}

std::vector<VariantComparison> CompareAll(const ComparisonTable& table, std::string_view baseline) {
  std::vector<VariantComparison> comparisons;
  comparisons.reserve(table.rows.size());
  for (const TableModel& model : table.models) {
    std::size_t baseline_row = model.first_row;
    const std::size_t end = model.first_row + model.row_count;
    for (std::size_t row = model.first_row; row < end; ++row) {
      if (table.rows[row].variant == baseline) baseline_row = row;
    }
    for (std::size_t row = model.first_row; row < end; ++row) {
      comparisons.push_back(CompareRows(table, row, baseline_row));
    }
  }
  return comparisons;
}

}  // namespace cboard::analysis
