// Applies each gate to its variants and layers, and combines the outcomes.
#include "cboard/analysis/gates.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/gates/benchmark_and_comparison_rows.h"
#include "analysis/gates/layer_gates.h"
#include "analysis/gates/name_pattern.h"
#include "analysis/runs/run_path.h"
#include "cboard/analysis/snapshot_table.h"
#include "cboard/analysis/variant_comparison.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// Returns true if an experiment logged the row. A model that several experiments logged belongs to
// each of them.
bool IsIn(std::string_view experiment, const TableRow& row) {
  return row.experiment == experiment ||
         std::ranges::any_of(row.cells, [&](const std::optional<Cell>& cell) {
           return cell && WithoutDot(cell->source.run) == experiment;
         });
}

// Returns true if the row has all tags of the gate.
bool Matches(const Gate& gate, const TableRow& row) {
  return std::ranges::all_of(gate.tags, [&](const auto& tag) {
    const auto& [key, value] = tag;
    if (key == "model") return row.model == value;
    if (key == "variant") return row.variant == value;
    return key == "experiment" && IsIn(value, row);
  });
}

// Returns true if the layers have all tags of the gate. A log of layers belongs to an experiment if
// its run is inside the experiment or equal to it.
bool Matches(const Gate& gate, const LayerSubject& subject) {
  return std::ranges::all_of(gate.tags, [&](const auto& tag) {
    const auto& [key, value] = tag;
    if (key == "model") return subject.model == value;
    if (key == "variant") return subject.variant == value;
    const std::string_view run = WithoutDot(subject.run);
    return key == "experiment" && (run == value || ParentOf(run) == value);
  });
}

// Excludes the layers that a gate's `except` matches. A pattern that matches no layer is probably
// misspelled. Such a pattern is not an error, because a contract may cover several models, and some
// of them may not have these layers.
class Exceptions {
 public:
  void Look(const Gate& gate, const LayerRanking& ranking) {
    found_.resize(gate.except.size());
    for (std::size_t i = 0; i < found_.size(); ++i) {
      found_[i] = found_[i] || std::ranges::any_of(ranking.layers, [&](const RankedLayer& layer) {
                    return MatchesLayer(gate.except[i], layer);
                  });
    }
    if (gate.except.empty()) return;
    for (const RankedLayer& layer : ranking.layers) layers_.insert(layer.baseline.layer);
  }

  void AppendWarning(const Gate& gate, std::vector<ContractWarning>& remarks) const {
    std::vector<std::string_view> unused;
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (!found_[i]) unused.push_back(gate.except[i]);
    }
    if (unused.empty() || layers_.empty()) return;
    remarks.push_back({gate.line, "gate " + Quoted(gate.id) + ": 'except' leaves out no layer by " +
                                      FirstNames(unused) + "; there are " + FirstNames(layers_)});
  }

 private:
  std::vector<bool> found_;  // Per pattern; empty before the first layer.
  std::set<std::string> layers_;
};

class ContractChecker {
 public:
  ContractChecker(const Contract& contract, const ComparisonTable& table)
      : contract_(contract),
        table_(table),
        has_result_(contract.gates.size()),
        exceptions_(contract.gates.size()) {}

  // Checks gates on variants. A gate on layers is checked here only if a variant has no layers.
  void CheckTable(const SeriesReader& series, std::span<const LayerSubject> layers) {
    std::set<std::pair<std::string, std::string_view>> with_layers;
    for (const LayerSubject& subject : layers) {
      with_layers.emplace(ModelKeyOf(subject.model), subject.variant);
      with_layers.emplace(ModelKeyOf(subject.model), subject.table_variant);
    }
    struct OfRow {
      std::size_t row;
      GateResult result;
    };
    std::vector<OfRow> results;
    RowsOfModel halves(table_, layers);
    for (const VariantComparison& comparison : CompareAll(table_, contract_.baseline)) {
      if (comparison.row == comparison.baseline_row) continue;
      has_variants_ = true;
      const TableRow& row = table_.rows[comparison.row];
      const bool has_layers = with_layers.contains({ModelKeyOf(row.model), row.variant});
      for (std::size_t i = 0; i < contract_.gates.size(); ++i) {
        const Gate& gate = contract_.gates[i];
        if (!Matches(gate, row) || (gate.is_about_layers() && has_layers)) continue;
        GateResult result = gate.is_about_layers() ? NoLayersOf(row.variant, gate)
                                                   : CheckRow(gate, table_, comparison, series);
        result.gate = i;
        if (result.value) halves.AddValue(comparison.row, i);
        results.push_back({comparison.row, std::move(result)});
      }
    }
    const std::vector<std::string> names = UniqueNames(table_);
    for (auto& [place, result] : results) {
      if (!result.value && halves.OtherRowHasValue(place, result.gate)) continue;
      const TableRow& row = table_.rows[place];
      Add(result.gate, std::move(result), names[row.model_index], row.variant);
    }
  }

  void CheckLayersOf(const LayerSubject& subject) {
    has_variants_ = true;
    std::optional<LayerRanking> ranking;
    for (std::size_t i = 0; i < contract_.gates.size(); ++i) {
      const Gate& gate = contract_.gates[i];
      if (!gate.is_about_layers() || !Matches(gate, subject)) continue;
      if (!ranking) ranking = subject.rank();
      Add(i, CheckLayers(gate, *ranking), subject.name, subject.variant);
      exceptions_[i].Look(gate, *ranking);
    }
  }

  Result<ContractResult> Finish() {
    if (!has_variants_) {
      return Fail(ErrorCode::kNotFound,
                  "the logs contain only baselines, so there is nothing to check; log a compressed "
                  "variant too, or name another 'baseline'");
    }
    for (std::size_t i = 0; i < contract_.gates.size(); ++i) {
      if (!has_result_[i]) Add(i, MissingDataMessage(contract_.gates[i]), {}, {});
      exceptions_[i].AppendWarning(contract_.gates[i], result_.remarks);
    }
    return std::move(result_);
  }

 private:
  void Add(std::size_t gate, GateResult result, std::string model, std::string variant) {
    has_result_[gate] = true;
    result.gate = gate;
    result.model = std::move(model);
    result.variant = std::move(variant);
    result_.results.push_back(std::move(result));
  }

  static GateResult NoLayersOf(const std::string& variant, const Gate& gate) {
    return {.outcome = GateOutcome::kMissing,
            .explanation = "no layers of " + Quoted(variant) +
                           " were logged; 'compression-board compare --logdir' logs them" +
                           (gate.tags.empty() ? ", or give the gate the 'tags' of the models it is "
                                                "about"
                                              : "")};
  }

  static GateResult MissingDataMessage(const Gate& gate) {
    std::string tags;
    for (const auto& [key, value] : gate.tags) {
      tags += (tags.empty() ? "" : ", ") + key + " " + Quoted(value);
    }
    std::string_view missing =
        "no metric of a variant was logged, such as net/metrics/accuracy/int8";
    if (gate.is_about_layers()) {
      missing = "no layers were logged; 'compression-board compare --logdir' logs them";
    }
    return {.outcome = GateOutcome::kMissing,
            .explanation = tags.empty() ? std::string(missing) : "nothing in the log has " + tags};
  }

  const Contract& contract_;
  const ComparisonTable& table_;
  std::vector<bool> has_result_;        // Per gate: true if it has a result.
  std::vector<Exceptions> exceptions_;  // By gate.
  bool has_variants_ = false;
  ContractResult result_;
};

bool HasBaseline(const Contract& contract, const ComparisonTable& table,
                 std::span<const LayerSubject> layers) {
  return contract.baseline.empty() ||
         std::ranges::find(table.rows, contract.baseline, &TableRow::variant) != table.rows.end() ||
         std::ranges::find(layers, contract.baseline, &LayerSubject::baseline) != layers.end();
}

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

std::size_t ContractResult::failures() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      results, [](const GateResult& result) { return result.outcome != GateOutcome::kPass; }));
}

SeriesReader SeriesOf(const reader::Snapshot& snapshot) {
  return [&snapshot](const Source& source) {
    std::vector<double> values;
    const reader::Tag* tag = snapshot.FindTag(source.run, source.tag);
    if (tag == nullptr) return values;
    values.reserve(tag->scalars.size());
    tag->scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
      values.insert(values.end(), block.values.begin(), block.values.end());
    });
    return values;
  };
}

Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const SeriesReader& series,
                                     std::span<const LayerSubject> layers) {
  if (!HasBaseline(contract, table, layers)) {
    return Fail(
        ErrorCode::kNotFound,
        "no model in the logs has the variant " + Quoted(contract.baseline) +
            ", which the contract names as its baseline; correct 'baseline' or log this variant");
  }
  ContractChecker checker(contract, table);
  checker.CheckTable(series, layers);
  for (const LayerSubject& subject : layers) checker.CheckLayersOf(subject);
  return checker.Finish();
}

Result<ContractResult> CheckContract(const Contract& contract, const ComparisonTable& table,
                                     const std::shared_ptr<const reader::Snapshot>& snapshot) {
  return CheckContract(contract, table, SeriesOf(*snapshot),
                       LayerSubjectsOf(snapshot, table, contract.baseline));
}

}  // namespace cboard::analysis
