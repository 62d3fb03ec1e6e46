// Serialized Summaries from Python values: one function per kind, as SummaryWriter's methods make
// them. The GIL is released while they work.
#pragma once

#include <nanobind/nanobind.h>

namespace cboard::python {

void BindSummaries(nanobind::module_& module);

}  // namespace cboard::python
