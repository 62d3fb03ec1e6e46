// Adjusts the levels of layers to the verdict on the model's outputs: if the outputs are sound, no
// layer is red; if they are broken, at least one layer is red.
#pragma once

#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/evaluate/evaluated_layers.h"

namespace cboard::compare {

// Makes a layer red if its scale is shared by heads of very different magnitude, so that a broken
// head has fewer than four steps. Keeps the order of layers.
void BlameSharedScales(const model::ModelGraph& baseline, const EndVerdict& verdict,
                       std::vector<EvaluatedLayer>& layers);

// Makes red layers amber if the model's outputs are sound. Keeps the order of layers.
void ForgiveWhereSound(const EndVerdict& verdict, std::vector<EvaluatedLayer>& layers);

// Fills `verdict.suspects` of a broken model if its root causes were not measured: with its worst
// red layers. If no layer is red, the layer with the largest loss of SQNR becomes red.
void NameSuspects(ModelComparison& comparison);

}  // namespace cboard::compare
