// One verdict per model and variant. It joins the gates, the damage of layers and the figures that
// are missing, and is the same on every page, in the report and in the output of programs.
//
//   const ModelVerdict verdict = VerdictOnModel(checks, damage);
//   verdict.state;  // kIncomplete
//   verdict.text;   // "passes 1 of 3 gates; ratio, speedup not measured"
//
// Only kPass is good news: every gate was measured and passes, and no measured layer is damaged.
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
  kWatch,  // All gates pass; some layers are to be watched.
  kFail,
};

// "not_checked", "incomplete", "pass", "watch", "fail".
std::string_view NameOf(VerdictState state);

// Damage of a variant's layers.
struct LayerDamage {
  LevelCounts counts = {};
  std::string worst_layer = {};   // Worst red or amber layer; empty if there is none.
  std::string not_measured = {};  // Why nothing is known although layers were logged; else empty.
  std::optional<OutputsVerdict> outputs = {};  // By a comparison of the model files.
};

LayerDamage DamageOf(const LayerRanking& ranking);

struct ModelVerdict {
  VerdictState state = VerdictState::kNotChecked;
  std::vector<std::string> fails = {};  // "drop 4.20 > 1 pp", "2 of 12 layers fail, …"
  // Names of parts that were not measured: "ratio", "speedup", "layers".
  std::vector<std::string> not_measured = {};
  std::size_t gate_count = 0;     // Gates with the same label are one: latency or throughput.
  std::size_t gates_checked = 0;  // Those of which at least one metric was measured.
  std::string text = {};          // All of it in one line.
};

ModelVerdict VerdictOnModel(std::span<const PolicyCheck> checks, const LayerDamage& layers);

// The same of a contract: what it says of one model and variant.
struct ContractVerdict {
  std::string model = {};
  std::string variant = {};
  ModelVerdict verdict = {};
  LayerDamage layers = {};
};

// One entry per model and variant that has results. Reads histograms of all subjects.
std::vector<ContractVerdict> VerdictsOnContract(const Contract& contract,
                                                const ContractResult& result,
                                                std::span<const LayerSubject> subjects);

}  // namespace cboard::analysis
