// Creates serialized Summaries from Python values: one function per kind, like SummaryWriter's
// methods. The GIL is released while they work.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/tensor/histogram.h"
#include "cboard/writer/summaries.h"

namespace cboard::python {

// Bins of a histogram: "tensorflow" or the name of an estimator, a number of bins, or their edges.
using Bins = std::variant<std::string, std::int64_t, std::vector<double>>;

Result<tensor::Binning> BinningOf(const Bins& bins);

// A hyperparameter. The type bool is listed first, because a Python bool could otherwise be
// converted to a number.
using HParamPair = std::pair<std::string, std::variant<bool, double, std::string>>;

std::vector<std::pair<std::string, writer::HParam>> HParamsOf(const std::vector<HParamPair>& pairs);

void BindSummaries(nanobind::module_& module);

}  // namespace cboard::python
