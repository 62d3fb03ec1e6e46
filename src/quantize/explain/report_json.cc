#include <algorithm>
#include <optional>

#include "cboard/base/json_writer.h"
#include "cboard/compare/comparison_json.h"
#include "cboard/quantize/model_quantizer.h"
#include "compare/output/verdict_json.h"

namespace cboard::quantize {
namespace {

void WriteActivations(const Plan& plan, JsonWriter& json) {
  json.Key("activations").BeginArray();
  for (const auto& [tensor, activation] : plan.activations) {
    json.BeginObject().Key("tensor").Value(tensor);
    json.Key("is_float").Value(activation.is_float);
    json.Key("reason").Value(activation.reason);
    if (!activation.is_float) {
      json.Key("bits").Value(activation.bits);
      json.Key("method").Value(NameOf(activation.method));
      json.Key("low").Value(activation.low);
      json.Key("high").Value(activation.high);
      json.Key("scale").Value(activation.scale);
      json.Key("zero_point").Value(activation.zero_point);
      json.Key("shares").Value(activation.shares);
      json.Key("sqnr_db").Value(activation.sqnr_db);
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteWeights(const Plan& plan, JsonWriter& json) {
  json.Key("weights").BeginArray();
  for (const auto& [output, weight] : plan.weights) {
    json.BeginObject().Key("node").Value(weight.node);
    json.Key("constant").Value(weight.constant);
    json.Key("is_float").Value(weight.is_float);
    json.Key("reason").Value(weight.reason);
    json.Key("bits").Value(weight.bits);
    json.Key("axis").Value(weight.axis);
    json.Key("scales").Value(weight.scales.size());
    json.Key("sqnr_db").Value(weight.sqnr_db);
    json.EndObject();
  }
  json.EndArray();
  json.Key("float_nodes").BeginArray();
  for (const auto& [output, node] : plan.nodes) {
    if (node.is_quantized || node.reason.empty()) continue;
    json.BeginObject().Key("node").Value(node.node);
    json.Key("op_type").Value(node.op_type);
    json.Key("reason").Value(node.reason).EndObject();
  }
  json.EndArray();
}

// Returns the smallest agreement of the output's heads.
std::optional<double> AgreementOf(const compare::EndVerdict& verdict, const std::string& name) {
  std::optional<double> smallest;
  for (const compare::OutputVerdict& output : verdict.outputs) {
    if (output.name != name) continue;
    for (const compare::HeadVerdict& head : output.heads) {
      if (head.agreement) smallest = std::min(smallest.value_or(1), *head.agreement);
    }
  }
  return smallest;
}

}  // namespace

std::string ToJson(const QuantizeReport& report) {
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject();
  json.Key("model").Value(report.model.string());
  json.Key("output").Value(report.output.string());
  json.Key("precision").Value(NameOf(report.plan.precision));
  json.Key("target").Value(NameOf(report.plan.target));
  json.Key("baseline_bytes").Value(report.file.baseline_bytes);
  json.Key("bytes").Value(report.file.bytes + report.file.data_bytes);
  json.Key("samples").Value(report.samples);
  json.Key("source").Value(report.source);
  json.Key("is_generated").Value(report.is_generated);
  json.Key("quality").BeginObject();
  json.Key("samples").Value(report.quality.samples);
  json.Key("is_held_out").Value(report.quality.is_held_out);
  json.Key("heads").BeginArray();
  for (const HeadQuality& head : report.quality.heads) {
    json.BeginObject().Key("output").Value(head.output).Key("sqnr_db").Value(head.sqnr_db);
    json.Key("channel_sqnr_db").Value(head.channel_sqnr_db);
    json.Key("agreement");
    if (const auto agreement = AgreementOf(report.verdict, head.output)) {
      json.Value(*agreement);
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  compare::WriteVerdict(report.verdict, json.Key("verdict"));
  json.Key("tried").BeginArray();
  for (const TriedChoice& choice : report.tried) {
    json.BeginObject().Key("name").Value(choice.name);
    json.Key("mean_sqnr_db").Value(choice.mean_sqnr_db);
    json.Key("is_kept").Value(choice.is_kept);
    if (!choice.layers.empty()) {
      json.Key("layers").BeginArray();
      for (const LayerGain& layer : choice.layers) {
        json.BeginObject().Key("layer").Value(layer.layer);
        json.Key("before_db").Value(layer.before_db);
        json.Key("after_db").Value(layer.after_db).EndObject();
      }
      json.EndArray();
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("unfused").BeginArray();
  for (const UnfusedNode& node : report.unfused) {
    json.BeginObject().Key("node").Value(node.node);
    json.Key("op_type").Value(node.op_type);
    json.Key("reason").Value(node.reason).EndObject();
  }
  json.EndArray();
  WriteActivations(report.plan, json);
  WriteWeights(report.plan, json);
  json.Key("notes").BeginArray();
  for (const std::string& note : report.notes) json.Value(note);
  json.EndArray();
  if (report.comparison) json.Key("comparison").Raw(compare::ToJson(*report.comparison));
  json.EndObject();
  return json.Take();
}

}  // namespace cboard::quantize
