// Contracts: limits that a variant must keep to be shipped, checked against the logged values.
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
// The format is that of CEMI contracts, in YAML or JSON, extended by gates on layers. docs/check.md
// describes the grammar. A missing value fails its gate: a contract does not pass without data.
// Programs exit with 0 if all gates pass, 1 if a gate fails, and 2 if the input is wrong.
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

// Aggregates several values to one number. Quantiles are interpolated linearly between the closest
// ranks. Returns nullopt for an empty list, and NaN if a value is NaN.
std::optional<double> Aggregate(std::span<const double> values, Aggregation aggregation);

struct Gate {
  std::string id = "gate";
  std::string role = "custom";  // quality, performance, resource, cost, custom
  // The gate compares this metric with its limit: a logged metric or its alias, a ratio such as
  // "size_ratio", or the score "aurora". A gate on layers takes a logged layer metric, a metric
  // that is computed from histograms ("sqnr_at_most_db"), or "level", the level of damage.
  std::string metric = {};
  Aggregation aggregation = Aggregation::kLast;  // How all steps of the tag become one value.
  // Limits the gate to rows with this experiment, model or variant.
  std::map<std::string, std::string> tags = {};
  compression::Better direction =
      // The better direction of the metric. For kUnknown the vocabulary decides; unknown metrics
      // are better if higher.
      compression::Better::kUnknown;
  std::optional<double> min = {};
  std::optional<double> max = {};
  // Maximum degradation from the baseline: in the metric's unit, and in percent of the baseline's
  // value.
  std::optional<double> max_degradation = {};
  std::optional<double> max_degradation_pct = {};

  // Patterns of layer names; * matches any text and ? matches one character. Each pattern must
  // match a layer. If the list is empty, the gate checks the variant as a whole.
  std::vector<std::string> layers = {};
  std::vector<std::string> except = {};   // Patterns of layers that the gate skips.
  std::optional<Level> worst_level = {};  // The limit for the metric "level".

  int line = 0;  // Line of the gate in the contract's text; 0 if it is from no text.

  bool is_about_layers() const { return !layers.empty(); }
};

// A part of a contract that was ignored, for example a misspelled key.
struct ContractWarning {
  int line = 0;
  std::string text = {};  // Starts with line and column, like an error.
};

struct Contract {
  std::string baseline = {};  // Variant to compare with; empty: each model's default baseline.
  std::vector<Gate> gates = {};
  std::vector<ContractWarning> remarks = {};
};

// Parses a contract in YAML or JSON. Fails with kInvalidArgument, naming line, column and gate, if
// the text is not a valid contract. Unknown keys of a gate are ignored with a warning. Unknown keys
// outside the gates, such as CEMI's `cost`, are ignored silently.
Result<Contract> ParseContract(std::string_view text);

enum class GateOutcome { kPass, kFail, kMissing };

// The name of an outcome: "pass", "fail", "missing".
std::string_view NameOf(GateOutcome outcome);

// A layer that fails a gate.
struct FailingLayer {
  std::string layer = {};  // Name on the pages: "conv1", "conv1 weight".
  std::optional<double> value = {};
  Level level = Level::kGreen;
  std::string explanation = {};
};

struct GateResult {
  std::size_t gate = 0;    // Index in Contract::gates.
  std::string model = {};  // Unique model name. Empty if the gate matched no variant.
  std::string variant = {};
  GateOutcome outcome = GateOutcome::kPass;
  std::optional<double> value = {};  // For gates on layers: the value of the worst layer.
  std::optional<double> baseline_value = {};
  double beyond = 0;             // Distance from the limit of a failing gate, divided by the limit.
  std::string explanation = {};  // Explains the outcome with the values that decided it.
  std::size_t layers_checked = 0;
  std::vector<FailingLayer> broken = {};  // Worst layer first.
};

struct ContractResult {
  // The results of all gates. The results of gates on variants come first, sorted by row and gate.
  // The results of gates on layers follow, also sorted by row and gate.
  std::vector<GateResult> results = {};
  std::vector<ContractWarning> remarks = {};  // Patterns of `except` that match no layer.

  std::size_t failures() const;  // Number of results that are not kPass.
  bool passed() const { return failures() == 0; }
  int exit_code() const { return passed() ? 0 : 1; }
};

inline constexpr int kContractInputError = 2;  // The exit code when there is no ContractResult.

// Returns all values of a tag, for aggregations other than kLast.
using SeriesReader = std::function<std::vector<double>(const Source&)>;
SeriesReader SeriesOf(const reader::Snapshot& snapshot);  // Borrows it.

// A variant with logged layers.
struct LayerSubject {
  std::string name = {};   // Unique name of the model.
  std::string model = {};  // Model name in the log.
  std::string variant = {};
  std::string table_variant = {};  // Its name in the comparison table, if that differs.
  std::string baseline = {};       // The variant to compare with; may be empty.
  std::string run = {};
  // Ranks the layers of the variant. Takes long, because it reads histograms.
  std::function<LayerRanking()> rank = {};
};

// Returns all variants with logged layers except the baselines. A model's baseline is `baseline` if
// the model has that variant, otherwise its default baseline.
std::vector<LayerSubject> LayerSubjectsOf(const std::shared_ptr<const reader::Snapshot>& snapshot,
                                          const ComparisonTable& table, std::string_view baseline);

// Checks every variant except the baselines. A gate on layers is "missing" if the variant has no
// logged layers, and a gate on certain variants is "missing" if they do not exist. If one run has
// the benchmark of a model and another run the comparison of its files, each run supplies its own
// metrics. Fails with kNotFound if there is no variant to check, or if no model has the baseline
// that the contract names.
Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const SeriesReader& series = {},
                                     std::span<const LayerSubject> layers = {});

// Checks metrics and layers of a whole snapshot. `table` must be the table of that snapshot.
Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const std::shared_ptr<const reader::Snapshot>& snapshot);

}  // namespace cboard::analysis
