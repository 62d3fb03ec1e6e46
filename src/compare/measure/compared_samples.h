// The samples that both models of a comparison run on.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "cboard/compare/compare_options.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/samples.h"

namespace cboard::compare {

// Opens at most `max_samples` of the samples that `options` name, for models with these inputs.
// Without data, generates random samples: their sizes are those that a model fixes or that
// `options` give, and their values are in the quantization ranges of the compressed model's inputs.
// Fails if OpenSamples fails.
Result<std::unique_ptr<runtime::SampleSource>> OpenComparedSamples(
    const model::ModelGraph& baseline, const model::ModelGraph& variant,
    std::span<const runtime::ModelValue> inputs, const CompareOptions& options,
    std::size_t max_samples);

// Returns the error of a failed run. For random samples, adds their shapes and how to pass other
// shapes.
Error WithAdvice(Error error, std::span<const runtime::ModelValue> inputs,
                 runtime::SampleSource& samples);

}  // namespace cboard::compare
