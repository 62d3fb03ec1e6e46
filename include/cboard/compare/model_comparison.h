// Result of a comparison of two files of one model: layers, causes, fixes and the verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/compare/end_verdict.h"
#include "cboard/compare/keep_float.h"
#include "cboard/compare/model_lint.h"
#include "cboard/model/input_shapes.h"
#include "cboard/tensor/compare.h"
#include "cboard/tensor/histogram.h"
#include "cboard/tensor/saturation.h"
#include "cboard/verdict/damage.h"

namespace cboard::compare {

using verdict::Cause;
using verdict::Diagnosis;
using verdict::Level;
using verdict::NameOf;
using verdict::PairedBy;
using verdict::Part;
using verdict::Thresholds;

// Another way to quantize a damaged tensor, with its predicted SQNR.
struct Fix {
  std::string action;  // "one scale per output channel"
  // Predicted SQNR. For weights it is computed from the requantized weights. For outputs it is
  // computed from the baseline's values on the samples, and channels are weighted as in
  // `useful_output_db` if that is known. Infinite for float32.
  double sqnr_db = 0;
  std::optional<double> worst_channel_sqnr_db;  // Weights only.
  std::optional<std::uint64_t> size_bytes;      // Weights only.

  // Another quantizer for a layer's output, if a fix proposes one.
  struct OutputQuantizer {
    int bits = 8;
    double low = 0, high = 0;
    bool is_signed = false;
    bool is_symmetric = false;  // Zero is in the middle of the range and has code 0.
  };
  std::optional<OutputQuantizer> output;

  bool is_measured = false;  // `sqnr_db` was measured at the model's output with this fix.
};

// Histograms of both models; set only if CompareOptions requested histograms.
struct Histograms {
  tensor::HistogramData baseline;
  tensor::HistogramData variant;
};

// Histograms of one channel.
struct ChannelHistograms {
  std::size_t channel = 0;
  Histograms histograms;
};

inline constexpr std::size_t kMaxSampleCosines = 20;

struct LayerComparison {
  // Name in the baseline. A recurrent node has several weights and one layer for each; the layer's
  // name consists of the node and the weights: "lstm/W", "lstm/R". Names of nodes in subgraphs of
  // If, Loop and Scan start with the outer node and its attribute: "If_0/then_branch/conv".
  std::string name;
  std::string variant_name;  // Name in the compressed model.
  std::string weights_name;  // "W", "R", …; empty if the node has one weight only.
  // Name of the node in the baseline's file. Quantizers accept this name to exclude the node. Empty
  // for model inputs.
  std::string node;
  std::string op_type;      // In the baseline.
  bool is_in_body = false;  // In a subgraph of If, Loop or Scan, so its output cannot be captured.
  PairedBy paired_by = PairedBy::kName;
  std::size_t depth = 0;  // Position in the baseline's order of execution.
  // Bit width of the weights, or of the output if there are no weights.
  int bits = 32;
  std::string precision = "fp32";  // "int8", "fp16", "bf16", or a GGUF name: "q4_k".

  std::optional<tensor::Comparison> weight;  // Channels are the layer's output channels.
  // True if folding or equalization multiplied all weights of a channel by one factor. This is not
  // damage: `weight` is the error without the factor.
  bool is_rescaled = false;
  // Names of the nodes after the layer that the other file contains only as part of the layer's
  // weights and bias: normalization and arithmetic with constants.
  std::vector<std::string> folded;
  // Error of the bias in standard deviations of the output, as root mean square over channels. The
  // error of a channel is limited to the error of the channel's output.
  std::optional<double> bias_shift;
  // Share of the weights that became 0 for another reason than rounding; computed only for damaged
  // weights.
  std::optional<double> pruned_share;
  std::uint64_t baseline_bytes = 0;  // Size of weights, bias and scales.
  std::uint64_t variant_bytes = 0;

  // The error that the output's own quantizer causes, measured on inputs of the compressed model.
  // Known only if samples were run.
  std::optional<tensor::Comparison> local;
  // The output error as SQNR in dB, with channels weighted by the weights of the next layers;
  // nullopt if nodes without weights use the output.
  std::optional<double> useful_output_db;
  // The error of the output including the errors of all earlier layers.
  std::optional<tensor::Comparison> accumulated;
  // SQNR in dB of the worst input, including the errors of all earlier layers. The difference
  // between `input_sqnr_db` and `accumulated` is the loss in this layer, because of its own errors,
  // or because it amplifies the errors of its inputs. nullopt if no input was compared.
  std::optional<double> input_sqnr_db;
  // Cosine similarity between the outputs of both models, for each of the first kMaxSampleCosines
  // samples.
  std::vector<double> sample_cosines;
  // Number of 16-bit overflows on processors without VNNI; only for layers that multiply uint8 by
  // int8.
  std::optional<tensor::SaturationCount> saturation;

  Diagnosis diagnosis = {.level = Level::kGreen};
  std::vector<Fix> fixes;  // The cheapest sufficient fix first.
  // Baseline nodes that must stay in float32 to keep the layer in float. The layer's node comes
  // first. If the output is damaged, the list also has the nodes up to the output and the nodes
  // that use the output, even if nodes that only move values are in between. This is necessary
  // because quantizers round the inputs of the nodes that they quantize. Empty for green layers.
  std::vector<std::string> float_nodes;
  std::string output_tensor;  // Name of the output in the baseline; empty if it was not compared.
  std::optional<std::size_t> output_axis;  // Channel dimension of `local` and `accumulated`.

  std::optional<Histograms> weight_histograms;
  std::optional<Histograms> output_histograms;
  // Histograms of the channels with the lowest SQNR of `weight` and `accumulated`, lowest first.
  std::vector<ChannelHistograms> weight_channels;
  std::vector<ChannelHistograms> output_channels;
};

// The nodes of a layer in the baseline and in the compressed model, by their names in ModelGraph:
// `name` and `variant_name` without `weights_name`. The returned string_views are valid as long as
// the layer.
std::string_view NodeOf(const LayerComparison& layer);
std::string_view VariantNodeOf(const LayerComparison& layer);

// Explains the diagnosis. Adds a sentence if the SQNR is lower for the channels that the next
// layers use most. Empty for a green layer.
std::string ExplanationOf(const LayerComparison& layer);

// Selects the part of the compressed model that a run restores to the baseline's float values.
enum class Restored {
  kNothing,
  kParts,              // The listed parts.
  kRedLayers,          // Weights and outputs of the red layers.
  kRedAndAmberLayers,  // Weights and outputs of red and amber layers.
  kAllWeights,         // Weights of all layers, and other constants.
  kAllOutputs,         // All quantizers of activations are skipped.
  kEverything,         // All weights and all outputs.
  kAllExceptParts,     // All parts except the listed ones.
};
std::string_view NameOf(Restored restored);  // "nothing", "parts", "red_layers", …

struct RestoredPart {
  std::string layer;          // Name in the baseline, as LayerComparison::name.
  Part part = Part::kWeight;  // kWeight, which includes the bias, or kOutput.
  friend bool operator==(const RestoredPart&, const RestoredPart&) = default;
};

// One run of the compressed model over all samples, with restored parts.
struct Verification {
  Restored restored = Restored::kNothing;
  std::vector<RestoredPart> parts;  // For kParts and kAllExceptParts.
  // Output SQNR of the last layer against the baseline. If there are several last layers, the
  // average over `verified_layers`, each limited to 80 dB.
  double sqnr_db = 0;
  std::vector<double> layer_sqnr_db;  // One entry per `verified_layers`.
  std::string why_not;                // ONNX Runtime's error; then nothing was measured.
};

// The size of one kind of data in both files.
struct ByteShare {
  std::string what;  // "weights, int8", "scales and zero points", …
  std::uint64_t baseline_bytes = 0;
  std::uint64_t variant_bytes = 0;
};

struct ModelComparison {
  std::filesystem::path baseline, variant;
  std::uint64_t baseline_bytes = 0, variant_bytes = 0;  // File sizes.
  std::string baseline_version, variant_version;        // ModelGraph::version.
  // The verdict on the outputs of the model. If an output is broken, at least one layer is red and
  // `verdict.suspects` names it; if the outputs are good, no layer is red.
  EndVerdict verdict;
  std::vector<LayerComparison> layers;  // The worst first.
  // Layers with weights but without a counterpart.
  std::vector<std::string> baseline_only, variant_only;

  QuantizationScheme scheme = QuantizationScheme::kStatic;  // Scheme of the variant.

  std::vector<ByteShare> bytes;   // The largest first.
  std::vector<LintFinding> lint;  // Lint of the variant.

  // Notes about the files (identical, in the wrong order, not of one model), about parts that could
  // not be compared, and about too few samples.
  std::vector<std::string> remarks;

  std::size_t samples = 0;  // 0: only weights were compared.
  std::string why_not_run;  // Why no samples were run.
  std::string sample_source;
  // True if random samples were used: results then describe the model files, not the accuracy in
  // practice.
  bool is_generated = false;
  model::InputShapes input_shapes;  // Input shapes of the first sample.

  // Output SQNR with restored parts, if requested: first with no part; then with one part each, the
  // best first; with two and three parts together, while that improves the output; with the red
  // layers; with the red and amber layers; with all weights, with all outputs, and with everything
  // restored. If red and amber layers explain less than half of the error: also with everything
  // except one part, for up to three parts that cost most, and with only these parts restored.
  std::vector<Verification> verified;
  // Names of the last compared layers in the baseline: no other compared layer follows these
  // layers. A model with several outputs may have several last layers. At most 16.
  std::vector<std::string> verified_layers;
  std::string why_not_verified;  // Why `verify` was requested but nothing was measured.
};

// The last layer in execution order whose output was compared; null if there is none.
const LayerComparison* LastLayer(const ModelComparison& comparison);

// The three layers that lose the most SQNR between inputs and output, the worst first. Only layers
// that lose 6 dB or more; see LayerComparison::input_sqnr_db.
std::vector<const LayerComparison*> LargestLosses(const ModelComparison& comparison);

// Returns the number of layers at a level.
std::size_t CountOf(const ModelComparison& comparison, Level level);

// The restored part of a run in words: "as it is" (nothing restored), "'conv2' output and weights,
// 'head' weights in float", "the 2 red layers in float". Long names are shortened.
std::string RestoredText(const ModelComparison& comparison, const Verification& run,
                         std::size_t max_name_bytes = 200);

// The nodes to keep in FP32 first: float_nodes of the red layers, the worst first, without
// duplicates.
std::vector<std::string> NodesToKeepFloat(const ModelComparison& comparison);

// Other quantizers for the outputs of red layers. For each layer it is taken from the first fix
// that proposes a quantizer; the worst layer comes first. Empty for random samples, because their
// ranges cannot be used for calibration.
std::vector<ActivationOverride> OutputOverrides(const ModelComparison& comparison);

// The most common precision of the compressed model's layers: "int8", "fp16", …; "variant" if the
// precision is fp32.
std::string VariantName(const ModelComparison& comparison);

}  // namespace cboard::compare
