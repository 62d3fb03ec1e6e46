// Contracts: limits that a variant must keep to be shipped, checked against the comparison table.
//
//   {"baseline": {"run_id": "fp32"},
//    "gates": [{"id": "quality", "role": "quality",
//               "metric": {"name": "accuracy", "source": "summary_metrics"},
//               "direction": "higher_is_better",
//               "absolute": {"min": 0.7}, "relative_degradation": {"max_pct": 1.0}}]}
//
// The format is CEMI's, whose contracts are read as they are. A metric that is missing fails its
// gate. Programs exit with 0 when all pass, 1 when a gate fails, 2 when the input is wrong.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

enum class Aggregation { kLast, kMin, kMax, kMean, kP50, kP90, kP95, kP99 };

// One number for many; quantiles by linear interpolation between the closest ranks. Nothing for no
// values, NaN if one of them is.
std::optional<double> Aggregate(std::span<const double> values, Aggregation aggregation);

struct Gate {
  std::string id = "gate";
  std::string role = "custom";  // quality, performance, resource, cost, custom
  std::string metric = {};      // A metric by any of its names, a ratio (size_ratio) or aurora.
  Aggregation aggregation = Aggregation::kLast;  // Over all steps of the tag.
  std::map<std::string, std::string> tags = {};  // Only rows with this experiment, model, variant.
  Better direction = Better::kUnknown;           // Unknown: as the vocabulary has it, else higher.
  std::optional<double> min = {};
  std::optional<double> max = {};
  // How much worse than the baseline it may be: in the metric's unit, and in percent of the
  // baseline's value.
  std::optional<double> max_degradation = {};
  std::optional<double> max_degradation_pct = {};
};

struct Contract {
  std::string baseline = {};  // The variant; empty: each model's own.
  std::vector<Gate> gates = {};
};

// Fails with kInvalidArgument, naming the gate and the member that is wrong, when the text is not
// such a contract. Members that it does not know are ignored; so is `cost`.
Result<Contract> ParseContract(std::string_view json);

enum class GateOutcome { kPass, kFail, kMissing };

// "pass", "fail", "missing".
std::string_view NameOf(GateOutcome outcome);

struct GateResult {
  std::size_t gate = 0;  // In Contract::gates.
  std::size_t row = 0;   // In ComparisonTable::rows.
  GateOutcome outcome = GateOutcome::kPass;
  std::optional<double> value = {};
  std::optional<double> baseline_value = {};
  std::string explanation = {};  // With the numbers it rests on.
};

struct ContractResult {
  std::vector<GateResult> results = {};  // By row, then gate.

  bool passed() const;
  int exit_code() const { return passed() ? 0 : 1; }
};

inline constexpr int kContractInputError = 2;  // The exit code when there is no ContractResult.

// Gives all values of a tag, for aggregations other than the last.
using SeriesReader = std::function<std::vector<double>(const Source&)>;
SeriesReader SeriesOf(const Snapshot& snapshot);  // Borrows it.

// Checks every variant but the baselines, which are not what is shipped. Fails with kNotFound when
// there is no variant to check, so that a contract never passes for want of data, and when no model
// has the baseline that the contract names.
Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const SeriesReader& series = {});

}  // namespace cboard::analysis
