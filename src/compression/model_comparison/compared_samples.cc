#include "compression/model_comparison/compared_samples.h"

#include <algorithm>
#include <string>

namespace cboard::compare {
namespace {

// The shapes of inputs as far as one of the files fixes them; -1 for sizes that both leave open.
InputShapes DeclaredShapes(const ModelGraph& baseline, const ModelGraph& variant) {
  InputShapes shapes;
  for (const TensorId id : baseline.inputs()) {
    const ModelTensor& input = baseline.tensor(id);
    if (!input.has_shape) continue;
    std::vector<std::int64_t>& shape = shapes[input.name] = input.shape;
    const TensorId other = variant.FindTensor(input.name);
    if (other == kNoTensor || variant.tensor(other).shape.size() != shape.size()) continue;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] < 0) shape[i] = variant.tensor(other).shape[i];
    }
  }
  return shapes;
}

}  // namespace

Result<std::unique_ptr<SampleSource>> OpenComparedSamples(const ModelGraph& baseline,
                                                          const ModelGraph& variant,
                                                          std::span<const ModelValue> inputs,
                                                          const CompareOptions& options,
                                                          std::size_t max_samples) {
  return OpenSamples(options.data, inputs,
                     {.max_samples = max_samples, .shapes = DeclaredShapes(baseline, variant)});
}

Error WithAdvice(Error error, std::span<const ModelValue> inputs, SampleSource& samples) {
  const auto sample = samples.Read(0);
  if (!samples.is_generated() || !sample) return error;
  std::string guesses, flags;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (std::ranges::none_of(inputs[i].shape, [](std::int64_t size) { return size < 0; })) continue;
    guesses += (guesses.empty() ? "" : ", ") +
               ToText({{inputs[i].name, (*sample)[i].tensor.shape}}) + " for " +
               Describe(inputs[i]);
    flags += (flags.empty() ? "" : " ") + ("--shape " + inputs[i].name + "=SIZES");
  }
  if (guesses.empty()) return error;
  error.message += "; samples were made up, with " + guesses +
                   ": give shapes that this model takes (" + flags + "), or real samples (--data)";
  return error;
}

}  // namespace cboard::compare
