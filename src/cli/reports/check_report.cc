#include <algorithm>
#include <span>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

using analysis::Contract;
using analysis::ContractResult;
using analysis::FailingLayer;
using analysis::Gate;
using analysis::GateOutcome;
using analysis::GateResult;

constexpr std::size_t kMaxPassingShown = 20;        // Failing gates are always shown.
constexpr std::size_t kMaxFailingLayersShown = 10;  // Per gate; JSON and JUnit list all layers.
constexpr std::size_t kNameWidth = 60;

std::size_t RankOf(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kFail:
      return 0;
    case GateOutcome::kMissing:
      return 1;
    case GateOutcome::kPass:
      break;
  }
  return 2;
}

// Sorts gates: failing ones first, with the largest excess first; then missing; then passing.
std::vector<const GateResult*> WorstFirst(const ContractResult& result) {
  std::vector<const GateResult*> sorted;
  for (const GateResult& each : result.results) sorted.push_back(&each);
  std::ranges::stable_sort(sorted, std::greater<>(),
                           [](const GateResult* each) { return each->beyond; });
  std::ranges::stable_sort(sorted, {},
                           [](const GateResult* each) { return RankOf(each->outcome); });
  return sorted;
}

std::string_view ColourOf(GateOutcome outcome) {
  switch (outcome) {
    case GateOutcome::kFail:
      return "\x1b[31m";
    case GateOutcome::kMissing:
      return "\x1b[33m";
    case GateOutcome::kPass:
      break;
  }
  return "\x1b[32m";
}

// Colours the first word of each line, the outcome. Colours are added after the table is formatted,
// because the table escapes control characters in cells, so that text from files cannot control the
// terminal.
std::string Coloured(const std::string& table, std::span<const GateResult* const> rows) {
  const std::vector<std::string_view> lines = Split(table, '\n');
  std::string text(lines.front());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string_view word = NameOf(rows[i]->outcome);
    text += "\n" + std::string(ColourOf(rows[i]->outcome)) + std::string(word) + "\x1b[0m";
    text += lines[i + 1].substr(word.size());
  }
  return text + "\n";
}

void AppendFailingLayers(const Contract& contract, const GateResult& result, std::string& text) {
  if (result.broken.size() < 2) return;  // The table already shows a single layer.
  text += "\nLayers that break " + Quoted(contract.gates[result.gate].id) + " (" +
          Printable(result.model) + ", " + Printable(result.variant) + "):\n";
  const std::size_t shown = std::min(kMaxFailingLayersShown, result.broken.size());
  TextTable table({{"layer"}, {"why"}});
  for (const FailingLayer& layer : std::span(result.broken).first(shown)) {
    table.AddRow({ShortenedToEnd(layer.layer, kNameWidth), layer.explanation});
  }
  text += table.Render(2);
  if (result.broken.size() > shown) {
    text += "  … and " + Plural(result.broken.size() - shown, "layer") + "; --json has all\n";
  }
}

std::string VerdictText(const ContractResult& result) {
  const std::size_t all = result.results.size(), failures = result.failures();
  if (failures == 0) {
    return (all == 1 ? "The check passes" : "All " + HumanCount(all) + " checks pass") +
           std::string(": the contract is kept.\n");
  }
  return HumanCount(failures) + " of " + Plural(all, "check") +
         (failures == 1 ? " fails" : " fail") + ": the contract is not kept.\n";
}

// Appends damage that no gate checks, and layers without measurements, because a passing contract
// does not consider them.
void AppendBeyond(const ContractResult& result, const analysis::ContractVerdict& each,
                  std::string& text) {
  const bool is_gated = std::ranges::any_of(result.results, [&](const GateResult& gate) {
    return gate.model == each.model && gate.variant == each.variant && gate.layers_checked > 0;
  });
  const std::string who = Printable(each.model) + ", " + Printable(each.variant);
  if (each.layers.counts.red > 0 && !is_gated) {
    text += "Beyond the contract: of " + who + ", " + HumanCount(each.layers.counts.red) + " of " +
            Plural(each.layers.counts.measured(), "layer") +
            (each.layers.counts.red == 1 ? " fails" : " fail") + ", the worst " +
            Quoted(each.layers.worst_layer) + "; no gate is about layers.\n";
  }
  if (!each.layers.not_measured.empty()) {
    text += "Layers of " + who + " are " + Printable(each.layers.not_measured) + ".\n";
  }
}

void WriteFailingLayers(JsonWriter& json, const GateResult& result) {
  json.Key("layers_checked").Value(result.layers_checked).Key("broken").BeginArray();
  for (const FailingLayer& layer : result.broken) {
    json.BeginObject().Key("layer").Value(layer.layer).Key("level").Value(NameOf(layer.level));
    if (layer.value) json.Key("value").Value(*layer.value);
    json.Key("explanation").Value(layer.explanation).EndObject();
  }
  json.EndArray();
}

void WriteNumber(JsonWriter& json, std::string_view key, std::optional<double> number) {
  json.Key(key);
  if (number) {
    json.Value(*number);
  } else {
    json.Null();
  }
}

}  // namespace

std::string CheckText(const Contract& contract, const ContractResult& result, bool in_colour,
                      Verdicts verdicts) {
  const std::vector<const GateResult*> sorted = WorstFirst(result);
  const std::size_t shown = std::min(sorted.size(), result.failures() + kMaxPassingShown);
  const std::span<const GateResult* const> rows = std::span(sorted).first(shown);
  TextTable table({{"outcome"}, {"gate"}, {"model"}, {"variant"}, {"why"}});
  for (const GateResult* const row : rows) {
    table.AddRow({std::string(NameOf(row->outcome)), contract.gates[row->gate].id,
                  ShortenedToEnd(row->model, kNameWidth), row->variant, row->explanation});
  }
  std::string text = in_colour ? Coloured(table.Render(), rows) : table.Render();
  if (sorted.size() > shown) text += "… and " + HumanCount(sorted.size() - shown) + " more pass\n";
  for (const GateResult* const row : rows) AppendFailingLayers(contract, *row, text);
  text += "\n" + VerdictText(result);
  for (const analysis::ContractVerdict& each : verdicts) AppendBeyond(result, each, text);
  return text;
}

std::string CheckJson(std::string_view file, const Contract& contract, const ContractResult& result,
                      Verdicts verdicts) {
  JsonWriter json;
  json.BeginObject().Key("contract").Value(file).Key("passed").Value(result.passed());
  json.Key("checks").Value(result.results.size()).Key("failures").Value(result.failures());
  json.Key("results").BeginArray();
  for (const GateResult* const each : WorstFirst(result)) {
    const Gate& gate = contract.gates[each->gate];
    json.BeginObject().Key("gate").Value(gate.id).Key("role").Value(gate.role);
    json.Key("metric").Value(gate.metric);
    json.Key("model").Value(each->model).Key("variant").Value(each->variant);
    json.Key("outcome").Value(NameOf(each->outcome)).Key("explanation").Value(each->explanation);
    WriteNumber(json, "value", each->value);
    WriteNumber(json, "baseline_value", each->baseline_value);
    if (gate.is_about_layers()) WriteFailingLayers(json, *each);
    json.EndObject();
  }
  json.EndArray().Key("verdicts").BeginArray();
  for (const analysis::ContractVerdict& each : verdicts) {
    const analysis::LevelCounts& counts = each.layers.counts;
    json.BeginObject().Key("model").Value(each.model).Key("variant").Value(each.variant);
    json.Key("state").Value(NameOf(each.verdict.state)).Key("text").Value(each.verdict.text);
    json.Key("layers").BeginObject().Key("red").Value(counts.red).Key("amber").Value(counts.amber);
    json.Key("green").Value(counts.green).Key("unmeasured").Value(counts.unmeasured);
    json.Key("not_measured").Value(each.layers.not_measured).EndObject().EndObject();
  }
  json.EndArray().Key("remarks").BeginArray();
  for (const auto* remarks : {&contract.remarks, &result.remarks}) {
    for (const analysis::ContractWarning& remark : *remarks) json.Value(remark.text);
  }
  json.EndArray().EndObject();
  return json.Take() + "\n";
}

}  // namespace cboard::cli
