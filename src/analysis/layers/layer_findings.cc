#include "cboard/analysis/layer_findings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analysis/layers/stored_json.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
Result<LayerFindings> ParseLayerFindings(std::string_view json) {
  simdjson::dom::parser parser;
  CBOARD_ASSIGN_OR_RETURN(const JsonObject object,
                          ParseStored(json, "findings of a comparison", parser));
  LayerFindings findings;
  ForEachIn<JsonObject>(object, "layers", [&](const JsonObject& layer) {
    std::string name = TextIn(layer, "layer");
    const std::optional<Level> level = verdict::LevelNamed(TextIn(layer, "level"));
    if (name.empty() || !level || *level == Level::kUnmeasured) return;
    const std::string cause = TextIn(layer, "cause");
    // Reads null as infinity: the layer has no error. JSON cannot store infinity.
    findings.insert_or_assign(
        std::move(name),
        LayerFinding{
            .level = *level,
            .severity_db = NumberIn(layer, "severity_db").value_or(HUGE_VAL),
            .bits = static_cast<int>(std::clamp(NumberIn(layer, "bits").value_or(8), 1.0, 64.0)),
            .part = TextIn(layer, "part"),
            .cause =
                cause.empty() ? Cause::kNone : verdict::CauseNamed(cause).value_or(Cause::kChanged),
            .explanation = TextIn(layer, "explanation"),
            .is_measured_at_end = layer["end_sqnr_db"].error() == simdjson::SUCCESS,
            .end_sqnr_db = NumberIn(layer, "end_sqnr_db"),
            .fix = TextIn(layer, "fix")});
  });
  return findings;
}

std::optional<OutputsVerdict> ParseOutputsVerdict(std::string_view json) {
  simdjson::dom::parser parser;
  const Result<JsonObject> object = ParseStored(json, "findings of a comparison", parser);
  JsonObject verdict;
  if (!object || (*object)["verdict"].get(verdict) != simdjson::SUCCESS) return std::nullopt;
  OutputsVerdict found{.level = TextIn(verdict, "level"), .sentence = TextIn(verdict, "sentence")};
  if (found.level.empty()) return std::nullopt;
  return found;
}

std::optional<OutputsVerdict> ReadOutputsVerdict(const reader::Run& run,
                                                 const LayerFilter& filter) {
  const reader::Tag* const tag = FindStored(run, "/findings/", filter);
  if (tag == nullptr) return std::nullopt;
  const Result<std::string> json = ReadStored(run, *tag);
  return json ? ParseOutputsVerdict(*json) : std::nullopt;
}

Result<LayerFindings> ReadLayerFindings(const reader::Run& run, const LayerFilter& filter) {
  const reader::Tag* const tag = FindStored(run, "/findings/", filter);
  if (tag == nullptr) return LayerFindings{};
  const auto read = [&]() -> Result<LayerFindings> {
    CBOARD_ASSIGN_OR_RETURN(const std::string json, ReadStored(run, *tag));
    return ParseLayerFindings(json);
  };
  Result<LayerFindings> findings = read();
  if (findings) return findings;
  return Fail(
      Annotate(findings.error(), "run " + Quoted(run.name) + ", tag " + Quoted(tag->name())));
}

}  // namespace cboard::analysis
