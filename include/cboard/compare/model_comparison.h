// What a comparison of two files of one model found: layers, causes, fixes and the verdict.
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

// Another way to quantize what was hurt, and what it would give.
struct Fix {
  std::string action;  // "one scale per output channel"
  // Recomputed for weights. Of outputs, what the baseline's values on these samples would keep,
  // with channels counted as in `useful_output_db` where there is one. Infinite for float32.
  double sqnr_db = 0;
  std::optional<double> worst_channel_sqnr_db;  // Of weights.
  std::optional<std::uint64_t> size_bytes;      // Of weights.

  // Of outputs, where another quantizer of theirs is the fix.
  struct OutputQuantizer {
    int bits = 8;
    double low = 0, high = 0;
    bool is_signed = false;
    bool is_symmetric = false;  // Zero is in the middle, and has the code 0.
  };
  std::optional<OutputQuantizer> output;

  bool is_measured = false;  // `sqnr_db` is that of the end of the network with this fix.
};

// What histograms of both sides look like; only when asked for.
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
  // What the baseline's file calls the node: what quantizers take to leave it as it is. Empty for
  // inputs.
  std::string node;
  std::string op_type;      // In the baseline.
  bool is_in_body = false;  // Of If, Loop or Scan: its output cannot be captured.
  PairedBy paired_by = PairedBy::kName;
  std::size_t depth = 0;  // Position in the baseline's order of execution.
  // Of the weights, or of the output where there are none.
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
  // Of the weights, those that are 0 and were not, other than by rounding; only known where weights
  // are hurt.
  std::optional<double> pruned_share;
  std::uint64_t baseline_bytes = 0;  // Of weights and bias, scales included.
  std::uint64_t variant_bytes = 0;

  // With samples. What the quantizer of this output does to what it gets in the compressed model …
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
  // Of the output in both models, one sample after the other; of the first kMaxSampleCosines.
  std::vector<double> sample_cosines;
  // Of layers that multiply uint8 by int8: what overflows 16 bits on processors without VNNI.
  std::optional<tensor::SaturationCount> saturation;

  Diagnosis diagnosis = {.level = Level::kGreen};
  std::vector<Fix> fixes;  // The cheapest that is good enough first.
  // Nodes of the baseline, as the file calls them, that have to stay in float32 for the layer to do
  // so: itself first and, where its output is hurt, those up to the output and those that take it,
  // also behind nodes that only move values: quantizers round what goes into a node that they
  // quantize. Empty for green layers.
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

// What was put back to the baseline's floats for a run of the compressed model.
enum class Restored {
  kNothing,
  kParts,              // Those that are listed.
  kRedLayers,          // Weights and outputs of these …
  kRedAndAmberLayers,  // … and of those that are amber, too.
  kAllWeights,         // Of all layers, and other constants.
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
  std::vector<RestoredPart> parts;  // Of kParts and kAllExceptParts.
  // Of the last layer's output, against the baseline's; of all of `verified_layers` on the average,
  // each counted as 80 dB at most, when there are many.
  double sqnr_db = 0;
  std::vector<double> layer_sqnr_db;  // Of each of them.
  std::string why_not;  // What ONNX Runtime had against it; nothing was measured then.
};

// Bytes of one kind in both files.
struct ByteShare {
  std::string what;  // "weights, int8", "scales and zero points", …
  std::uint64_t baseline_bytes = 0;
  std::uint64_t variant_bytes = 0;
};

struct ModelComparison {
  std::filesystem::path baseline, variant;
  std::uint64_t baseline_bytes = 0, variant_bytes = 0;  // Of the files.
  std::string baseline_version, variant_version;        // ModelGraph::version.
  // What is left at the end of the network. Where it is broken, at least one layer is red and
  // `verdict.suspects` names it; where it is sound, no layer is.
  EndVerdict verdict;
  std::vector<LayerComparison> layers;                   // The worst first.
  std::vector<std::string> baseline_only, variant_only;  // Layers with weights and no partner.

  QuantizationScheme scheme = QuantizationScheme::kStatic;  // Of the compressed model.

  std::vector<ByteShare> bytes;   // The largest first.
  std::vector<LintFinding> lint;  // Of the compressed model.

  // Sentences about files that are the same, in the wrong order, or not of one model, about what
  // could not be compared, and about samples that are too few.
  std::vector<std::string> remarks;

  std::size_t samples = 0;  // 0: only weights were compared …
  std::string why_not_run;  // … for this reason.
  std::string sample_source;
  bool is_generated = false;  // Samples were made up: outputs describe the models, not their use.
  model::InputShapes input_shapes;  // Of the first sample.

  // What the last layer's output keeps with parts restored, if that was asked for: as it is; with
  // one part, the best first; with two and three together, as long as that is better; with the red
  // layers, those and the amber ones, all weights, all outputs, everything. Where the red and amber
  // ones are less than half of the error: with everything but one part, for up to three that cost
  // most, and with these restored.
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

// What was restored in a run of `verified`, in words: "as it is", "'conv2' output and weights,
// 'head' weights in float", "the 2 red layers in float". Longer names are cut.
std::string RestoredText(const ModelComparison& comparison, const Verification& run,
                         std::size_t max_name_bytes = 200);

// The nodes to keep in FP32 first: float_nodes of the red layers, the worst first, each once.
std::vector<std::string> NodesToKeepFloat(const ModelComparison& comparison);

// Other quantizers for the outputs of red layers, by the first fix that is one; the worst first.
// None when samples were made up: ranges of noise are no ranges to calibrate by.
std::vector<ActivationOverride> OutputOverrides(const ModelComparison& comparison);

// "int8", "fp16", …: what the layers of the compressed model mostly are; "variant" for fp32.
std::string VariantName(const ModelComparison& comparison);

}  // namespace cboard::compare
