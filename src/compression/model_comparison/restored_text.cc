// What a run with restored parts is called.
#include <algorithm>

#include "cboard/base/strings.h"
#include "cboard/compression/model_comparison.h"

namespace cboard::compare {
namespace {

// "'conv2' weights and output, 'head' weights".
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
    case Restored::kHurtLayers:
      return layers(red + CountOf(comparison, Level::kAmber), red > 0 ? "red and amber" : "amber") +
             " in float";
    case Restored::kAllWeights:
      return "all weights in float";
    case Restored::kAllOutputs:
      return "all outputs in float";
    case Restored::kAllButParts:
      return "everything in float but " + PartsText(run.parts, max_name_bytes);
    case Restored::kEverything:
      break;
  }
  return "everything in float";
}

}  // namespace cboard::compare
