#include "compare/output/findings_log.h"

#include "cboard/base/json_writer.h"
#include "compare/output/log_parts.h"
#include "compare/output/verdict_json.h"

namespace cboard::compare {

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
    json.Key("explanation").Value(ExplanationOf(layer)).EndObject();
  }
  json.EndArray().EndObject();
  return AddJson(writer, model + "/findings/" + variant, json.Take(), LabelOf(model, {}, variant));
}

}  // namespace cboard::compare
