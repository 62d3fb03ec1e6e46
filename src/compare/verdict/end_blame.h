// Layers in the light of the verdict: nothing is red where the end is sound, and something is where
// it is broken.
#pragma once

#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/evaluate/evaluated_layers.h"

namespace cboard::compare {

// Makes red the layer whose one scale, shared by heads of very different size, leaves a broken head
// fewer than four steps. Keeps the worst first.
void BlameSharedScales(const model::ModelGraph& baseline, const EndVerdict& verdict,
                       std::vector<EvaluatedLayer>& layers);

// Red layers become amber if the outputs of the model are sound. Keeps the order.
void ForgiveWhereSound(const EndVerdict& verdict, std::vector<EvaluatedLayer>& layers);

// Fills `verdict.suspects` of a broken model where blame was not measured: its worst red layers;
// where none is red, the layer in which most is lost becomes so.
void NameSuspects(ModelComparison& comparison);

}  // namespace cboard::compare
