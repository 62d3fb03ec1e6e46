#include "cboard/analysis/verified_runs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/layers/stored_json.h"
#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kRunsTag = "/verified/runs/";
// Smallest gain in dB that is reported. `compare` uses the same limit.
constexpr double kMinGainDb = 0.1;

VerifiedRun RunOf(const JsonObject& object) {
  VerifiedRun run{.restored = TextIn(object, "restored"),
                  .text = TextIn(object, "text"),
                  .sqnr_db = NumberIn(object, "sqnr_db"),
                  .why_not = TextIn(object, "why_not")};
  ForEachIn<JsonObject>(object, "parts", [&](const JsonObject& part) {
    run.parts.push_back({.layer = TextIn(part, "layer"), .part = TextIn(part, "part")});
  });
  // Reads null as infinity, because JSON cannot store infinity: the output was exact, unless the
  // run failed.
  if (!run.sqnr_db && run.why_not.empty()) run.sqnr_db = HUGE_VAL;
  return run;
}

}  // namespace

std::optional<double> VerifiedRuns::GainOf(const VerifiedRun& run) const {
  if (!run.sqnr_db || runs.empty() || !runs.front().sqnr_db) return std::nullopt;
  const double gain = *run.sqnr_db - *runs.front().sqnr_db;
  return std::isnan(gain) ? 0 : gain;  // Both runs are exact: no gain.
}

const VerifiedRun* VerifiedRuns::BestParts() const {
  const VerifiedRun* best = nullptr;
  for (const VerifiedRun& run : runs) {
    if (run.restored != "parts" || GainOf(run).value_or(0) < kMinGainDb) continue;
    if (best == nullptr || *run.sqnr_db > *best->sqnr_db ||
        (*run.sqnr_db == *best->sqnr_db && run.parts.size() < best->parts.size())) {
      best = &run;
    }
  }
  return best;
}

std::string VerifiedRuns::Summary() const {
  if (!why_not.empty()) return "nothing was verified: " + why_not;
  if (runs.empty() || !runs.front().sqnr_db) return "nothing was verified";
  if (std::isinf(*runs.front().sqnr_db)) return "the end is exactly what the baseline gives";
  const double before = *runs.front().sqnr_db;
  if (const VerifiedRun* const best = BestParts()) {
    const std::size_t count = best->parts.size();
    return (count == 1 ? std::string("this part in float brings")
                       : "these " + HumanCount(count) + " parts in float bring") +
           " the end from " +
           (std::isinf(*best->sqnr_db) ? verdict::DbWithUnit(before) : verdict::DbText(before)) +
           " to " +
           (std::isinf(*best->sqnr_db) ? "exactly what the baseline gives"
                                       : verdict::DbWithUnit(*best->sqnr_db));
  }
  std::string text =
      "no part that was tried improves the output, "
      "which " +
      (verdict::IsLost(before) ? "is lost" : "has an SQNR of " + verdict::DbWithUnit(before));
  for (const VerifiedRun& run : runs) {
    const bool is_many = run.restored == "all_weights" || run.restored == "all_outputs";
    if (is_many && run.sqnr_db) text += "; " + run.text + ": " + verdict::DbText(*run.sqnr_db);
  }
  return text;
}

Result<VerifiedRuns> ParseVerifiedRuns(std::string_view json) {
  simdjson::dom::parser parser;
  CBOARD_ASSIGN_OR_RETURN(const JsonObject object,
                          ParseStored(json, "runs with restored parts", parser));
  VerifiedRuns verified{.why_not = TextIn(object, "why_not_verified")};
  const double samples = NumberIn(object, "samples").value_or(0);
  if (samples > 0 && samples < 1e15) verified.samples = static_cast<std::size_t>(samples);
  ForEachIn<std::string_view>(object, "verified_layers",
                              [&](std::string_view layer) { verified.ends.emplace_back(layer); });
  ForEachIn<JsonObject>(object, "verified",
                        [&](const JsonObject& run) { verified.runs.push_back(RunOf(run)); });
  return verified;
}

std::optional<VerifiedRuns> ReadVerifiedRuns(const reader::Run& run, const LayerFilter& filter) {
  const reader::Tag* const tag = FindStored(run, kRunsTag, filter);
  if (tag == nullptr) return std::nullopt;
  const auto unreadable = [&](const Error& error) {
    return VerifiedRuns{.why_not = "run " + Quoted(run.name) + ", tag " + Quoted(tag->name()) +
                                   ": " + error.message};
  };
  const Result<std::string> json = ReadStored(run, *tag);
  if (!json) return unreadable(json.error());
  Result<VerifiedRuns> verified = ParseVerifiedRuns(*json);
  if (!verified) return unreadable(verified.error());
  return *std::move(verified);
}

std::vector<std::optional<double>> GainsAlone(const VerifiedRuns& verified,
                                              const std::vector<RankedLayer>& layers) {
  using Key = std::pair<std::string_view, std::string_view>;  // Layer and part.
  std::map<Key, double> gains;
  for (const VerifiedRun& run : verified.runs) {
    if (run.restored != "parts" || run.parts.size() != 1) continue;
    const std::optional<double> gain = verified.GainOf(run);
    if (gain) gains.emplace(Key(run.parts[0].layer, run.parts[0].part), *gain);
  }
  std::set<Key> shown;
  for (const RankedLayer& layer : layers) {
    if (!layer.baseline.tag.empty()) {
      shown.emplace(layer.baseline.layer, NameOf(layer.baseline.role));
    }
  }
  std::vector<std::optional<double>> found;
  for (const RankedLayer& layer : layers) {
    std::optional<double> best;
    const bool is_figure = layer.baseline.tag.empty();
    const bool is_part = layer.baseline.role != TensorRole::kParameter;
    for (const TensorRole role : {TensorRole::kOutput, TensorRole::kWeight}) {
      const bool is_alone = is_part && !shown.contains({layer.baseline.layer, NameOf(role)});
      if (!is_figure && layer.baseline.role != role && !is_alone) continue;
      const auto gain = gains.find({layer.baseline.layer, NameOf(role)});
      if (gain != gains.end()) best = std::max(best.value_or(gain->second), gain->second);
    }
    found.push_back(best);
  }
  return found;
}

}  // namespace cboard::analysis
