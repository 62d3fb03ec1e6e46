// Runs both models on the samples and stores the results for each layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/computed_outputs.h"
#include "compare/measure/output_comparison.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Measured results for a pair of layers with weights.
struct PairRun {
  std::optional<OutputPlan> plan;  // nullopt if the outputs cannot be compared.
  OutputFindings findings;
  std::optional<tensor::SaturationCount> saturation;
};

// Result for a layer without weights: its output is quantized, or it is an If, Loop or Scan that
// contains layers.
struct TensorRun {
  TensorPair pair;
  OutputFindings findings;
};

struct ModelRuns {
  std::vector<PairRun> pairs;  // In the order of the pairs in PairedModels.
  std::vector<TensorRun> tensors;
  OutputSummary samples;  // The samples that were run, and the declared outputs.
  std::string why_not;    // The reason if nothing was run.
};

// Returns true if the user asked for runs (samples, shapes, a runtime or other options). Then a
// failed run is an error. Otherwise, only weights are compared, and `why_not` has the reason.
bool AreRunsAskedFor(const CompareOptions& options);

// Runs nothing, and has no samples, if no output can be captured. If only outputs of an If, Loop or
// Scan can be captured and samples are random, a failed run is not an error: such models often need
// input sizes that fit each other. If `computed` is given, uses these outputs and runs nothing.
// Fails as CompareOutputs does.
Result<ModelRuns> RunModels(const PairedModels& models, const CompareOptions& options,
                            const ComputedOutputs* computed);

}  // namespace cboard::compare
