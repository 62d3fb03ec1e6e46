// Ranges, scales and reasons for every tensor and weight that is placed.
#pragma once

#include "cboard/quantize/plan.h"
#include "cboard/quantize/statistics.h"
#include "quantize/graph/graph.h"
#include "quantize/placement/placement.h"

namespace cboard::quantize {

Plan MakePlan(const Graph& graph, const Placement& placement, const Statistics& statistics,
              const QuantizeOptions& options);

// Chooses the range of one activation and sets scale, zero point and predicted SQNR.
void ChooseRange(const TensorStatistics& statistics, RangeMethod method, double percentile,
                 ActivationPlan& plan);

// Copies scales to tensors that share them, after ranges have changed.
void ShareScales(Plan& plan);

// The scales of a weight; values are those of the plan, or of the constant.
void SetWeightScales(const Constant& weight, bool avoids_saturation, WeightPlan& plan);

// Target::kThisMachine becomes the target that this processor needs.
Target ResolveTarget(Target target);

}  // namespace cboard::quantize
