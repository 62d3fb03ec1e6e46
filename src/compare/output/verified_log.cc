#include "compare/output/verified_log.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/output/log_parts.h"

namespace cboard::compare {
namespace {

double LoggedDb(const Verification& run) {
  return std::clamp(run.sqnr_db, -verdict::kLoggedExactDb, verdict::kLoggedExactDb);
}

// Limits an SQNR to finite values, because JSON has no infinity. null means exact.
double ClampSqnrDb(double db) { return std::max(db, -verdict::kLoggedExactDb); }

bool HasParts(const Verification& run) {
  return run.restored == Restored::kParts && run.why_not.empty() && !std::isnan(run.sqnr_db);
}

Result<void> LogScalars(SummaryWriter& writer, const std::string& model, const std::string& variant,
                        const ModelComparison& comparison) {
  std::map<std::int64_t, double> best = {{0, LoggedDb(comparison.verified[0])}};
  for (const Verification& run : comparison.verified) {
    if (!HasParts(run)) continue;
    const auto count = static_cast<std::int64_t>(run.parts.size());
    const auto [entry, is_new] = best.try_emplace(count, LoggedDb(run));
    if (!is_new) entry->second = std::max(entry->second, LoggedDb(run));
    if (count != 1) continue;
    const RestoredPart& part = run.parts[0];
    CBOARD_RETURN_IF_ERROR(AddFigure(writer, TagsOf(model, part.layer, variant),
                                     "restored_" + std::string(NameOf(part.part)) + "_gain_db",
                                     LoggedDb(run) - best[0]));
  }
  for (const auto& [count, db] : best) {
    CBOARD_RETURN_IF_ERROR(writer.AddScalar(model + "/verified/sqnr_db/" + variant, db, count,
                                            LabelsOf(LabelOf(model, {}, variant))));
  }
  return {};
}

// Returns the table of verified runs as Markdown, for TensorBoard's text page.
std::string TableText(const ModelComparison& comparison) {
  if (comparison.verified.empty()) {
    return "Nothing was verified: " + comparison.why_not_verified + ".";
  }
  const auto shown = [](double db) {
    if (std::isinf(db)) return std::string(db > 0 ? "exact" : "lost");
    return verdict::ShortNumber(db, 3);
  };
  const std::vector<std::string>& ends = comparison.verified_layers;
  std::string text =
      "Output SQNR of the last " +
      (ends.size() == 1 ? "layer, " + Quoted(ends[0]) + "," : HumanCount(ends.size()) + " layers") +
      " with parts in float, measured on " + HumanCount(comparison.samples) +
      " samples\n\n| in float | SQNR dB | gained dB |\n|---|---|---|\n";
  for (const Verification& run : comparison.verified) {
    text += "| " + MarkdownCell(RestoredText(comparison, run)) + " | ";
    if (!run.why_not.empty()) {
      text += "could not be run: " + MarkdownCell(run.why_not) + " | |\n";
      continue;
    }
    const double gained = run.sqnr_db - comparison.verified[0].sqnr_db;
    text += shown(run.sqnr_db) + " | " +
            (std::isfinite(gained) ? verdict::ShortNumber(gained, 3) : "") + " |\n";
  }
  return text;
}

Result<void> LogRuns(SummaryWriter& writer, const std::string& model, const std::string& variant,
                     const ModelComparison& comparison) {
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject().Key("v").Value(1).Key("samples").Value(comparison.samples);
  WriteVerified(comparison, json);
  json.EndObject();
  return AddJson(writer, model + "/verified/runs/" + variant, json.Take(),
                 LabelOf(model, {}, variant));
}

}  // namespace

void WriteVerified(const ModelComparison& comparison, JsonWriter& json) {
  json.Key("verified_layers").BeginArray();
  for (const std::string& layer : comparison.verified_layers) json.Value(layer);
  json.EndArray();
  json.Key("why_not_verified").Value(comparison.why_not_verified);
  json.Key("verified").BeginArray();
  for (const Verification& run : comparison.verified) {
    json.BeginObject();
    json.Key("restored").Value(NameOf(run.restored));
    json.Key("text").Value(RestoredText(comparison, run));
    json.Key("parts").BeginArray();
    for (const RestoredPart& part : run.parts) {
      json.BeginObject();
      json.Key("layer").Value(part.layer);
      json.Key("part").Value(NameOf(part.part));
      json.EndObject();
    }
    json.EndArray();
    json.Key("sqnr_db");
    if (run.why_not.empty()) {
      json.Value(ClampSqnrDb(run.sqnr_db));
    } else {
      json.Null();
    }
    json.Key("layer_sqnr_db").BeginArray();
    for (const double db : run.layer_sqnr_db) json.Value(ClampSqnrDb(db));
    json.EndArray();
    json.Key("why_not").Value(run.why_not);
    json.EndObject();
  }
  json.EndArray();
}

Result<void> LogVerified(SummaryWriter& writer, const std::string& model,
                         const std::string& variant, const ModelComparison& comparison) {
  if (comparison.verified.empty() && comparison.why_not_verified.empty()) return {};
  if (!comparison.verified.empty()) {
    CBOARD_RETURN_IF_ERROR(LogScalars(writer, model, variant, comparison));
  }
  CBOARD_RETURN_IF_ERROR(writer.AddText(model + "/verified/" + variant, TableText(comparison), 0));
  return LogRuns(writer, model, variant, comparison);
}

}  // namespace cboard::compare
