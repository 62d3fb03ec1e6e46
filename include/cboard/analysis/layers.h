// The tensors of a model's layers, by the tags of four programs:
//
//   conv1/weight/int8, conv1/Output/fp32                    neural-compressor, PyTorch
//   v0/cg/conv0/Relu_fp32.output, v0/cg/conv0/conv2d/kernel  neural-compressor, TensorFlow
//   conv1, in a run that is a stage                          Model Compression Toolkit
//   alexnet/layers/features.3/output/int8                    our own
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

enum class TensorRole { kOutput, kWeight, kParameter };  // kParameter: bias, scale, zero_point, …

// "output", "weight", "parameter".
std::string_view NameOf(TensorRole role);

struct LayerTensor {
  std::string model = {};  // Only our own tags name it.
  std::string layer = {};  // features.3, v0/cg/conv0/Relu
  std::string node = {};   // The operation, where a layer is not one as a whole: lstm of lstm/W.
  TensorRole role = TensorRole::kOutput;
  std::string parameter = {};  // weight, bias, kernel, …; empty for outputs.
  std::string variant = {};    // fp32, int8; empty when only the run says it.
  std::string run = {};
  std::string tag = {};
  std::string logged_layer = {};  // The name in the tag, if `layer` had to be recovered.
  // How many layers were logged before this one: programs log them in the order in which they run,
  // or at least are defined. The output speaks for the parameters of its layer.
  std::size_t depth = 0;
};

// "fc1", or "fc1 weight" for what is not a layer's output.
std::string TitleOf(const LayerTensor& tensor);

// Kind of a run; it decides how to read tags that are ambiguous alone.
enum class RunKind { kAny, kTuning, kStage };

// Nothing, when a histogram of this name is no tensor of a layer. In a tuning run, whatever names
// neither output nor precision is a constant of a TensorFlow graph; in a stage, an output.
std::optional<LayerTensor> ParseLayerTag(std::string_view tag, RunKind kind = RunKind::kAny);

// The same of a tag in a log. Where our own writers stored the names of layer and model beside the
// values, these are their names: tags lose a slash in front, and characters that they may not have.
std::optional<LayerTensor> ParseLayerTag(const reader::Tag& tag, RunKind kind = RunKind::kAny);

RunKind KindOf(const reader::Run& run);

// Selects tensors and metrics of a run that holds several models or variants.
struct LayerFilter {
  // As tags spell it; empty takes the tags that name no model, and nothing takes all.
  std::optional<std::string> model = {};
  std::string variant = {};  // Empty takes all.
};

// All histograms of a run that are tensors of layers, by tag; with a variant, only those that name
// it or no variant at all.
std::vector<LayerTensor> CollectLayers(const reader::Run& run, const LayerFilter& filter = {});

// The tags of a run that may be about layers of the filter's model: <model>/layers/…, however that
// is spelled; all tags, where it has none. Takes no longer for all other tags that there are.
std::vector<std::span<const reader::Tag>> TagsOfLayers(const reader::Run& run,
                                                       const LayerFilter& filter);

// The result of Python's str.strip(".activation_post_process"), which removes characters, not
// a suffix: conv1 becomes 1, and stem.conv becomes m. neural-compressor names outputs this
// way.
std::string StripObserverCharacters(std::string_view name);

// Gives outputs that were logged under such a name the name that the parameters of the same run
// still have, and remembers the logged one. A name that several layers may have lost stays.
void RecoverStrippedNames(std::vector<LayerTensor>& tensors);

// The operation that a quantized one was made from: <op>_eightbit_requantize, <op>_qint8_const,
// <op>_dequantize, <tensor>_DequantizeLinear_Output, … The name itself when it is none of these.
std::string_view OriginalName(std::string_view name);

}  // namespace cboard::analysis
