// The outputs of layers in both models, streamed sample by sample.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/diagnosis/residuals.h"
#include "compare/layers/model_layers.h"
#include "compare/measure/end_outputs.h"
#include "compare/measure/output_ranges.h"
#include "compare/measure/saturation_check.h"

namespace cboard::compare {

// Which dimension of an output has the channels.
enum class ChannelPlace {
  kByRank,  // The second of four, otherwise the last.
  kSecond,  // As convolutions have them.
  kLast,    // As recurrent nodes have them, whose second of four are directions.
};

// The tensors of the two models that are the same output.
struct OutputPlan {
  std::string baseline;
  std::string variant;  // Behind the quantizer, if there is one.
  std::string before;   // Input of the quantizer; empty if there is none.
  ChannelPlace channels = ChannelPlace::kByRank;
  std::optional<std::size_t> channel_axis =
      {};  // Where the graph says which; overrides `channels`.
  // An activation that the compressed model's quantizer replaces by its range.
  std::optional<ClampRange> clamp;
  std::optional<model::ModelQuantization> codes;  // `variant` holds codes: how to read them.
  std::optional<tensor::QuantizationGrid> grid;   // Grid of the quantizer.
  // For a declared output with several heads: these channels along `head_axis` are measured
  // separately, and the worst one counts.
  struct Channels {
    std::size_t first = 0, count = 0;
  };
  std::vector<Channels> heads = {};
  std::size_t head_axis = 0;
  // Factors by which the baseline's channels are multiplied in the compressed model after
  // equalization; see Equalized. Behind a Flatten, each is for several.
  std::vector<double> factors = {};
};

struct OutputFindings {
  std::optional<tensor::Comparison> local;
  // Error of the quantizer on the baseline's output. In `local`, the quantizer's input also has the
  // errors of earlier layers.
  std::optional<tensor::Comparison> undisturbed;
  // Residuals of these two, if there is a grid.
  ClippingResidual local_residual, baseline_input_residual;
  std::optional<tensor::Comparison> accumulated;  // Nothing when shapes differ.
  std::optional<std::size_t> channel_axis;        // Channel axis of the outputs.
  // The baseline's values if there is a quantizer, unless its scale is infinite.
  std::shared_ptr<const ValueBins> values;
  std::optional<tensor::QuantizationGrid> grid;
  std::optional<Histograms> histograms;
  std::vector<double> sample_cosines;  // See LayerComparison.
};

// The plan for a pair of layers with weights; nothing when their outputs cannot be compared, such
// as those in bodies of If, Loop and Scan, which nobody outside sees.
std::optional<OutputPlan> PlanOutput(const model::ModelGraph& baseline, const ModelLayer& before,
                                     const model::ModelGraph& variant, const ModelLayer& after);

// Quantized tensors that belong to no layer in `variant_layers`, found in the baseline by name.
struct TensorPair {
  OutputPlan plan;
  std::string name;  // Name of the node that computes it in the baseline, or of the input.
  std::string variant_name;
  std::string op_type;  // "Input" for inputs of the model.
  std::size_t depth = 0;
  int bits = 8;
};
std::vector<TensorPair> PairQuantizedTensors(const model::ModelGraph& baseline,
                                             const model::ModelGraph& variant,
                                             const std::vector<ModelLayer>& variant_layers);

// Outputs of an If, Loop or Scan of the main graph that has some of `baseline_layers` inside, which
// cannot be captured: found in the compressed model by name, and not rounded there.
std::vector<TensorPair> PairBodyOutputs(const model::ModelGraph& baseline,
                                        const model::ModelGraph& variant,
                                        const std::vector<ModelLayer>& baseline_layers);

struct OutputSummary {
  std::vector<OutputFindings> outputs;  // In the order of the plans.
  std::vector<EndFindings> ends;        // The declared outputs.
  std::size_t samples = 0;
  std::string source;
  bool is_generated = false;
  model::InputShapes input_shapes;  // Input shapes of the first sample.
};

// Runs both models and compares what `plans` name; `checks` get the codes they ask for of the
// compressed one. Fails as OpenSamples and ModelCapture do.
Result<OutputSummary> CompareOutputs(const model::ModelGraph& baseline,
                                     const model::ModelGraph& variant,
                                     const std::vector<OutputPlan>& plans,
                                     std::span<SaturationCheck> checks,
                                     const CompareOptions& options);

}  // namespace cboard::compare
