// Adjusts the levels of layers to the verdict: no layer is red if the outputs are sound, and at
// least one is if they are broken.
#pragma once

#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/evaluate/evaluated_layers.h"

namespace cboard::compare {

// Makes a layer red if heads of very different size share its scale, so that a broken head has
// fewer than four steps. Keeps the order, the worst first.
void BlameSharedScales(const model::ModelGraph& baseline, const EndVerdict& verdict,
                       std::vector<EvaluatedLayer>& layers);

// Red layers become amber if the outputs of the model are sound. Keeps the order.
void ForgiveWhereSound(const EndVerdict& verdict, std::vector<EvaluatedLayer>& layers);

// Fills `verdict.suspects` of a broken model if blame was not measured: its worst red layers. If
// none is red, the layer in which most is lost becomes red.
void NameSuspects(ModelComparison& comparison);

}  // namespace cboard::compare
