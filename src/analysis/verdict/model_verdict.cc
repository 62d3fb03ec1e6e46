#include "cboard/analysis/model_verdict.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// A requirement, and all metrics that can show whether it is met.
struct Requirement {
  std::string label = {};
  bool is_checked = false;
  std::vector<std::string> fails = {};
};

std::string Listed(const std::vector<std::string>& texts, std::string_view separator) {
  std::string list;
  for (const std::string& text : texts) {
    list += (list.empty() ? "" : std::string(separator)) + text;
  }
  return list;
}

std::string LayersText(std::size_t count) {
  return HumanCount(count) + (count == 1 ? " layer" : " layers");
}

std::string DamageText(std::size_t count, const LayerDamage& layers, std::string_view verb) {
  return HumanCount(count) + " of " + LayersText(layers.counts.measured()) + " " +
         std::string(verb) +
         (layers.worst_layer.empty() ? "" : ", the worst " + Quoted(layers.worst_layer));
}

// Returns the text about layers that is added to gates that pass.
std::string LayerClause(const LayerDamage& layers) {
  const LevelCounts& counts = layers.counts;
  if (!layers.not_measured.empty() || (counts.total() > 0 && counts.measured() == 0)) {
    return "layers not measured";
  }
  if (counts.total() == 0) return {};
  std::string text;
  if (counts.amber > 0) {
    text = DamageText(counts.amber, layers, counts.amber == 1 ? "is to watch" : "are to watch");
  } else {
    text = LayersText(counts.green) + " without damage";
  }
  if (counts.unmeasured > 0) text += ", " + HumanCount(counts.unmeasured) + " not measured";
  return text;
}

// Returns the sentence of the comparison without its full stop, because other clauses follow.
std::string OutputsText(const LayerDamage& layers) {
  std::string text = layers.outputs->sentence;
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string GateClause(const ModelVerdict& verdict) {
  const std::size_t all = verdict.gate_count, checked = verdict.gates_checked;
  if (all == 0) return {};
  if (checked == all) {
    return all == 1 ? "passes the gate" : "passes all " + HumanCount(all) + " gates";
  }
  const std::string missing = Listed(verdict.not_measured, ", ") + " not measured";
  if (checked == 0) return "no gate checked: " + missing;
  return "passes " + HumanCount(checked) + " of " + HumanCount(all) + " gates; " + missing;
}

ModelVerdict Decide(const std::vector<Requirement>& requirements, const LayerDamage& layers) {
  ModelVerdict verdict{.gate_count = requirements.size()};
  // A broken model is reported first, because no other reason is needed.
  if (layers.outputs && layers.outputs->is_broken()) verdict.fails.push_back(OutputsText(layers));
  for (const Requirement& requirement : requirements) {
    if (requirement.is_checked) {
      ++verdict.gates_checked;
    } else {
      verdict.not_measured.push_back(requirement.label);
    }
    for (const std::string& text : requirement.fails) verdict.fails.push_back(text);
  }
  const LevelCounts& counts = layers.counts;
  const bool is_missing_gates = !verdict.not_measured.empty();
  const bool is_degraded = layers.outputs && layers.outputs->is_degraded();
  if (counts.red > 0) {
    verdict.fails.push_back(DamageText(counts.red, layers, counts.red == 1 ? "fails" : "fail"));
  }
  if (!verdict.fails.empty()) {
    verdict.state = VerdictState::kFail;
    verdict.text = Listed(verdict.fails, "; ");
    if (is_missing_gates)
      verdict.text += "; " + Listed(verdict.not_measured, ", ") + " not measured";
    return verdict;
  }
  const bool is_anything_measured = verdict.gates_checked > 0 || counts.measured() > 0;
  verdict.state = !is_anything_measured                         ? VerdictState::kNotChecked
                  : is_missing_gates || verdict.gate_count == 0 ? VerdictState::kIncomplete
                  : counts.amber > 0 || is_degraded             ? VerdictState::kWatch
                                                                : VerdictState::kPass;
  const std::string of_gates = GateClause(verdict), of_layers = LayerClause(layers);
  verdict.text = (is_anything_measured ? "" : "not checked: ") + of_gates +
                 (of_gates.empty() || of_layers.empty() ? "" : "; ") + of_layers;
  if (!is_anything_measured && verdict.gate_count > 0) {
    verdict.text = "not checked: " + Listed(verdict.not_measured, ", ") + " not measured" +
                   (of_layers.empty() ? "" : "; " + of_layers);
  }
  if (is_degraded) verdict.text = OutputsText(layers) + "; " + verdict.text;
  if (!layers.not_measured.empty() || (counts.total() > 0 && counts.measured() == 0)) {
    verdict.not_measured.emplace_back("layers");
  }
  return verdict;
}

}  // namespace

std::string_view NameOf(VerdictState state) {
  constexpr std::array<std::string_view, 5> kNames = {"not_checked", "incomplete", "pass", "watch",
                                                      "fail"};
  return kNames[static_cast<std::size_t>(state)];
}

LayerDamage DamageOf(const LayerRanking& ranking) {
  LayerDamage damage{.counts = CountLevels(ranking)};
  const auto worst = std::ranges::max_element(
      ranking.layers, {}, [](const RankedLayer& layer) { return layer.diagnosis.level; });
  if (worst != ranking.layers.end() && worst->diagnosis.level > Level::kGreen) {
    damage.worst_layer = TitleOf(worst->baseline);
  }
  if (damage.counts.measured() == 0) damage.not_measured = ranking.not_measured;
  damage.outputs = ranking.outputs;
  return damage;
}

ModelVerdict VerdictOnModel(std::span<const PolicyCheck> checks, const LayerDamage& layers) {
  std::vector<Requirement> requirements;
  for (const PolicyCheck& check : checks) {
    auto found = std::ranges::find(requirements, check.gate->label, &Requirement::label);
    if (found == requirements.end()) {
      requirements.push_back({.label = std::string(check.gate->label)});
      found = std::prev(requirements.end());
    }
    if (check.outcome == GateOutcome::kMissing) continue;
    found->is_checked = true;
    if (check.outcome == GateOutcome::kFail) found->fails.push_back(check.failure());
  }
  return Decide(requirements, layers);
}

std::vector<ContractVerdict> VerdictsOnContract(const Contract& contract,
                                                const ContractResult& result,
                                                std::span<const LayerSubject> subjects) {
  struct OfVariant {
    std::vector<Requirement> requirements = {};
    LayerDamage layers = {};
  };
  // The results of the gates by model and variant, in the order of `result`.
  std::vector<std::pair<std::pair<std::string, std::string>, OfVariant>> found;
  const auto at = [&](const std::string& model, const std::string& variant) -> OfVariant& {
    const std::pair key(model, variant);
    const auto known = std::ranges::find(found, key, [](const auto& entry) { return entry.first; });
    if (known != found.end()) return known->second;
    return found.emplace_back(key, OfVariant()).second;
  };
  for (const GateResult& each : result.results) {
    Requirement requirement{.label = contract.gates[each.gate].id,
                            .is_checked = each.outcome != GateOutcome::kMissing};
    if (each.outcome == GateOutcome::kFail) {
      requirement.fails.push_back(requirement.label + ": " + each.explanation);
    }
    at(each.model, each.variant).requirements.push_back(std::move(requirement));
  }
  for (const LayerSubject& subject : subjects) {
    at(subject.name, subject.variant).layers = DamageOf(subject.rank());
  }
  std::vector<ContractVerdict> verdicts;
  for (auto& [key, of] : found) {
    verdicts.push_back({.model = key.first,
                        .variant = key.second,
                        .verdict = Decide(of.requirements, of.layers),
                        .layers = std::move(of.layers)});
  }
  return verdicts;
}

}  // namespace cboard::analysis
