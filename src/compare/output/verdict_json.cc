// Writes the verdict as JSON, for other programs and the web page.
#include "compare/output/verdict_json.h"

#include <cmath>

#include "cboard/compare/model_comparison.h"

namespace cboard::compare {
namespace {

template <typename Number>
void WriteOptional(const std::optional<Number>& value, JsonWriter& json) {
  if (value) {
    json.Value(*value);
  } else {
    json.Null();
  }
}

void WriteHead(const OutputVerdict& output, const HeadVerdict& head, JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Value(HeadName(output, head));
  json.Key("first_channel").Value(head.first_channel);
  json.Key("channel_count").Value(head.channel_count);
  json.Key("made_by").Value(head.made_by);
  json.Key("use").Value(NameOf(head.use));
  json.Key("level").Value(NameOf(head.level));
  json.Key("reason").Value(head.reason);
  json.Key("sqnr_db").Value(head.sqnr_db);
  json.Key("varying_sqnr_db").Value(head.varying_sqnr_db);
  json.Key("judged_sqnr_db").Value(head.judged_sqnr_db);
  WriteOptional(head.agreement, json.Key("agreement"));
  json.Key("decisions").Value(head.decisions);
  WriteOptional(head.threshold, json.Key("threshold"));
  WriteOptional(head.mean_cosine, json.Key("mean_cosine"));
  json.Key("is_collapsed").Value(head.is_collapsed);
  json.Key("lost_channels").Value(head.lost_channels);
  WriteOptional(head.worst_channel, json.Key("worst_channel"));
  WriteOptional(head.worst_channel ? std::optional(head.worst_channel_sqnr_db) : std::nullopt,
                json.Key("worst_channel_sqnr_db"));
  json.Key("baseline_min").Value(head.baseline_min);
  json.Key("baseline_max").Value(head.baseline_max);
  json.Key("variant_min").Value(head.variant_min);
  json.Key("variant_max").Value(head.variant_max);
  json.EndObject();
}

}  // namespace

void WriteVerdict(const EndVerdict& verdict, JsonWriter& json) {
  json.BeginObject();
  json.Key("level").Value(NameOf(verdict.level));
  json.Key("sentence").Value(verdict.sentence);
  json.Key("measure").Value(verdict.measure);
  json.Key("samples").Value(verdict.samples);
  json.Key("is_generated").Value(verdict.is_generated);
  json.Key("blame_note").Value(verdict.blame_note);
  json.Key("suspects").BeginArray();
  for (const Suspect& suspect : verdict.suspects) {
    json.BeginObject();
    json.Key("layer").Value(suspect.layer);
    json.Key("sentence").Value(suspect.sentence);
    json.Key("fix").Value(suspect.fix);
    json.Key("cause").Value(suspect.cause);
    json.Key("part").Value(suspect.part);
    json.Key("layers").BeginArray();
    for (const std::string& layer : suspect.layers) json.Value(layer);
    json.EndArray();
    json.Key("is_measured").Value(suspect.is_measured);
    WriteOptional(suspect.sqnr_db, json.Key("sqnr_db"));
    WriteOptional(suspect.alone_sqnr_db, json.Key("alone_sqnr_db"));
    WriteOptional(suspect.undone_sqnr_db, json.Key("undone_sqnr_db"));
    WriteOptional(suspect.agreement, json.Key("agreement"));
    WriteOptional(suspect.undone_agreement, json.Key("undone_agreement"));
    json.Key("fixes").BeginArray();
    for (const MeasuredFix& fix : suspect.fixes) {
      json.BeginObject();
      json.Key("action").Value(fix.action);
      json.Key("price").Value(fix.price);
      json.Key("setting").Value(fix.setting);
      json.Key("level").Value(NameOf(fix.level));
      json.Key("sqnr_db").Value(fix.sqnr_db);
      WriteOptional(fix.agreement, json.Key("agreement"));
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.Key("outputs").BeginArray();
  for (const OutputVerdict& output : verdict.outputs) {
    json.BeginObject();
    json.Key("name").Value(output.name);
    json.Key("shape").BeginArray();
    for (const std::int64_t size : output.shape) json.Value(size);
    json.EndArray();
    WriteOptional(output.axis, json.Key("axis"));
    json.Key("channels").Value(output.channel_count);
    json.Key("level").Value(NameOf(output.level));
    json.Key("sqnr_db").Value(output.sqnr_db);
    json.Key("why_not").Value(output.why_not);
    json.Key("heads").BeginArray();
    for (const HeadVerdict& head : output.heads) WriteHead(output, head, json);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

std::string ToJson(const EndVerdict& verdict) {
  JsonWriter json(NonFinite::kAsNull);
  WriteVerdict(verdict, json);
  return json.Take();
}

}  // namespace cboard::compare
