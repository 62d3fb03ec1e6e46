// Writes a comparison as JSON, for other programs.
#include <algorithm>
#include <optional>
#include <unordered_set>

#include "cboard/base/json_writer.h"
#include "cboard/compare/keep_float.h"
#include "cboard/compare/model_comparison.h"
#include "compare/output/verdict_json.h"
#include "compare/output/verified_log.h"

namespace cboard::compare {
namespace {

void WriteNumber(std::optional<double> value, JsonWriter& json) {
  if (value) {
    json.Value(*value);
  } else {
    json.Null();
  }
}

// Writes statistics of channels as columns, with one entry per channel.
void WriteChannels(const std::vector<tensor::PairStatistics>& channels, JsonWriter& json) {
  const auto column = [&](const char* key, const auto& value) {
    json.Key(key).BeginArray();
    for (const tensor::PairStatistics& channel : channels) json.Value(value(channel));
    json.EndArray();
  };
  const auto mean = [](const tensor::TensorStatistics& side) {
    return side.sum / static_cast<double>(side.finite_count());
  };
  json.BeginObject();
  column("sqnr_db", [](const tensor::PairStatistics& c) { return c.SqnrDb(); });
  column("baseline_min", [](const tensor::PairStatistics& c) { return c.reference.min; });
  column("baseline_max", [](const tensor::PairStatistics& c) { return c.reference.max; });
  column("baseline_mean", [&](const tensor::PairStatistics& c) { return mean(c.reference); });
  column("variant_min", [](const tensor::PairStatistics& c) { return c.compressed.min; });
  column("variant_max", [](const tensor::PairStatistics& c) { return c.compressed.max; });
  column("variant_mean", [&](const tensor::PairStatistics& c) { return mean(c.compressed); });
  json.EndObject();
}

void WriteComparison(std::string_view key, const std::optional<tensor::Comparison>& comparison,
                     JsonWriter& json) {
  json.Key(key);
  if (!comparison) {
    json.Null();
    return;
  }
  const tensor::PairStatistics& total = comparison->total;
  json.BeginObject();
  json.Key("sqnr_db").Value(total.SqnrDb());
  json.Key("worst_channel");
  if (comparison->worst_channel) {
    json.Value(*comparison->worst_channel);
  } else {
    json.Null();
  }
  WriteNumber(comparison->worst_channel
                  ? std::optional(comparison->channels[*comparison->worst_channel].SqnrDb())
                  : std::nullopt,
              json.Key("worst_channel_sqnr_db"));
  json.Key("cosine").Value(total.Cosine());
  json.Key("mse").Value(total.Mse());
  json.Key("mean_shift_sigmas").Value(total.MeanShiftSigmas());
  WriteNumber(total.RmseSteps(), json.Key("rmse_steps"));
  WriteNumber(total.ClipRate(), json.Key("clip_rate"));
  json.Key("used_codes");
  if (total.steps && total.steps->used_codes) {
    json.Value(*total.steps->used_codes);
  } else {
    json.Null();
  }
  WriteNumber(comparison->divergence, json.Key("divergence"));
  WriteChannels(comparison->channels, json.Key("channels"));
  json.EndObject();
}

void WriteSaturation(const std::optional<tensor::SaturationCount>& count, JsonWriter& json) {
  if (!count) {
    json.Null();
    return;
  }
  json.BeginObject();
  json.Key("pairs").Value(count->pairs);
  json.Key("saturated").Value(count->saturated);
  json.Key("products").Value(count->products);
  json.Key("affected").Value(count->affected);
  json.EndObject();
}

void WriteLayer(const LayerComparison& layer, JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Value(layer.name);
  json.Key("variant_name").Value(layer.variant_name);
  json.Key("node").Value(layer.node);
  json.Key("op_type").Value(layer.op_type);
  json.Key("is_in_body").Value(layer.is_in_body);
  json.Key("paired_by").Value(NameOf(layer.paired_by));
  json.Key("depth").Value(layer.depth);
  json.Key("bits").Value(layer.bits);
  json.Key("precision").Value(layer.precision);
  json.Key("is_rescaled").Value(layer.is_rescaled);
  json.Key("folded").BeginArray();
  for (const std::string& node : layer.folded) json.Value(node);
  json.EndArray();
  json.Key("baseline_bytes").Value(layer.baseline_bytes);
  json.Key("variant_bytes").Value(layer.variant_bytes);
  WriteNumber(layer.bias_shift, json.Key("bias_shift"));
  WriteNumber(layer.pruned_share, json.Key("pruned_share"));
  WriteComparison("weight", layer.weight, json);
  WriteComparison("local", layer.local, json);
  WriteComparison("accumulated", layer.accumulated, json);
  WriteNumber(layer.input_sqnr_db, json.Key("input_sqnr_db"));
  WriteNumber(layer.useful_output_db, json.Key("useful_output_db"));
  WriteSaturation(layer.saturation, json.Key("saturation"));
  json.Key("level").Value(NameOf(layer.diagnosis.level));
  json.Key("cause").Value(NameOf(layer.diagnosis.cause));
  json.Key("part").Value(NameOf(layer.diagnosis.part));
  json.Key("severity_db").Value(layer.diagnosis.severity_db);
  json.Key("explanation").Value(layer.diagnosis.explanation);
  json.Key("fixes").BeginArray();
  for (const Fix& fix : layer.fixes) {
    json.BeginObject();
    json.Key("action").Value(fix.action);
    json.Key("sqnr_db").Value(fix.sqnr_db);
    json.Key("is_measured").Value(fix.is_measured);
    WriteNumber(fix.worst_channel_sqnr_db, json.Key("worst_channel_sqnr_db"));
    json.Key("size_bytes");
    if (fix.size_bytes) {
      json.Value(*fix.size_bytes);
    } else {
      json.Null();
    }
    json.Key("output");
    if (fix.output) {
      json.BeginObject().Key("bits").Value(fix.output->bits);
      json.Key("low").Value(fix.output->low).Key("high").Value(fix.output->high);
      json.Key("is_signed").Value(fix.output->is_signed);
      json.Key("is_symmetric").Value(fix.output->is_symmetric).EndObject();
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray();
  json.Key("output_tensor").Value(layer.output_tensor);
  json.Key("output_axis");
  if (layer.output_axis) {
    json.Value(*layer.output_axis);
  } else {
    json.Null();
  }
  json.Key("float_nodes").BeginArray();
  for (const std::string& node : layer.float_nodes) json.Value(node);
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::string ToJson(const ModelComparison& comparison) {
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject();
  json.Key("baseline").Value(comparison.baseline.string());
  json.Key("variant").Value(comparison.variant.string());
  json.Key("variant_name").Value(VariantName(comparison));
  json.Key("baseline_bytes").Value(comparison.baseline_bytes);
  json.Key("variant_bytes").Value(comparison.variant_bytes);
  WriteVerdict(comparison.verdict, json.Key("verdict"));
  json.Key("samples").Value(comparison.samples);
  json.Key("sample_source").Value(comparison.sample_source);
  json.Key("why_not_run").Value(comparison.why_not_run);
  json.Key("is_generated").Value(comparison.is_generated);
  json.Key("input_shapes").BeginObject();
  for (const auto& [name, shape] : comparison.input_shapes) {
    json.Key(name).BeginArray();
    for (const std::int64_t size : shape) json.Value(size);
    json.EndArray();
  }
  json.EndObject();
  json.Key("remarks").BeginArray();
  for (const std::string& remark : comparison.remarks) json.Value(remark);
  json.EndArray();
  json.Key("layers").BeginArray();
  for (const LayerComparison& layer : comparison.layers) WriteLayer(layer, json);
  json.EndArray();
  for (const auto& [key, names] : {std::pair("baseline_only", &comparison.baseline_only),
                                   std::pair("variant_only", &comparison.variant_only)}) {
    json.Key(key).BeginArray();
    for (const std::string& name : *names) json.Value(name);
    json.EndArray();
  }
  json.Key("bytes").BeginArray();
  for (const ByteShare& share : comparison.bytes) {
    json.BeginObject();
    json.Key("what").Value(share.what);
    json.Key("baseline_bytes").Value(share.baseline_bytes);
    json.Key("variant_bytes").Value(share.variant_bytes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("lint").BeginArray();
  for (const LintFinding& finding : comparison.lint) {
    json.BeginObject();
    json.Key("rule").Value(NameOf(finding.rule));
    json.Key("node").Value(finding.node);
    json.Key("explanation").Value(finding.explanation);
    json.EndObject();
  }
  json.EndArray();
  WriteVerified(comparison, json);
  json.Key("keep_float").BeginObject();
  for (const Toolchain toolchain : kToolchains) {
    json.Key(NameOf(toolchain))
        .Value(KeepFloatSnippet(NodesToKeepFloat(comparison), toolchain, comparison.scheme));
  }
  json.EndObject();
  json.Key("output_overrides").BeginObject();
  json.Key(NameOf(Toolchain::kOnnxRuntime)).Value(OverridesSnippet(OutputOverrides(comparison)));
  json.EndObject();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace cboard::compare
