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

// Opens at most `max_samples` samples for models with the given inputs. `options` name the data.
// Without data, generates random samples: dimensions that no model fixes are taken from `options`,
// and the values are inside the quantization ranges of the compressed model's inputs. Fails if
// OpenSamples fails.
Result<std::unique_ptr<runtime::SampleSource>> OpenComparedSamples(
    const model::ModelGraph& baseline, const model::ModelGraph& variant,
    std::span<const runtime::ModelValue> inputs, const CompareOptions& options,
    std::size_t max_samples);

// Returns the error of a failed run. For random samples, adds their shapes and how to pass other
// shapes.
Error WithAdvice(Error error, std::span<const runtime::ModelValue> inputs,
                 runtime::SampleSource& samples);

}  // namespace cboard::compare
