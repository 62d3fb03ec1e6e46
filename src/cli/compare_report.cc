#include "cli/compare_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cli/text_table.h"

namespace cboard::cli {
namespace {

using compare::Fix;
using compare::LayerComparison;
using compare::Level;
using compare::ModelComparison;

constexpr std::size_t kMaxNameWidth = 60;

std::string Decibels(std::optional<double> value) {
  if (!value || std::isnan(*value)) return "";
  if (std::isinf(*value)) return *value > 0 ? "exact" : "lost";
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.1f", *value);
  return text.data();
}

std::optional<double> SqnrOf(const std::optional<Comparison>& comparison) {
  if (!comparison) return std::nullopt;
  return comparison->total.SqnrDb();
}

std::optional<double> WorstChannelOf(const std::optional<Comparison>& comparison) {
  if (!comparison || !comparison->worst_channel) return std::nullopt;
  return comparison->channels[*comparison->worst_channel].SqnrDb();
}

std::size_t CountOf(const ModelComparison& comparison, Level level) {
  return static_cast<std::size_t>(std::ranges::count_if(
      comparison.layers, [&](const auto& layer) { return layer.diagnosis.level == level; }));
}

// The layer that runs last of those with an output.
const LayerComparison* LastOf(const ModelComparison& comparison) {
  const LayerComparison* last = nullptr;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.accumulated && (last == nullptr || layer.depth >= last->depth)) last = &layer;
  }
  return last;
}

void AppendVerdict(const ModelComparison& comparison, std::string& text) {
  text += Quoted(comparison.baseline.string(), 1000) + " (" +
          HumanBytes(static_cast<double>(comparison.baseline_bytes)) + ") and " +
          Quoted(comparison.variant.string(), 1000) + " (" +
          HumanBytes(static_cast<double>(comparison.variant_bytes)) + ", " +
          compare::VariantName(comparison) + ")\n";
  text += Plural(comparison.layers.size(), "layer") +
          " compared: " + std::to_string(CountOf(comparison, Level::kRed)) + " red, " +
          std::to_string(CountOf(comparison, Level::kAmber)) + " amber, " +
          std::to_string(CountOf(comparison, Level::kGreen)) + " green\n";
  if (!comparison.why_not_run.empty()) {
    text += "Only weights were compared: " + comparison.why_not_run + ".\n";
  } else {
    text += "Outputs are those for " + Plural(comparison.samples, "sample") + ": " +
            Printable(comparison.sample_source) + "\n";
  }
  if (comparison.is_generated) {
    text +=
        "Samples were made up: outputs describe the models, not their use. Give real ones with "
        "--data.\n";
  }
  if (const LayerComparison* last = LastOf(comparison)) {
    text += "The last layer, " + Quoted(last->name, kMaxNameWidth) + ", keeps an SQNR of " +
            Decibels(SqnrOf(last->accumulated)) + " dB with all errors before it.\n";
  }
}

void AppendTable(const ModelComparison& comparison, std::size_t top, std::string& text) {
  TextTable table({{"level"},
                   {"layer"},
                   {"operator"},
                   {"bits", Align::kRight},
                   {"weights dB", Align::kRight},
                   {"worst channel", Align::kRight},
                   {"output dB", Align::kRight},
                   {"accumulated dB", Align::kRight},
                   {"cause"}});
  for (std::size_t i = 0; i < std::min(top, comparison.layers.size()); ++i) {
    const LayerComparison& layer = comparison.layers[i];
    const bool is_green = layer.diagnosis.level == Level::kGreen;
    table.AddRow({std::string(NameOf(layer.diagnosis.level)), Shortened(layer.name, kMaxNameWidth),
                  layer.op_type, std::to_string(layer.bits), Decibels(SqnrOf(layer.weight)),
                  Decibels(WorstChannelOf(layer.weight)), Decibels(SqnrOf(layer.local)),
                  Decibels(SqnrOf(layer.accumulated)),
                  is_green ? "" : std::string(NameOf(layer.diagnosis.cause))});
  }
  table.DropEmptyColumns();
  if (!table.empty()) text += "\n" + table.Render();
  if (comparison.layers.size() > top) {
    text += "… and " + Plural(comparison.layers.size() - top, "better layer") + "\n";
  }
}

std::string FixText(const Fix& fix) {
  std::string text = fix.action + ": " + Decibels(fix.sqnr_db);
  if (!std::isinf(fix.sqnr_db)) text += " dB";
  if (fix.worst_channel_sqnr_db) {
    text += ", worst channel " + Decibels(fix.worst_channel_sqnr_db) + " dB";
  }
  if (fix.size_bytes) text += ", " + HumanBytes(static_cast<double>(*fix.size_bytes));
  return text;
}

void AppendCauses(const ModelComparison& comparison, std::size_t top, std::string& text) {
  for (std::size_t i = 0; i < std::min(top, comparison.layers.size()); ++i) {
    const LayerComparison& layer = comparison.layers[i];
    if (layer.diagnosis.level == Level::kGreen) break;
    text += "\n" + Quoted(layer.name, kMaxNameWidth) + " (" +
            std::string(NameOf(layer.diagnosis.level)) + ", " +
            std::string(NameOf(layer.diagnosis.part)) +
            "): " + Printable(layer.diagnosis.explanation) + "\n";
    for (const Fix& fix : layer.fixes) text += "  - " + FixText(fix) + "\n";
  }
}

void AppendLint(const ModelComparison& comparison, std::size_t top, std::string& text) {
  if (comparison.lint.empty()) return;
  text += "\nIn the compressed graph:\n";
  for (std::size_t i = 0; i < std::min(top, comparison.lint.size()); ++i) {
    const compare::LintFinding& finding = comparison.lint[i];
    text += "  - " + std::string(NameOf(finding.rule)) + ", " +
            Quoted(finding.node, kMaxNameWidth) + ": " + Printable(finding.explanation) + "\n";
  }
  if (comparison.lint.size() > top) {
    text += "  … and " + std::to_string(comparison.lint.size() - top) + " more\n";
  }
}

void AppendSaturation(const ModelComparison& comparison, std::size_t top, std::string& text) {
  std::vector<const LayerComparison*> layers;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.saturation && layer.saturation->saturated > 0) layers.push_back(&layer);
  }
  if (layers.empty()) return;
  std::ranges::stable_sort(layers, std::greater<>(),
                           [](const LayerComparison* layer) { return layer->saturation->Rate(); });
  text +=
      "\nOn processors without VNNI, sums of products overflow 16 bits there, and answers differ "
      "from those here; quantize with reduce_range, or activations as int8:\n";
  for (std::size_t i = 0; i < std::min(top, layers.size()); ++i) {
    const SaturationCount& count = *layers[i]->saturation;
    text += "  - " + Quoted(layers[i]->name, kMaxNameWidth) + ": " + HumanCount(count.saturated) +
            " of " + HumanCount(count.pairs) + " pairs, in " + HumanCount(count.affected) + " of " +
            HumanCount(count.products) + " results\n";
  }
}

void AppendBytes(const ModelComparison& comparison, std::string& text) {
  TextTable table({{"bytes of"}, {"baseline", Align::kRight}, {"variant", Align::kRight}});
  for (const compare::ByteShare& share : comparison.bytes) {
    table.AddRow({share.what, HumanBytes(static_cast<double>(share.baseline_bytes)),
                  HumanBytes(static_cast<double>(share.variant_bytes))});
  }
  if (!table.empty()) text += "\n" + table.Render();
}

std::vector<std::string> RedLayers(const ModelComparison& comparison) {
  std::vector<std::string> names;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.diagnosis.level == Level::kRed && layer.weight) names.push_back(layer.name);
  }
  return names;
}

void AppendUnpaired(const ModelComparison& comparison, std::string& text) {
  for (const auto& [names, side] : {std::pair(&comparison.baseline_only, "the baseline"),
                                    std::pair(&comparison.variant_only, "the variant")}) {
    if (names->empty()) continue;
    text += "\nOnly in " + std::string(side) + ": ";
    for (std::size_t i = 0; i < std::min<std::size_t>(names->size(), 5); ++i) {
      text += (i > 0 ? ", " : "") + Quoted((*names)[i], kMaxNameWidth);
    }
    if (names->size() > 5) text += ", … (" + HumanCount(names->size()) + ")";
    text += "\n";
  }
}

void WriteNumber(std::optional<double> value, JsonWriter& json) {
  if (value) {
    json.Value(*value);
  } else {
    json.Null();
  }
}

void WriteComparison(std::string_view key, const std::optional<Comparison>& comparison,
                     JsonWriter& json) {
  json.Key(key);
  if (!comparison) {
    json.Null();
    return;
  }
  const PairStatistics& total = comparison->total;
  json.BeginObject();
  json.Key("sqnr_db").Value(total.SqnrDb());
  json.Key("worst_channel");
  if (comparison->worst_channel) {
    json.Value(*comparison->worst_channel);
  } else {
    json.Null();
  }
  WriteNumber(WorstChannelOf(comparison), json.Key("worst_channel_sqnr_db"));
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
  json.EndObject();
}

void WriteSaturation(const std::optional<SaturationCount>& count, JsonWriter& json) {
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
  json.Key("op_type").Value(layer.op_type);
  json.Key("paired_by").Value(NameOf(layer.paired_by));
  json.Key("depth").Value(layer.depth);
  json.Key("bits").Value(layer.bits);
  json.Key("is_rescaled").Value(layer.is_rescaled);
  json.Key("baseline_bytes").Value(layer.baseline_bytes);
  json.Key("variant_bytes").Value(layer.variant_bytes);
  WriteNumber(layer.bias_shift, json.Key("bias_shift"));
  WriteComparison("weight", layer.weight, json);
  WriteComparison("local", layer.local, json);
  WriteComparison("accumulated", layer.accumulated, json);
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
    WriteNumber(fix.worst_channel_sqnr_db, json.Key("worst_channel_sqnr_db"));
    json.Key("size_bytes");
    if (fix.size_bytes) {
      json.Value(*fix.size_bytes);
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::string CompareText(const ModelComparison& comparison, std::size_t top) {
  std::string text;
  AppendVerdict(comparison, text);
  AppendTable(comparison, top, text);
  AppendCauses(comparison, top, text);
  AppendLint(comparison, top, text);
  AppendSaturation(comparison, top, text);
  AppendBytes(comparison, text);
  AppendUnpaired(comparison, text);
  const std::string snippet =
      KeepFloatSnippet(RedLayers(comparison), compare::Toolchain::kOnnxRuntime);
  if (!snippet.empty()) {
    text += "\nTo keep the red layers in float32 (for other quantizers, see --json):\n" + snippet;
  }
  return text;
}

std::string CompareJson(const ModelComparison& comparison) {
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject();
  json.Key("baseline").Value(comparison.baseline.string());
  json.Key("variant").Value(comparison.variant.string());
  json.Key("variant_name").Value(compare::VariantName(comparison));
  json.Key("baseline_bytes").Value(comparison.baseline_bytes);
  json.Key("variant_bytes").Value(comparison.variant_bytes);
  json.Key("samples").Value(comparison.samples);
  json.Key("sample_source").Value(comparison.sample_source);
  json.Key("why_not_run").Value(comparison.why_not_run);
  json.Key("is_generated").Value(comparison.is_generated);
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
  for (const compare::ByteShare& share : comparison.bytes) {
    json.BeginObject();
    json.Key("what").Value(share.what);
    json.Key("baseline_bytes").Value(share.baseline_bytes);
    json.Key("variant_bytes").Value(share.variant_bytes);
    json.EndObject();
  }
  json.EndArray();
  json.Key("lint").BeginArray();
  for (const compare::LintFinding& finding : comparison.lint) {
    json.BeginObject();
    json.Key("rule").Value(NameOf(finding.rule));
    json.Key("node").Value(finding.node);
    json.Key("explanation").Value(finding.explanation);
    json.EndObject();
  }
  json.EndArray();
  json.Key("keep_float").BeginObject();
  for (const compare::Toolchain toolchain : compare::kToolchains) {
    json.Key(NameOf(toolchain)).Value(KeepFloatSnippet(RedLayers(comparison), toolchain));
  }
  json.EndObject();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace cboard::cli
