#include "analysis/layers/carried_errors.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

bool IsOutput(const RankedLayer& layer) {
  return layer.baseline.role == TensorRole::kOutput && !layer.baseline.tag.empty();
}

// Returns true if the error may come from earlier layers. A metric measured for the layer alone
// excludes this.
bool MayBeCarried(const RankedLayer& layer) {
  return IsOutput(layer) && !layer.from_logged && layer.diagnosis.level > Level::kGreen;
}

}  // namespace

void MarkCarriedErrors(std::vector<RankedLayer>& layers) {
  std::set<std::string_view> broken;  // Layers whose own weights or other parameters are damaged.
  RankedLayer* first = nullptr;
  for (RankedLayer& layer : layers) {
    if (!IsOutput(layer)) {
      if (layer.diagnosis.level == Level::kRed) broken.insert(layer.baseline.layer);
    } else if (MayBeCarried(layer) && layer.diagnosis.level == Level::kRed &&
               (first == nullptr || layer.baseline.depth < first->baseline.depth)) {
      first = &layer;
    }
  }
  if (first == nullptr) return;
  bool has_victims = false;
  for (RankedLayer& layer : layers) {
    const bool is_behind = layer.baseline.depth > first->baseline.depth;
    if (!is_behind || !MayBeCarried(layer) || broken.contains(layer.baseline.layer)) continue;
    has_victims = true;
    layer.carried_from = first->baseline.layer;
    layer.diagnosis.cause = Cause::kCarried;
    layer.diagnosis.explanation = "the first damaged output is that of " +
                                  Quoted(layer.carried_from) + ", an earlier layer; " +
                                  layer.diagnosis.explanation;
  }
  if (!has_victims) return;
  const bool by_parameters = broken.contains(first->baseline.layer);
  first->diagnosis.explanation +=
      by_parameters
          ? "; the error starts here, and parameters of this layer are red, too"
          : "; the error starts here: no earlier output and no parameter of this layer is red";
}

void MarkPrunedOutputs(std::vector<RankedLayer>& layers) {
  const RankedLayer* first = nullptr;
  for (const RankedLayer& layer : layers) {
    if (layer.diagnosis.cause != Cause::kPruned) continue;
    if (first == nullptr || layer.baseline.depth < first->baseline.depth) first = &layer;
  }
  if (first == nullptr) return;
  for (RankedLayer& layer : layers) {
    const bool is_unexplained =
        !layer.from_comparison &&
        (layer.diagnosis.cause == Cause::kChanged || layer.diagnosis.cause == Cause::kWrongScale);
    if (!IsOutput(layer) || !is_unexplained) continue;
    if (layer.baseline.depth < first->baseline.depth) continue;
    layer.diagnosis.cause = Cause::kPruned;
    layer.diagnosis.level = std::min(layer.diagnosis.level, Level::kAmber);
    layer.diagnosis.explanation =
        "weights are pruned from " + Quoted(first->baseline.layer) +
        " on, so the outputs differ; the model's accuracy shows the cost; " +
        layer.diagnosis.explanation;
  }
}

}  // namespace cboard::analysis
