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
  // Recomputed for weights. For outputs, the SQNR of the baseline's values on these samples, with
  // channels weighted as in `useful_output_db` if there is one. Infinite for float32.
  double sqnr_db = 0;
  std::optional<double> worst_channel_sqnr_db;  // Weights only.
  std::optional<std::uint64_t> size_bytes;      // Weights only.

  // For outputs, if the fix is another quantizer of the output.
  struct OutputQuantizer {
    int bits = 8;
    double low = 0, high = 0;
    bool is_signed = false;
    bool is_symmetric = false;  // Zero is in the middle, and has the code 0.
  };
  std::optional<OutputQuantizer> output;

  bool is_measured = false;  // `sqnr_db` is that of the end of the network with this fix.
};

// Histograms of both sides; only on request.
struct Histograms {
  tensor::HistogramData baseline;
  tensor::HistogramData variant;
};

inline constexpr std::size_t kMaxSampleCosines = 20;

struct LayerComparison {
  // In the baseline. Recurrent nodes have several weights, and a layer for each, whose name is that
  // of the node and of the weights: "lstm/W", "lstm/R". Names of nodes inside of If, Loop and Scan
  // begin with the node around them and its attribute: "If_0/then_branch/conv".
  std::string name;
  std::string variant_name;  // In the compressed model.
  std::string weights_name;  // "W", "R", …; empty where the node has no others.
  // Node name in the baseline's file, which quantizers take to exclude the node. Empty for
  // inputs.
  std::string node;
  std::string op_type;      // In the baseline.
  bool is_in_body = false;  // In a body of If, Loop or Scan: the output cannot be captured.
  PairedBy paired_by = PairedBy::kName;
  std::size_t depth = 0;  // Position in the baseline's order of execution.
  // Bits of the weights, or of the output if there are no weights.
  int bits = 32;
  std::string precision = "fp32";  // "int8", "fp16", "bf16", or as GGUF calls it: "q4_k".

  std::optional<tensor::Comparison> weight;  // Channels are the layer's output channels.
  // All weights of a channel times one factor: folding and equalization do that, and it is no
  // damage. `weight` is what is left without it.
  bool is_rescaled = false;
  // Nodes behind the layer that the other file has in its weights and bias, by name: normalization
  // and arithmetic with constants.
  std::vector<std::string> folded;
  // Root mean square over channels, in deviations of the output; of each, no more than that is off.
  std::optional<double> bias_shift;
  // Share of the weights that became 0 other than by rounding; only known for damaged
  // weights.
  std::optional<double> pruned_share;
  std::uint64_t baseline_bytes = 0;  // Weights, bias and scales.
  std::uint64_t variant_bytes = 0;

  // With samples: error of this output's quantizer alone, on the inputs of the compressed model …
  std::optional<tensor::Comparison> local;
  // … the same in dB, with channels counted as much as the layers that follow make of them; nothing
  // where other nodes than layers with weights use the output …
  std::optional<double> useful_output_db;
  // … and how far the output is from the baseline's, with the errors of all layers before.
  std::optional<tensor::Comparison> accumulated;
  // The SQNR in dB that the worst input has, likewise: what is lost on the way to `accumulated` is
  // lost in this layer, by its own errors or because it makes those before it count for more.
  // Nothing where no input was compared.
  std::optional<double> input_sqnr_db;
  // Cosines of the output in both models by sample, for the first kMaxSampleCosines.
  std::vector<double> sample_cosines;
  // For layers that multiply uint8 by int8: overflows of 16 bits on processors without VNNI.
  std::optional<tensor::SaturationCount> saturation;

  Diagnosis diagnosis = {.level = Level::kGreen};
  std::vector<Fix> fixes;  // The cheapest that is good enough first.
  // Baseline nodes that have to stay in float32 to keep the layer in float: the layer's node first
  // and, if its output is damaged, the nodes up to the output and those that take it, also behind
  // nodes that only move values, because quantizers round the inputs of nodes that they quantize.
  // Empty for green layers.
  std::vector<std::string> float_nodes;
  std::string output_tensor;  // The output's name in the baseline; empty where none was compared.
  std::optional<std::size_t> output_axis;  // That of the channels of `local` and `accumulated`.

  std::optional<Histograms> weight_histograms;
  std::optional<Histograms> output_histograms;
};

// The nodes that a layer is of, in the baseline and in the compressed model, as ModelGraph calls
// them: `name` and `variant_name` without `weights_name`. Live as long as the layer.
std::string_view NodeOf(const LayerComparison& layer);
std::string_view VariantNodeOf(const LayerComparison& layer);

// The diagnosis in words, and what its figures do not tell: that the channels which count for the
// layers that follow have less. Empty for a green layer.
std::string ExplanationOf(const LayerComparison& layer);

// The part of the compressed model that was restored to the baseline's float values for a run.
enum class Restored {
  kNothing,
  kParts,              // Those that are listed.
  kRedLayers,          // Weights and outputs of these …
  kRedAndAmberLayers,  // … and of those that are amber, too.
  kAllWeights,         // Weights of all layers, and other constants.
  kAllOutputs,         // All quantizers of activations are passed by.
  kEverything,         // Both.
  kAllExceptParts,     // Everything but those that are listed.
};
std::string_view NameOf(Restored restored);  // "nothing", "parts", "red_layers", …

struct RestoredPart {
  std::string layer;          // In the baseline, as LayerComparison::name.
  Part part = Part::kWeight;  // kWeight, which has the bias with it, or kOutput.
  friend bool operator==(const RestoredPart&, const RestoredPart&) = default;
};

// A run of the compressed model over all samples.
struct Verification {
  Restored restored = Restored::kNothing;
  std::vector<RestoredPart> parts;  // For kParts and kAllExceptParts.
  // Output SQNR of the last layer against the baseline; the average over `verified_layers`, each
  // limited to 80 dB, if there are several.
  double sqnr_db = 0;
  std::vector<double> layer_sqnr_db;  // By entry of `verified_layers`.
  std::string why_not;                // The error of ONNX Runtime; nothing was measured then.
};

// Bytes of one kind in both files.
struct ByteShare {
  std::string what;  // "weights, int8", "scales and zero points", …
  std::uint64_t baseline_bytes = 0;
  std::uint64_t variant_bytes = 0;
};

struct ModelComparison {
  std::filesystem::path baseline, variant;
  std::uint64_t baseline_bytes = 0, variant_bytes = 0;  // File sizes.
  std::string baseline_version, variant_version;        // ModelGraph::version.
  // Verdict on the outputs of the network. If an output is broken, at least one layer is red and
  // `verdict.suspects` names it; if the outputs are good, no layer is red.
  EndVerdict verdict;
  std::vector<LayerComparison> layers;                   // The worst first.
  std::vector<std::string> baseline_only, variant_only;  // Layers with weights and no partner.

  QuantizationScheme scheme = QuantizationScheme::kStatic;  // Scheme of the variant.

  std::vector<ByteShare> bytes;   // The largest first.
  std::vector<LintFinding> lint;  // Lint of the variant.

  // Sentences about files that are the same, in the wrong order, or not of one model, about what
  // could not be compared, and about samples that are too few.
  std::vector<std::string> remarks;

  std::size_t samples = 0;  // 0: only weights were compared …
  std::string why_not_run;  // … for this reason.
  std::string sample_source;
  bool is_generated = false;        // Random samples: outputs describe the models, not their use.
  model::InputShapes input_shapes;  // Input shapes of the first sample.

  // Output SQNR with parts restored, if requested: with no part; with one part, the best first;
  // with two and three together, as long as that is better; with the red layers, with the red and
  // amber layers, all weights, all outputs, everything. If red and amber layers explain less than
  // half of the error: with everything except one part, for up to three parts that cost most, and
  // with only these parts.
  std::vector<Verification> verified;
  // The last layers, by their names in the baseline: those behind which none was compared, where a
  // network has many ends; at most 16.
  std::vector<std::string> verified_layers;
  std::string why_not_verified;  // Asked for, and nothing was measured.
};

// The layer that runs last of those whose outputs were compared; null when none was.
const LayerComparison* LastLayer(const ModelComparison& comparison);

// The three layers in which most is lost between inputs and output, the worst first: of those that
// lose 6 dB or more, see LayerComparison::input_sqnr_db.
std::vector<const LayerComparison*> LargestLosses(const ModelComparison& comparison);

// How many layers are at this level.
std::size_t CountOf(const ModelComparison& comparison, Level level);

// The restored part of a run of `verified` in words: "as it is", "'conv2' output and weights,
// 'head' weights in float", "the 2 red layers in float". Longer names are cut.
std::string RestoredText(const ModelComparison& comparison, const Verification& run,
                         std::size_t max_name_bytes = 200);

// The nodes to keep in FP32 first: float_nodes of the red layers, the worst first, each once.
std::vector<std::string> NodesToKeepFloat(const ModelComparison& comparison);

// Other quantizers for the outputs of red layers, from the first fix of this kind; the worst first.
// Empty for random samples, whose ranges are not usable for calibration.
std::vector<ActivationOverride> OutputOverrides(const ModelComparison& comparison);

// "int8", "fp16", …: what the layers of the compressed model mostly are; "variant" for fp32.
std::string VariantName(const ModelComparison& comparison);

}  // namespace cboard::compare
