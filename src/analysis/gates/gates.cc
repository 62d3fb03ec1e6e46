#include "cboard/analysis/gates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "analysis/number_text.h"
#include "cboard/analysis/variant_comparison.h"
#include "cboard/base/strings.h"

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

bool Matches(const Gate& gate, const TableRow& row) {
  return std::ranges::all_of(gate.tags, [&](const auto& tag) {
    const auto& [key, value] = tag;
    if (key == "model") return row.model == value;
    if (key == "variant") return row.variant == value;
    return key == "experiment" && row.experiment == value;
  });
}

class Checker {
 public:
  Checker(const ComparisonTable& table, const SeriesReader& series)
      : table_(table), series_(series) {}

  GateResult Check(const Gate& gate, const VariantComparison& comparison) const {
    GateResult result{.row = comparison.row};
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

  Better DirectionOf(const Gate& gate) const {
    if (gate.direction != Better::kUnknown) return gate.direction;
    const Better known = DescribeMetric(MetricKeyOf(gate.metric)).better;
    return known == Better::kUnknown ? Better::kHigher : known;
  }

  // The first limit that is broken decides.
  void Decide(const Gate& gate, const VariantComparison& comparison, GateResult& result) const {
    const std::string& variant = table_.rows[comparison.row].variant;
    const std::string& baseline = table_.rows[comparison.baseline_row].variant;
    const auto end = [&](GateOutcome outcome, std::string explanation) {
      result.outcome = outcome;
      result.explanation = std::move(explanation);
    };
    if (!result.value) {
      return end(GateOutcome::kMissing, gate.metric + " of " + Quoted(variant) + " is not logged");
    }
    const double value = *result.value;
    const std::string said = gate.metric + " is " + ShortNumber(value, 6);
    if (std::isnan(value)) return end(GateOutcome::kFail, said);
    if (gate.min && value < *gate.min) {
      return end(GateOutcome::kFail, said + ", below the least, " + ShortNumber(*gate.min, 6));
    }
    if (gate.max && value > *gate.max) {
      return end(GateOutcome::kFail, said + ", above the most, " + ShortNumber(*gate.max, 6));
    }
    if (!gate.max_degradation && !gate.max_degradation_pct) return end(GateOutcome::kPass, said);
    if (!result.baseline_value) {
      return end(GateOutcome::kMissing, gate.metric + " of the baseline " + Quoted(baseline) +
                                            " is not logged, so that nothing can be compared");
    }
    const double reference = *result.baseline_value;
    const double worse =
        DirectionOf(gate) == Better::kLower ? value - reference : reference - value;
    const double worse_pct =
        reference != 0 ? worse / reference * 100 : std::numeric_limits<double>::infinity();
    const std::string change = said + ", " + ShortNumber(reference, 6) + " in " + Quoted(baseline);
    if (gate.max_degradation && !(worse <= *gate.max_degradation)) {
      return end(GateOutcome::kFail, change + ": worse by " + ShortNumber(worse, 6) + ", at most " +
                                         ShortNumber(*gate.max_degradation, 6));
    }
    if (gate.max_degradation_pct && !(worse_pct <= *gate.max_degradation_pct)) {
      return end(GateOutcome::kFail, change + ": worse by " + ShortNumber(worse_pct, 6) +
                                         " %, at most " +
                                         ShortNumber(*gate.max_degradation_pct, 6) + " %");
    }
    end(GateOutcome::kPass, change);
  }

  const ComparisonTable& table_;
  const SeriesReader& series_;
};

}  // namespace

std::string_view NameOf(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kPass:
      return "pass";
    case GateOutcome::kFail:
      return "fail";
    case GateOutcome::kMissing:
      break;
  }
  return "missing";
}

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

bool ContractResult::passed() const {
  return std::ranges::all_of(
      results, [](const GateResult& result) { return result.outcome == GateOutcome::kPass; });
}

SeriesReader SeriesOf(const Snapshot& snapshot) {
  return [&snapshot](const Source& source) {
    std::vector<double> values;
    const Tag* tag = snapshot.FindTag(source.run, source.tag);
    if (tag == nullptr) return values;
    values.reserve(tag->scalars.size());
    tag->scalars.ForEachBlock([&](const ScalarBlock& block) {
      values.insert(values.end(), block.values.begin(), block.values.end());
    });
    return values;
  };
}

Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const SeriesReader& series) {
  const bool has_baseline =
      contract.baseline.empty() || std::ranges::any_of(table.rows, [&](const TableRow& row) {
        return row.variant == contract.baseline;
      });
  if (!has_baseline) {
    return Fail(ErrorCode::kNotFound, "no model has the variant " + Quoted(contract.baseline) +
                                          ", which the contract names as its baseline");
  }
  const Checker checker(table, series);
  ContractResult result;
  for (const VariantComparison& comparison : CompareAll(table, contract.baseline)) {
    if (comparison.row == comparison.baseline_row) continue;
    for (std::size_t i = 0; i < contract.gates.size(); ++i) {
      if (!Matches(contract.gates[i], table.rows[comparison.row])) continue;
      result.results.push_back(checker.Check(contract.gates[i], comparison));
      result.results.back().gate = i;
    }
  }
  if (result.results.empty() && !contract.gates.empty()) {
    return Fail(ErrorCode::kNotFound,
                "the log has no variant besides baselines that the contract's gates apply to");
  }
  return result;
}

}  // namespace cboard::analysis
