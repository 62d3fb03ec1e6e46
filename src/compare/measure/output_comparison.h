// Compares the outputs of layers in both models. Samples are processed one by one, so memory does
// not grow with their number.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/computed_outputs.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "compare/diagnosis/residuals.h"
#include "compare/layers/model_layers.h"
#include "compare/measure/end_outputs.h"
#include "compare/measure/output_ranges.h"
#include "compare/measure/saturation_check.h"

namespace cboard::compare {

// Tells which dimension of an output has the channels.
enum class ChannelPlace {
  kByRank,  // The second of four dimensions; otherwise the last.
  kSecond,  // For convolutions.
  kLast,    // For recurrent nodes, whose second dimension of four has the directions.
};

// A tensor of the baseline and a tensor of the variant that are compared as the same output.
struct OutputPlan {
  std::string baseline;
  std::string variant;  // Output of the quantizer, if there is one.
  std::string before;   // Input of the quantizer; empty if there is none.
  ChannelPlace channels = ChannelPlace::kByRank;
  std::optional<std::size_t> channel_axis =
      {};  // The axis if the graph shows it; overrides `channels`.
  // Range of the baseline's activation if the compressed model has a quantizer with this range
  // instead.
  std::optional<ClampRange> clamp;
  std::optional<model::ModelQuantization> codes;  // Set if `variant` is integer codes.
  std::optional<tensor::QuantizationGrid> grid;   // Grid of the quantizer.
  // The channels of each head along `head_axis`; only for a declared output with several heads.
  // Heads are measured separately, and the lowest SQNR is used.
  struct Channels {
    std::size_t first = 0, count = 0;
  };
  std::vector<Channels> heads = {};
  std::size_t head_axis = 0;
  // Factors by which equalization has multiplied the channels of this output in the compressed
  // model; see Equalized. Behind a Flatten, a factor applies to several channels.
  std::vector<double> factors = {};
};

struct OutputFindings {
  std::optional<tensor::Comparison> local;
  // Error of the quantizer if its input is the baseline's output. In contrast, `local` uses the
  // quantizer's input in the compressed model, which contains the errors of earlier layers.
  std::optional<tensor::Comparison> undisturbed;
  // Clipping residuals of `local` and `undisturbed`, if there is a quantizer.
  ClippingResidual local_residual, baseline_input_residual;
  std::optional<tensor::Comparison> accumulated;  // nullopt if shapes differ.
  std::optional<std::size_t> channel_axis;        // Dimension of the outputs that has the channels.
  // The baseline's values; null without a quantizer or if its scale is infinite.
  std::shared_ptr<const ValueBins> values;
  std::optional<tensor::QuantizationGrid> grid;
  std::optional<Histograms> histograms;
  std::vector<ChannelHistograms> channel_histograms;  // The worst channels of `accumulated`.
  std::vector<double> sample_cosines;                 // See LayerComparison.
};

// Returns the tensors to compare for a pair of layers with weights; nullopt if their outputs cannot
// be compared, for example because tensors in bodies of If, Loop and Scan cannot be captured.
std::optional<OutputPlan> PlanOutput(const model::ModelGraph& baseline, const ModelLayer& before,
                                     const model::ModelGraph& variant, const ModelLayer& after);

// A quantized tensor that is not the output of a layer in `variant_layers`. The tensor of the
// baseline has the same name.
struct TensorPair {
  OutputPlan plan;
  std::string name;  // Name of the baseline's node that computes it, or of the model input.
  std::string variant_name;
  std::string op_type;  // "Input" for inputs of the model.
  std::size_t depth = 0;
  int bits = 8;
};
std::vector<TensorPair> PairQuantizedTensors(const model::ModelGraph& baseline,
                                             const model::ModelGraph& variant,
                                             const std::vector<ModelLayer>& variant_layers);

// Returns the outputs of each If, Loop or Scan of the main graph that contains layers of
// `baseline_layers`: the outputs of these layers cannot be captured. Only outputs are returned that
// the compressed model has under the same name and does not quantize.
std::vector<TensorPair> PairBodyOutputs(const model::ModelGraph& baseline,
                                        const model::ModelGraph& variant,
                                        const std::vector<ModelLayer>& baseline_layers);

struct OutputSummary {
  std::vector<OutputFindings> outputs;  // In the order of `plans`.
  std::vector<EndFindings> ends;        // Declared outputs of the models.
  std::size_t samples = 0;
  std::string source;
  bool is_generated = false;
  model::InputShapes input_shapes;  // Input shapes of the first sample.
};

// Runs both models and compares the tensors that `plans` name. `checks` get the activation codes of
// the compressed model. If `computed` is given, compares the outputs in it and runs nothing. Fails
// if OpenSamples or ModelCapture fail.
Result<OutputSummary> CompareOutputs(const model::ModelGraph& baseline,
                                     const model::ModelGraph& variant,
                                     const std::vector<OutputPlan>& plans,
                                     std::span<SaturationCheck> checks,
                                     const CompareOptions& options,
                                     const ComputedOutputs* computed);

}  // namespace cboard::compare
