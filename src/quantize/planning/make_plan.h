// Chooses ranges, scales and reasons for every placed tensor and weight.
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

// Copies scales to the tensors that share them, after ranges have changed.
void ShareScales(Plan& plan);

// Sets the scales of a weight, from the values of the plan if it has any, else of the constant.
void SetWeightScales(const Constant& weight, bool avoids_saturation, WeightPlan& plan);

// Replaces Target::kThisMachine by the target for this processor.
Target ResolveTarget(Target target);

}  // namespace cboard::quantize
