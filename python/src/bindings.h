// Functions that add the bindings of one area each to the Python module.
#pragma once

#include <nanobind/nanobind.h>

namespace cboard::python {

void BindComparison(nanobind::module_& module);
void BindQuantize(nanobind::module_& module);
void BindCompression(nanobind::module_& module);
void BindHardware(nanobind::module_& module);
void BindStages(nanobind::module_& module);
void BindTuning(nanobind::module_& module);

}  // namespace cboard::python
