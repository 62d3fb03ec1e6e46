#include "compare/measure/compared_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "compare/layers/layer_operators.h"
#include "compare/layers/model_layers.h"

namespace cboard::compare {
namespace {

// Returns the shapes of the inputs. If one of the models fixes the size of a dimension, that size
// is used; otherwise the size is -1.
model::InputShapes DeclaredShapes(const model::ModelGraph& baseline,
                                  const model::ModelGraph& variant) {
  model::InputShapes shapes;
  for (const model::TensorId id : baseline.inputs()) {
    const model::ModelTensor& input = baseline.tensor(id);
    if (!input.has_shape) continue;
    std::vector<std::int64_t>& shape = shapes[input.name] = input.shape;
    const model::TensorId other = variant.FindTensor(input.name);
    if (other == model::kNoTensor || variant.tensor(other).shape.size() != shape.size()) continue;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] < 0) shape[i] = variant.tensor(other).shape[i];
    }
  }
  return shapes;
}

// Returns the quantizer of a tensor, also if nodes that only move its values, such as Transpose,
// are in between.
std::optional<QuantizedTensor> QuantizerBehind(const model::ModelGraph& model,
                                               model::TensorId tensor) {
  constexpr std::size_t kMaxSteps = 4;
  for (std::size_t step = 0; step < kMaxSteps; ++step) {
    if (const auto quantizer = QuantizerOf(model, tensor)) return quantizer;
    if (model.consumers(tensor).size() != 1) return std::nullopt;
    const model::ModelNode& node = model.node(model.consumers(tensor)[0]);
    if (!PassesValues(node.op_type) || node.outputs.empty() || node.inputs[0] != tensor) break;
    tensor = node.outputs[0];
  }
  return std::nullopt;
}

// Returns the quantization ranges of the compressed model's inputs. Random values outside of these
// ranges would only measure clipping.
std::map<std::string, runtime::SampleOptions::ValueRange> CalibratedRanges(
    const model::ModelGraph& variant) {
  std::map<std::string, runtime::SampleOptions::ValueRange> ranges;
  for (const model::TensorId id : variant.inputs()) {
    const auto quantizer = QuantizerBehind(variant, id);
    if (!quantizer || quantizer->before == model::kNoTensor) continue;
    const model::ModelQuantization& how = *variant.tensor(quantizer->codes).quantization;
    if (how.scales.size() != 1) continue;
    const auto zero = how.zero_points.empty() ? 0.f : static_cast<float>(how.zero_points[0]);
    const float low = (static_cast<float>(how.code_min) - zero) * how.scales[0];
    const float high = (static_cast<float>(how.code_max) - zero) * how.scales[0];
    if (std::isfinite(low) && std::isfinite(high) && low < high) {
      ranges[variant.tensor(id).name] = {low, high};
    }
  }
  return ranges;
}

}  // namespace

Result<std::unique_ptr<runtime::SampleSource>> OpenComparedSamples(
    const model::ModelGraph& baseline, const model::ModelGraph& variant,
    std::span<const runtime::ModelValue> inputs, const CompareOptions& options,
    std::size_t max_samples) {
  return runtime::OpenSamples(options.data, inputs,
                              {.max_samples = max_samples,
                               .shapes = DeclaredShapes(baseline, variant),
                               .ranges = CalibratedRanges(variant)});
}

Error WithAdvice(Error error, std::span<const runtime::ModelValue> inputs,
                 runtime::SampleSource& samples) {
  const auto sample = samples.Read(0);
  if (!samples.is_generated() || !sample) return error;
  std::string guesses, flags;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (std::ranges::none_of(inputs[i].shape, [](std::int64_t size) { return size < 0; })) continue;
    guesses += (guesses.empty() ? "" : ", ") +
               model::ToText({{inputs[i].name, (*sample)[i].tensor.shape}}) + " for " +
               Describe(inputs[i]);
    flags += (flags.empty() ? "" : " ") + ("--shape " + inputs[i].name + "=SIZES");
  }
  if (guesses.empty()) return error;
  error.message += "; samples are random data, with " + guesses +
                   ": give shapes that this model takes (" + flags + "), or real samples (--data)";
  return error;
}

}  // namespace cboard::compare
