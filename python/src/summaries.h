// Serialized Summaries from Python values: one function per kind, as SummaryWriter's methods make
// them. The GIL is released while they work.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::python {

// "tensorflow" or the name of an estimator, a number of bins, or their edges.
using Bins = std::variant<std::string, std::int64_t, std::vector<double>>;

// A serialized Summary; needs no GIL.
Result<std::string> MakeHistogramOf(std::string_view tag, const TensorView& values,
                                    const Bins& bins, std::size_t max_bins);

void BindSummaries(nanobind::module_& module);

}  // namespace cboard::python
