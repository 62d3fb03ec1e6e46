// Parses the tags of layer tensors. Four programs log such tags:
//
//   conv1/weight/int8, conv1/Output/fp32                    neural-compressor, PyTorch
//   v0/cg/conv0/Relu_fp32.output, v0/cg/conv0/conv2d/kernel  neural-compressor, TensorFlow
//   conv1, in a run that is a stage                          Model Compression Toolkit
//   alexnet/layers/features.3/output/int8                    Compression Board
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

// The name of a role: "output", "weight", "parameter".
std::string_view NameOf(TensorRole role);

struct LayerTensor {
  std::string model = {};  // Only tags of Compression Board name it.
  std::string layer = {};  // features.3, v0/cg/conv0/Relu
  // Name of the operator, if a layer is only a part of an operator: lstm for the layer lstm/W.
  std::string node = {};
  TensorRole role = TensorRole::kOutput;
  std::string parameter = {};  // weight, bias, kernel, …; empty for outputs.
  std::string variant = {};    // fp32, int8; empty if only the run names it.
  std::string run = {};
  std::string tag = {};
  std::string logged_layer = {};  // The layer's name in the tag, if `layer` had to be recovered.
  // Number of layers that were logged before this one. Programs log layers in the order of
  // execution or definition. Parameters of a layer have the depth of its output.
  std::size_t depth = 0;
};

// The title of a tensor: "fc1" for a layer's output, "fc1 weight" for other tensors.
std::string TitleOf(const LayerTensor& tensor);

// Kind of a run. It decides how to read tags that are ambiguous without it.
enum class RunKind { kAny, kTuning, kStage };

// Parses the tag of a histogram. Returns nullopt if it is not a tensor of a layer. In a tuning run,
// a tag that names neither an output nor a precision is a constant of a TensorFlow graph; in a
// stage, it is an output.
std::optional<LayerTensor> ParseLayerTag(std::string_view tag, RunKind kind = RunKind::kAny);

// Parses the tag of a logged histogram. If Compression Board logged it, the names of layer and
// model are read from the metadata beside the values, because tags lose a leading slash and
// characters that tags do not allow.
std::optional<LayerTensor> ParseLayerTag(const reader::Tag& tag, RunKind kind = RunKind::kAny);

RunKind KindOf(const reader::Run& run);

// A filter that selects tensors and metrics in a run that holds several models or variants.
struct LayerFilter {
  // Model name as tags spell it. Empty selects tags without a model; nullopt selects all tags.
  std::optional<std::string> model = {};
  std::string variant = {};  // Empty selects all variants.
};

// Returns all histograms of a run that are tensors of layers, by tag. If the filter has a variant,
// tags of other variants are skipped.
std::vector<LayerTensor> CollectLayers(const reader::Run& run, const LayerFilter& filter = {});

// Returns the tags of a run that may be about layers of the filter's model: <model>/layers/…, in
// any spelling of the model; all tags if the filter has no model. The time does not depend on the
// number of other tags.
std::vector<std::span<const reader::Tag>> TagsOfLayers(const reader::Run& run,
                                                       const LayerFilter& filter);

// Applies Python's str.strip(".activation_post_process"), because neural-compressor names outputs
// in this way. The function removes characters and not a suffix: conv1 becomes 1, and stem.conv
// becomes m.
std::string StripObserverCharacters(std::string_view name);

// Restores layer names that StripObserverCharacters shortened, from the names of the parameters in
// the same run. The logged name is stored too. An ambiguous name is left unchanged.
void RecoverStrippedNames(std::vector<LayerTensor>& tensors);

// The name of the operator before quantization renamed it to <op>_eightbit_requantize,
// <op>_qint8_const, <op>_dequantize, <tensor>_DequantizeLinear_Output, … Other names are returned
// unchanged.
std::string_view OriginalName(std::string_view name);

}  // namespace cboard::analysis
