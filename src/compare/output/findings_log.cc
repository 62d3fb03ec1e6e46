#include "compare/output/findings_log.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/json_writer.h"
#include "cboard/verdict/number_text.h"
#include "compare/output/log_parts.h"
#include "compare/output/verdict_json.h"

namespace cboard::compare {
namespace {

// Returns a text such as "one scale per output channel: predicted SQNR 38.2 dB".
std::string FixText(const Fix& fix) {
  if (std::isinf(fix.sqnr_db)) return fix.action;
  return fix.action + (fix.is_measured ? ": output SQNR " : ": predicted SQNR ") +
         verdict::DbWithUnit(fix.sqnr_db) + (fix.is_measured ? ", measured" : "");
}

// Returns the measured root cause that makes this layer red; null if there is none.
const Suspect* MeasuredSuspect(const ModelComparison& comparison, const LayerComparison& layer) {
  if (layer.diagnosis.level != Level::kRed) return nullptr;
  for (const Suspect& suspect : comparison.verdict.suspects) {
    if (suspect.is_measured &&
        std::ranges::find(suspect.layers, layer.name) != suspect.layers.end())
      return &suspect;
  }
  return nullptr;
}

}  // namespace

Result<void> LogFindings(SummaryWriter& writer, const std::string& model,
                         const std::string& variant, const ModelComparison& comparison) {
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject().Key("v").Value(1);
  WriteVerdict(comparison.verdict, json.Key("verdict"));
  json.Key("layers").BeginArray();
  for (const LayerComparison& layer : comparison.layers) {
    const Diagnosis& found = layer.diagnosis;
    json.BeginObject().Key("layer").Value(layer.name).Key("bits").Value(layer.bits);
    json.Key("level").Value(NameOf(found.level)).Key("severity_db").Value(found.severity_db);
    json.Key("part").Value(NameOf(found.part)).Key("cause").Value(NameOf(found.cause));
    json.Key("explanation").Value(ExplanationOf(layer));
    // If root causes were measured, `severity_db` is only a rank; the measured SQNR is logged here.
    if (const Suspect* suspect = MeasuredSuspect(comparison, layer)) {
      json.Key("end_sqnr_db");
      suspect->alone_sqnr_db ? json.Value(*suspect->alone_sqnr_db) : json.Null();
    }
    if (!layer.fixes.empty()) json.Key("fix").Value(FixText(layer.fixes.front()));
    json.EndObject();
  }
  json.EndArray().EndObject();
  return AddJson(writer, model + "/findings/" + variant, json.Take(), LabelOf(model, {}, variant));
}

}  // namespace cboard::compare
