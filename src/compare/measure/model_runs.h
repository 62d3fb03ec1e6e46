// Runs both models on samples and stores the results by layer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "compare/measure/output_comparison.h"
#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Result for a pair of layers with weights.
struct PairRun {
  std::optional<OutputPlan> plan;  // Nothing when their outputs cannot be compared.
  OutputFindings findings;
  std::optional<tensor::SaturationCount> saturation;
};

// Result for a layer without weights whose output is quantized, or which has layers inside.
struct TensorRun {
  TensorPair pair;
  OutputFindings findings;
};

struct ModelRuns {
  std::vector<PairRun> pairs;  // In the order of the models' pairs.
  std::vector<TensorRun> tensors;
  OutputSummary samples;  // The samples that were run, with the outputs above.
  std::string why_not;    // Why nothing was.
};

// Returns true if the user asked for runs (samples, shapes, a runtime or other options): a failed
// run is then an error. Otherwise only weights are compared, and `why_not` has the reason.
bool AreRunsAskedFor(const CompareOptions& options);

// Runs nothing, and has no samples, if no output can be captured. If only outputs of an If, Loop or
// Scan can be captured and samples are random, a failed run is not an error: such models often need
// input sizes that fit each other. Fails as CompareOutputs does.
Result<ModelRuns> RunModels(const PairedModels& models, const CompareOptions& options);

}  // namespace cboard::compare
