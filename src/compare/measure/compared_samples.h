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

// Opens at most `max_samples` samples that `options` name, for models with these inputs. Random
// samples have the sizes that one of the files fixes, or was opened with, and values in the ranges
// of the quantizers of the compressed model's inputs. Fails as OpenSamples does.
Result<std::unique_ptr<runtime::SampleSource>> OpenComparedSamples(
    const model::ModelGraph& baseline, const model::ModelGraph& variant,
    std::span<const runtime::ModelValue> inputs, const CompareOptions& options,
    std::size_t max_samples);

// The error of a run; for random samples, with their shapes and how to pass others.
Error WithAdvice(Error error, std::span<const runtime::ModelValue> inputs,
                 runtime::SampleSource& samples);

}  // namespace cboard::compare
