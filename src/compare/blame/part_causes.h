// Explains why a part (weight, bias or output of a layer) damages the model's outputs. Uses its
// values, its codes, and the operators that read it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/blame/switched_parts.h"
#include "compare/measure/output_ranges.h"

namespace cboard::compare {

// The models and measurements in which root causes are searched. Borrows all of its members.
struct BlameCase {
  const model::ModelGraph& baseline;
  const model::ModelGraph& variant;
  const std::vector<SwitchedPart>& parts;
  const std::vector<RestorableLayer>& layers;  // Layers of the comparison, in its order.
  const ModelComparison& comparison;

  // The following functions return null for parts without a layer, or if the values were not
  // captured.
  const LayerComparison* RowOf(const SwitchedPart& part) const;
  const ValueBins* ValuesOf(const SwitchedPart& part) const;
  // Returns the tensor of the baseline that corresponds to a part; kNoTensor if unknown.
  model::TensorId BaselineTensorOf(const SwitchedPart& part) const;
};

struct PartCause {
  Cause cause = Cause::kTooFewBits;
  Part part = Part::kOutput;
  std::string sentence;
  // For a tensor that contains a mask: the range of all values except the value of the mask.
  std::optional<CodeRange> range;
  std::vector<std::size_t> channels;  // Channels with unusual values.
  std::vector<model::NodeId> nodes;   // Nodes of the compressed model that form one operator.
};

PartCause FindCause(const BlameCase& found, const SwitchedPart& part);

// Returns true if the weights of a part have a scale for each block of them, as in MatMulNBits.
bool HasWeightBlocks(const BlameCase& found, const SwitchedPart& part);

// The scale of a quantizer divided by the scale that fits its values: 4 means that the range is
// four times too wide, 0.5 that it is half as wide as needed. nullopt if the values were not
// captured.
std::optional<double> StepRatio(const BlameCase& found, const SwitchedPart& part);

}  // namespace cboard::compare
