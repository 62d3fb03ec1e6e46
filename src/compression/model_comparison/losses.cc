// Where a network ends, and in which of its layers most is lost.
#include <algorithm>
#include <functional>

#include "cboard/compression/model_comparison.h"

namespace cboard::compare {
namespace {

// How much of the SQNR is lost between a layer's inputs and its output. Above 40 dB nobody sees it,
// and below 0 there is nothing left to lose.
double LossOf(const LayerComparison& layer) {
  if (!layer.input_sqnr_db || !layer.accumulated) return 0;
  const auto counted = [](double db) { return std::clamp(db, 0.0, 40.0); };
  return counted(*layer.input_sqnr_db) - counted(layer.accumulated->total.SqnrDb());
}

}  // namespace

const LayerComparison* LastLayer(const ModelComparison& comparison) {
  const LayerComparison* last = nullptr;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.accumulated && (last == nullptr || layer.depth >= last->depth)) last = &layer;
  }
  return last;
}

std::vector<const LayerComparison*> MostLost(const ModelComparison& comparison) {
  constexpr std::size_t kMost = 3;
  constexpr double kLeastDb = 6;
  std::vector<const LayerComparison*> layers;
  for (const LayerComparison& layer : comparison.layers) {
    if (LossOf(layer) >= kLeastDb) layers.push_back(&layer);
  }
  std::ranges::stable_sort(layers, std::greater(), [](const auto* each) { return LossOf(*each); });
  layers.resize(std::min(layers.size(), kMost));
  return layers;
}

}  // namespace cboard::compare
