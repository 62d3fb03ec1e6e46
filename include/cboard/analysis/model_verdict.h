// One verdict per model and variant. It combines gates, layer damage and metrics that were not
// measured. All pages, the report and the command line show the same verdict.
//
//   const ModelVerdict verdict = VerdictOnModel(checks, damage);
//   verdict.state;  // kIncomplete
//   verdict.text;   // "passes 1 of 3 gates; ratio, speedup not measured"
//
// kPass means that every gate was measured and passes, and that no measured layer is damaged.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/analysis/gates.h"
#include "cboard/analysis/layer_ranking.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/analysis/policy.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

enum class VerdictState {
  kNotChecked,  // Nothing was measured.
  kIncomplete,  // All measured parts pass; some parts were not measured.
  kPass,
  kWatch,  // All gates pass; some layers are amber.
  kFail,
};

// The name of a verdict: "not_checked", "incomplete", "pass", "watch", "fail".
std::string_view NameOf(VerdictState state);

// Damage of a variant's layers.
struct LayerDamage {
  LevelCounts counts = {};
  std::string worst_layer = {};  // Worst red or amber layer; empty if there is none.
  // The reason why the damage of layers is unknown although layers were logged; otherwise empty.
  std::string not_measured = {};
  std::optional<OutputsVerdict> outputs = {};  // Verdict of a comparison of the model files.
};

LayerDamage DamageOf(const LayerRanking& ranking);

struct ModelVerdict {
  VerdictState state = VerdictState::kNotChecked;
  std::vector<std::string> fails = {};  // "drop 4.20 > 1 pp", "2 of 12 layers fail, …"
  // Names of parts that were not measured: "ratio", "speedup", "layers".
  std::vector<std::string> not_measured = {};
  std::size_t gate_count = 0;     // Gates with the same label count once: latency or throughput.
  std::size_t gates_checked = 0;  // Gates for which at least one metric was measured.
  std::string text = {};          // The whole verdict in one line.
};

ModelVerdict VerdictOnModel(std::span<const PolicyCheck> checks, const LayerDamage& layers);

// The verdict of a contract on one model and variant.
struct ContractVerdict {
  std::string model = {};
  std::string variant = {};
  ModelVerdict verdict = {};
  LayerDamage layers = {};
};

// Returns one verdict per model and variant that has results. Reads the histograms of all subjects.
std::vector<ContractVerdict> VerdictsOnContract(const Contract& contract,
                                                const ContractResult& result,
                                                std::span<const LayerSubject> subjects);

}  // namespace cboard::analysis
