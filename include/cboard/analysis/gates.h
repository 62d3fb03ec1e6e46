// Contracts: limits that a variant must keep to be shipped, checked against what was logged.
//
//   baseline: {run_id: fp32}
//   gates:
//     - id: quality
//       metric: {name: accuracy}
//       absolute: {min: 0.7}
//       relative_degradation: {max_pct: 1}
//     - id: convolutions
//       layers: conv*
//       metric: local_sqnr_db
//       min: 20
//
// The format is CEMI's, whose contracts are read as they are, in YAML or JSON; gates on layers are
// ours. docs/check.md is the grammar. A missing value fails its gate: a contract does not pass
// without data. Programs exit with 0 when all pass, 1 when a gate fails, 2 when the input is wrong.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/layer_ranking.h"
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
  // A metric by any of its names, a ratio (size_ratio) or aurora; of layers, a figure that was
  // logged for them, one that histograms give (sqnr_at_most_db), or "level".
  std::string metric = {};
  Aggregation aggregation = Aggregation::kLast;  // Over all steps of the tag.
  std::map<std::string, std::string> tags = {};  // Only rows with this experiment, model, variant.
  compression::Better direction =
      compression::Better::kUnknown;  // Unknown: as the vocabulary has it, else higher.
  std::optional<double> min = {};
  std::optional<double> max = {};
  // How much worse than the baseline it may be: in the metric's unit, and in percent of the
  // baseline's value.
  std::optional<double> max_degradation = {};
  std::optional<double> max_degradation_pct = {};

  // Patterns of names, in which * is any text and ? any character. Each must find a layer. Empty:
  // the gate is about the variant as a whole.
  std::vector<std::string> layers = {};
  std::vector<std::string> except = {};   // Layers that are left out.
  std::optional<Level> worst_level = {};  // For the metric "level".

  int line = 0;  // Where it begins in the text of its contract; 0 when it is from none.

  bool is_about_layers() const { return !layers.empty(); }
};

// A part of a contract that was ignored, for example a misspelled key.
struct ContractWarning {
  int line = 0;
  std::string text = {};  // With the place, as errors have it.
};

struct Contract {
  std::string baseline = {};  // The variant; empty: each model's own.
  std::vector<Gate> gates = {};
  std::vector<ContractWarning> remarks = {};
};

// From YAML or JSON. Fails with kInvalidArgument, naming line, column and gate, when the text is
// not such a contract. Members of a gate that it does not know are ignored with a remark, members
// beside the gates, such as CEMI's `cost`, without.
Result<Contract> ParseContract(std::string_view text);

enum class GateOutcome { kPass, kFail, kMissing };

// "pass", "fail", "missing".
std::string_view NameOf(GateOutcome outcome);

// A layer that breaks a gate.
struct FailingLayer {
  std::string layer = {};  // As pages name it: "conv1", "conv1 weight".
  std::optional<double> value = {};
  Level level = Level::kGreen;
  std::string explanation = {};
};

struct GateResult {
  std::size_t gate = 0;    // In Contract::gates.
  std::string model = {};  // A name that no other model has. Empty where the gate met nothing.
  std::string variant = {};
  GateOutcome outcome = GateOutcome::kPass;
  std::optional<double> value = {};  // With layers: the value of the worst layer.
  std::optional<double> baseline_value = {};
  double beyond = 0;             // Distance from the limit of a failing gate, divided by the limit.
  std::string explanation = {};  // With the numbers it rests on.
  std::size_t layers_checked = 0;
  std::vector<FailingLayer> broken = {};  // The worst first.
};

struct ContractResult {
  std::vector<GateResult> results = {};       // By row and gate, then what layers say, likewise.
  std::vector<ContractWarning> remarks = {};  // Patterns of `except` that leave out no layer.

  std::size_t failures() const;  // Whatever did not pass.
  bool passed() const { return failures() == 0; }
  int exit_code() const { return passed() ? 0 : 1; }
};

inline constexpr int kContractInputError = 2;  // The exit code when there is no ContractResult.

// Gives all values of a tag, for aggregations other than the last.
using SeriesReader = std::function<std::vector<double>(const Source&)>;
SeriesReader SeriesOf(const reader::Snapshot& snapshot);  // Borrows it.

// A variant whose layers were logged.
struct LayerSubject {
  std::string name = {};   // Unique name of the model.
  std::string model = {};  // As the log has it.
  std::string variant = {};
  std::string table_variant = {};  // Its name in the comparison table, if that differs.
  std::string baseline = {};       // The variant to compare with; may be empty.
  std::string run = {};
  std::function<LayerRanking()> rank = {};  // Reads histograms, so it is called only if need be.
};

// All but the baselines: `baseline` where a model has it, else the model's own.
std::vector<LayerSubject> LayerSubjectsOf(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                          const ComparisonTable& table, std::string_view baseline);

// Checks every variant except the baselines. Where a gate is about
// layers of a variant and none were logged, or about variants that are not there, it is missing.
// If one run has the benchmark of a model and another one the comparison of its files, each gives
// the metrics that it has. Fails with kNotFound when there is no variant to check at all, and when
// no model has the baseline that the contract names.
Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const SeriesReader& series = {},
                                     std::span<const LayerSubject> layers = {});

// The same with all that a log has. `table` is that of the snapshot.
Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const std::shared_ptr<const reader::Snapshot>& snapshot);

}  // namespace cboard::analysis
