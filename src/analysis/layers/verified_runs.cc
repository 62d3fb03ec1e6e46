#include "cboard/analysis/verified_runs.h"

#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/number_text.h"
#include "cboard/analysis/meaning.h"
#include "cboard/base/strings.h"
#include "cboard/compression/tags.h"
#include "cboard/reader/media_query.h"

namespace cboard::analysis {
namespace {

constexpr std::string_view kRunsTag = "/verified/runs/";
constexpr double kVersion = 1;  // docs/formats/compression-tags.md
// Some sixty runs of a few names each; more is not one of ours.
constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
// What parts have to bring to be worth naming; as `compare` has it.
constexpr double kWorthwhileDb = 0.1;

using Object = simdjson::dom::object;

std::string Text(const Object& object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

std::optional<double> Number(const Object& object, std::string_view key) {
  double value = 0;
  return object[key].get(value) == simdjson::SUCCESS ? std::optional(value) : std::nullopt;
}

// Calls `visit` for each element of this kind; others are left out.
template <typename Element, typename Visit>
void ForEachIn(const Object& object, std::string_view key, const Visit& visit) {
  simdjson::dom::array elements;
  if (object[key].get(elements) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element element : elements) {
    Element value;
    if (element.get(value) == simdjson::SUCCESS) visit(value);
  }
}

VerifiedRun RunOf(const Object& object) {
  VerifiedRun run{.restored = Text(object, "restored"),
                  .text = Text(object, "text"),
                  .sqnr_db = Number(object, "sqnr_db"),
                  .why_not = Text(object, "why_not")};
  ForEachIn<Object>(object, "parts", [&](const Object& part) {
    run.parts.push_back({.layer = Text(part, "layer"), .part = Text(part, "part")});
  });
  // JSON has no infinity: null is exact where nothing went wrong.
  if (!run.sqnr_db && run.why_not.empty()) run.sqnr_db = HUGE_VAL;
  return run;
}

// The last value of a tag.
Result<VerifiedRuns> ReadTag(const Run& run, const Tag& tag) {
  CBOARD_ASSIGN_OR_RETURN(const auto tensor, ReadTensor(run, tag, tag.size() - 1, 1));
  if (tensor.value.strings.size() != 1) {
    return Fail(ErrorCode::kDataLoss, "it holds something else than one text");
  }
  return ParseVerifiedRuns(tensor.value.strings.front());
}

}  // namespace

std::optional<double> VerifiedRuns::GainOf(const VerifiedRun& run) const {
  if (!run.sqnr_db || runs.empty() || !runs.front().sqnr_db) return std::nullopt;
  const double gain = *run.sqnr_db - *runs.front().sqnr_db;
  return std::isnan(gain) ? 0 : gain;  // Exact, and it was before.
}

const VerifiedRun* VerifiedRuns::BestParts() const {
  const VerifiedRun* best = nullptr;
  for (const VerifiedRun& run : runs) {
    if (run.restored != "parts" || GainOf(run).value_or(0) < kWorthwhileDb) continue;
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
  const std::string before = DbText(*runs.front().sqnr_db);
  if (const VerifiedRun* const best = BestParts()) {
    const std::size_t count = best->parts.size();
    return (count == 1 ? std::string("this part in float brings")
                       : "these " + HumanCount(count) + " parts in float bring") +
           " the end from " + before +
           (std::isinf(*best->sqnr_db) ? " dB to exactly what the baseline gives"
                                       : " to " + DbText(*best->sqnr_db) + " dB");
  }
  std::string text = "no part that was tried helps the end, which keeps " + before + " dB";
  for (const VerifiedRun& run : runs) {
    const bool is_many = run.restored == "all_weights" || run.restored == "all_outputs";
    if (is_many && run.sqnr_db) text += "; " + run.text + ": " + DbText(*run.sqnr_db);
  }
  return text;
}

std::string DbText(double db) { return std::isinf(db) && db > 0 ? "exact" : FixedNumber(db, 1); }

std::string GainText(double gain_db) {
  const std::string text = DbText(std::abs(gain_db) < 0.05 ? 0 : gain_db);  // Not −0.0.
  return gain_db >= 0.05 && std::isfinite(gain_db) ? "+" + text : text;
}

Result<VerifiedRuns> ParseVerifiedRuns(std::string_view json) {
  const auto refuse = [](const std::string& why) {
    return Fail(ErrorCode::kDataLoss, "runs with restored parts: " + why);
  };
  if (json.size() > kMaxBytes) return refuse("more than 16 MiB of JSON");
  simdjson::dom::parser parser;
  Object object;
  if (parser.parse(simdjson::padded_string(json)).get(object) != simdjson::SUCCESS) {
    return refuse("not an object in JSON");
  }
  if (Number(object, "v").value_or(0) != kVersion) {
    return refuse("of a version that is not known here; a newer compression-board may read it");
  }
  VerifiedRuns verified{.why_not = Text(object, "why_not_verified")};
  const double samples = Number(object, "samples").value_or(0);
  if (samples > 0 && samples < 1e15) verified.samples = static_cast<std::size_t>(samples);
  ForEachIn<std::string_view>(object, "verified_layers",
                              [&](std::string_view layer) { verified.ends.emplace_back(layer); });
  ForEachIn<Object>(object, "verified",
                    [&](const Object& run) { verified.runs.push_back(RunOf(run)); });
  return verified;
}

std::optional<VerifiedRuns> ReadVerifiedRuns(const Run& run, std::string_view model,
                                             std::string_view variant) {
  const std::string ending = std::string(kRunsTag) + std::string(variant);
  for (const Tag& tag : run.tags) {
    if (tag.kind() != TagKind::kTensor || tag.info->plugin_name != kCompressionPluginName) continue;
    std::string_view name = tag.name();
    if (!name.ends_with(ending) || tag.size() == 0) continue;
    name.remove_suffix(ending.size());
    if (ModelKeyOf(name) != ModelKeyOf(model)) continue;
    Result<VerifiedRuns> verified = ReadTag(run, tag);
    if (verified) return *std::move(verified);
    return VerifiedRuns{.why_not = "run " + Quoted(run.name) + ", tag " + Quoted(tag.name()) +
                                   ": " + verified.error().message};
  }
  return std::nullopt;
}

std::vector<std::optional<double>> GainsAlone(const VerifiedRuns& verified,
                                              const std::vector<RankedLayer>& layers) {
  using Key = std::pair<std::string_view, std::string_view>;  // Of `verified`.
  std::map<Key, double> gains;
  for (const VerifiedRun& run : verified.runs) {
    if (run.restored != "parts" || run.parts.size() != 1) continue;
    const std::optional<double> gain = verified.GainOf(run);
    if (gain) gains.emplace(Key(run.parts[0].layer, run.parts[0].part), *gain);
  }
  std::vector<std::optional<double>> found;
  for (const RankedLayer& layer : layers) {
    std::optional<double> best;
    const bool is_figure = layer.baseline.tag.empty();
    for (const TensorRole role : {TensorRole::kOutput, TensorRole::kWeight}) {
      if (!is_figure && layer.baseline.role != role) continue;
      const auto gain = gains.find({layer.baseline.layer, NameOf(role)});
      if (gain != gains.end()) best = std::max(best.value_or(gain->second), gain->second);
    }
    found.push_back(best);
  }
  return found;
}

}  // namespace cboard::analysis
