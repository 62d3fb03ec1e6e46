// Explains why a part damages the outputs, from its values, its codes, and the operators that read
// it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/blame/switched_parts.h"
#include "compare/measure/output_ranges.h"

namespace cboard::compare {

// Input of the blame search. Borrows everything.
struct BlameCase {
  const model::ModelGraph& baseline;
  const model::ModelGraph& variant;
  const std::vector<SwitchedPart>& parts;
  const std::vector<RestorableLayer>& layers;  // Layers of the comparison, in its order.
  const ModelComparison& comparison;

  // Null for parts without a layer, and if values were not captured.
  const LayerComparison* RowOf(const SwitchedPart& part) const;
  const ValueBins* ValuesOf(const SwitchedPart& part) const;
  // The tensor in the baseline; kNoTensor if it is not known.
  model::TensorId BaselineTensorOf(const SwitchedPart& part) const;
};

struct PartCause {
  Cause cause = Cause::kTooFewBits;
  Part part = Part::kOutput;
  std::string sentence;
  // For a mask: the range of the other values.
  std::optional<CodeRange> range;
  std::vector<std::size_t> channels;  // That stand out.
  std::vector<model::NodeId> nodes;   // In the compressed model: the pieces of an operator.
};

PartCause FindCause(const BlameCase& found, const SwitchedPart& part);

// The step of a quantizer divided by the step that the values need for the same codes: 4 is a range
// four times too wide, 0.5 a range half as wide as needed. nullopt if values were not captured.
std::optional<double> StepRatio(const BlameCase& found, const SwitchedPart& part);

}  // namespace cboard::compare
