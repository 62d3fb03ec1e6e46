#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/gates/layer_gates.h"
#include "analysis/gates/limits.h"
#include "analysis/gates/name_pattern.h"
#include "cboard/base/strings.h"
#include "cboard/base/typing_errors.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

double Quantile(std::vector<double> values, double q) {
  std::ranges::sort(values);
  const double place = static_cast<double>(values.size() - 1) * q;
  const auto low = static_cast<std::size_t>(std::floor(place));
  const auto high = static_cast<std::size_t>(std::ceil(place));
  const double weight = place - static_cast<double>(low);
  return low == high ? values[low] : values[low] * (1 - weight) + values[high] * weight;
}

class RowChecker {
 public:
  RowChecker(const ComparisonTable& table, const SeriesReader& series)
      : table_(table), series_(series) {}

  GateResult Check(const Gate& gate, const VariantComparison& comparison) const {
    GateResult result;
    const std::optional<std::size_t> column = table_.FindMetric(MetricKeyOf(gate.metric));
    if (column) {
      result.value = ValueOf(table_.rows[comparison.row], *column, gate.aggregation);
      result.baseline_value =
          ValueOf(table_.rows[comparison.baseline_row], *column, gate.aggregation);
    } else {
      result.value = RatioOf(comparison, gate.metric);
    }
    Decide(gate, comparison, result);
    return result;
  }

 private:
  std::optional<double> ValueOf(const TableRow& row, std::size_t column,
                                Aggregation aggregation) const {
    const std::optional<Cell>& cell = row.cells[column];
    if (!cell) return std::nullopt;
    if (aggregation == Aggregation::kLast || !series_ || cell->source.tag.empty()) {
      return cell->value;
    }
    return Aggregate(series_(cell->source), aggregation);
  }

  static std::optional<double> RatioOf(const VariantComparison& comparison, std::string_view name) {
    if (name == "aurora") return comparison.aurora.score;
    if (name == "aurora_mean") return comparison.aurora.mean;
    const auto found = std::ranges::find(comparison.ratios, name, &RatioCell::name);
    return found == comparison.ratios.end() ? std::nullopt : std::optional(found->value);
  }

  // Lists the existing metrics for a misspelled one, the most similar name first.
  std::string InsteadOf(std::string_view metric, const VariantComparison& comparison) const {
    std::vector<std::string_view> names;
    const TableRow& row = table_.rows[comparison.row];
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i]) names.push_back(table_.metrics[i].key);
    }
    for (const RatioCell& ratio : comparison.ratios) names.push_back(ratio.name);
    if (comparison.aurora.score) names.push_back("aurora");
    // Longer names are truncated before they are compared.
    constexpr std::size_t kMaxNameBytes = 64;
    std::ranges::stable_sort(names, {}, [&](std::string_view name) {
      return TypingErrors(metric.substr(0, kMaxNameBytes), name.substr(0, kMaxNameBytes));
    });
    return names.empty() ? "" : "; there are " + FirstNames(names);
  }

  compression::Better DirectionOf(const Gate& gate) const {
    if (gate.direction != compression::Better::kUnknown) return gate.direction;
    const compression::Better known = compression::DescribeMetric(MetricKeyOf(gate.metric)).better;
    return known == compression::Better::kUnknown ? compression::Better::kHigher : known;
  }

  // Reports the first limit that is exceeded.
  void Decide(const Gate& gate, const VariantComparison& comparison, GateResult& result) const {
    const std::string& variant = table_.rows[comparison.row].variant;
    const std::string& baseline = table_.rows[comparison.baseline_row].variant;
    const auto end = [&](GateOutcome outcome, std::string explanation) {
      result.outcome = outcome;
      result.explanation = std::move(explanation);
    };
    const auto fail = [&](std::string explanation, double by, double limit) {
      result.beyond = InLimits(by, limit);
      end(GateOutcome::kFail, std::move(explanation));
    };
    if (!result.value) {
      return end(GateOutcome::kMissing, gate.metric + " of " + Quoted(variant) + " is not logged" +
                                            InsteadOf(gate.metric, comparison));
    }
    const double value = *result.value;
    const bool derived = table_.IsDerived(MetricKeyOf(gate.metric), comparison.row, comparison.row);
    const std::string said = gate.metric + " is " + verdict::ShortNumber(value, 6) +
                             (derived ? " (derived, not measured)" : "");
    if (std::isnan(value)) return fail(said, value, 1);
    if (gate.min && IsBelow(value, *gate.min)) {
      return fail(said + ", below the least, " + verdict::ShortNumber(*gate.min, 6),
                  *gate.min - value, *gate.min);
    }
    if (gate.max && IsAbove(value, *gate.max)) {
      return fail(said + ", above the most, " + verdict::ShortNumber(*gate.max, 6),
                  value - *gate.max, *gate.max);
    }
    if (!gate.max_degradation && !gate.max_degradation_pct) return end(GateOutcome::kPass, said);
    if (!result.baseline_value) {
      return end(GateOutcome::kMissing, gate.metric + " of the baseline " + Quoted(baseline) +
                                            " is not logged, so that nothing can be compared");
    }
    const double reference = *result.baseline_value;
    const double worse =
        DirectionOf(gate) == compression::Better::kLower ? value - reference : reference - value;
    const double worse_pct = reference != 0 ? worse / std::abs(reference) * 100
                                            : std::numeric_limits<double>::infinity();
    const std::string change =
        said + ", " + verdict::ShortNumber(reference, 6) + " in " + Quoted(baseline);
    if (gate.max_degradation && IsAbove(worse, *gate.max_degradation, reference)) {
      return fail(change + ": worse by " + verdict::ShortNumber(worse, 6) + ", at most " +
                      verdict::ShortNumber(*gate.max_degradation, 6),
                  worse - *gate.max_degradation, *gate.max_degradation);
    }
    if (gate.max_degradation_pct && IsAbove(worse_pct, *gate.max_degradation_pct, 100)) {
      return fail(change + ": worse by " + verdict::ShortNumber(worse_pct, 6) + " %, at most " +
                      verdict::ShortNumber(*gate.max_degradation_pct, 6) + " %",
                  worse_pct - *gate.max_degradation_pct, *gate.max_degradation_pct);
    }
    end(GateOutcome::kPass, change);
  }

  const ComparisonTable& table_;
  const SeriesReader& series_;
};

}  // namespace

std::optional<double> Aggregate(std::span<const double> values, Aggregation aggregation) {
  if (values.empty()) return std::nullopt;
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const auto quantile = [&](double q) { return Quantile({values.begin(), values.end()}, q); };
  switch (aggregation) {
    case Aggregation::kLast:
      return values.back();
    case Aggregation::kMin:
      return std::ranges::min(values);
    case Aggregation::kMax:
      return std::ranges::max(values);
    case Aggregation::kMean:
      return std::accumulate(values.begin(), values.end(), 0.0) /
             static_cast<double>(values.size());
    case Aggregation::kP50:
      return quantile(0.50);
    case Aggregation::kP90:
      return quantile(0.90);
    case Aggregation::kP95:
      return quantile(0.95);
    case Aggregation::kP99:
      return quantile(0.99);
  }
  return std::nullopt;
}

GateResult CheckRow(const Gate& gate, const ComparisonTable& table,
                    const VariantComparison& comparison, const SeriesReader& series) {
  return RowChecker(table, series).Check(gate, comparison);
}

}  // namespace cboard::analysis
