#include "cboard/compare/model_comparison.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"

namespace cboard::compare {
namespace {

// Returns the node's name without the name of its weights: "lstm" for "lstm/W".
std::string_view WithoutWeights(std::string_view name, std::string_view weights) {
  const bool has_them = !weights.empty() && name.size() > weights.size() + 1 &&
                        name.ends_with(weights) && name[name.size() - weights.size() - 1] == '/';
  if (has_them) name.remove_suffix(weights.size() + 1);
  return name;
}

// The decrease of SQNR in dB between a layer's inputs and its output. SQNRs are limited to 0 to 40
// dB: a signal below 0 dB is lost, and errors above 40 dB are not visible.
double LossOf(const LayerComparison& layer) {
  if (!layer.input_sqnr_db || !layer.accumulated) return 0;
  const auto counted = [](double db) { return std::clamp(db, 0.0, 40.0); };
  return counted(*layer.input_sqnr_db) - counted(layer.accumulated->total.SqnrDb());
}

// Returns a text such as "'conv2' weights and output, 'head' weights".
std::string PartsText(const std::vector<RestoredPart>& parts, std::size_t max_name_bytes) {
  std::string text;
  std::vector<bool> is_named(parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (is_named[i]) continue;
    text += (text.empty() ? "" : ", ") + Quoted(parts[i].layer, max_name_bytes) + " ";
    for (std::size_t k = i; k < parts.size(); ++k) {
      if (parts[k].layer != parts[i].layer) continue;
      is_named[k] = true;
      text += k > i ? " and " : "";
      text += parts[k].part == Part::kOutput ? "output" : "weights";
    }
  }
  return text;
}

}  // namespace

std::string_view NameOf(Restored restored) {
  constexpr std::array<std::string_view, 8> kNames = {
      "nothing",     "parts",       "red_layers", "red_and_amber_layers",
      "all_weights", "all_outputs", "everything", "all_but_parts"};
  return kNames[static_cast<std::size_t>(restored)];
}

std::string_view NodeOf(const LayerComparison& layer) {
  return WithoutWeights(layer.name, layer.weights_name);
}

std::string_view VariantNodeOf(const LayerComparison& layer) {
  return WithoutWeights(layer.variant_name, layer.weights_name);
}

std::string ExplanationOf(const LayerComparison& layer) {
  constexpr double kMinGainDb = 1;
  const std::string& explanation = layer.diagnosis.explanation;
  if (explanation.empty() || !layer.useful_output_db || !layer.local ||
      *layer.useful_output_db >= Thresholds().sqnr_amber_db ||
      *layer.useful_output_db > layer.local->total.SqnrDb() - kMinGainDb) {
    return explanation;
  }
  return explanation + "; weighted by the next layer's weights, output SQNR is " +
         verdict::ShortNumber(*layer.useful_output_db, 3) + " dB";
}

const LayerComparison* LastLayer(const ModelComparison& comparison) {
  const LayerComparison* last = nullptr;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.accumulated && (last == nullptr || layer.depth >= last->depth)) last = &layer;
  }
  return last;
}

std::vector<const LayerComparison*> LargestLosses(const ModelComparison& comparison) {
  constexpr std::size_t kMaxLosses = 3;
  constexpr double kMinLossDb = 6;
  std::vector<const LayerComparison*> layers;
  for (const LayerComparison& layer : comparison.layers) {
    if (LossOf(layer) >= kMinLossDb) layers.push_back(&layer);
  }
  std::ranges::stable_sort(layers, std::greater(), [](const auto* each) { return LossOf(*each); });
  layers.resize(std::min(layers.size(), kMaxLosses));
  return layers;
}

std::size_t CountOf(const ModelComparison& comparison, Level level) {
  return static_cast<std::size_t>(std::ranges::count_if(
      comparison.layers, [&](const auto& layer) { return layer.diagnosis.level == level; }));
}

std::string RestoredText(const ModelComparison& comparison, const Verification& run,
                         std::size_t max_name_bytes) {
  const auto layers = [](std::size_t count, const std::string& which) {
    return "the " + (count == 1 ? "" : HumanCount(count) + " ") + which +
           (count == 1 ? " layer" : " layers");
  };
  const std::size_t red = CountOf(comparison, Level::kRed);
  switch (run.restored) {
    case Restored::kNothing:
      return "as it is";
    case Restored::kParts:
      return PartsText(run.parts, max_name_bytes) + " in float";
    case Restored::kRedLayers:
      return layers(red, "red") + " in float";
    case Restored::kRedAndAmberLayers:
      return layers(red + CountOf(comparison, Level::kAmber), red > 0 ? "red and amber" : "amber") +
             " in float";
    case Restored::kAllWeights:
      return "all weights in float";
    case Restored::kAllOutputs:
      return "all outputs in float";
    case Restored::kAllExceptParts:
      return "everything in float but " + PartsText(run.parts, max_name_bytes);
    case Restored::kEverything:
      break;
  }
  return "everything in float";
}

std::vector<std::string> NodesToKeepFloat(const ModelComparison& comparison) {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.diagnosis.level != Level::kRed) continue;
    for (const std::string& node : layer.float_nodes) {
      if (seen.insert(node).second) names.push_back(node);
    }
  }
  return names;
}

std::vector<ActivationOverride> OutputOverrides(const ModelComparison& comparison) {
  std::vector<ActivationOverride> overrides;
  if (comparison.is_generated) return overrides;  // Ranges must not be calibrated on random data.
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.diagnosis.level != Level::kRed || layer.output_tensor.empty()) continue;
    const auto found =
        std::ranges::find_if(layer.fixes, [](const Fix& fix) { return fix.output.has_value(); });
    if (found == layer.fixes.end()) continue;
    const Fix::OutputQuantizer& quantizer = *found->output;
    ActivationOverride each{.tensor = layer.output_tensor,
                            .bits = quantizer.bits,
                            .is_signed = quantizer.is_signed,
                            .is_symmetric = quantizer.is_symmetric};
    if (each.bits < 16) each.range = {quantizer.low, quantizer.high};
    overrides.push_back(std::move(each));
  }
  return overrides;
}

std::string VariantName(const ModelComparison& comparison) {
  std::map<std::string_view, std::size_t> layers;
  std::size_t weighted = 0, pruned = 0;
  for (const LayerComparison& layer : comparison.layers) {
    if (!layer.weight) continue;
    ++layers[layer.precision];
    ++weighted;
    if (layer.diagnosis.cause == Cause::kPruned) ++pruned;
  }
  const auto most = std::ranges::max_element(layers, {}, [](const auto& e) { return e.second; });
  if (most != layers.end() && most->first != "fp32") return std::string(most->first);
  return 2 * pruned > weighted ? "pruned" : "variant";
}

}  // namespace cboard::compare
