// The base class of Python's SummaryWriter: an add_scalar that runs without Python code.
#pragma once

#include <nanobind/nanobind.h>

namespace cboard::python {

// Adds the type ScalarWriter and the functions watch_add_event and own_add_scalar to `module`.
//
// ScalarWriter.add_scalar(tag, scalar_value, global_step=None, walltime=None, display_name="",
// summary_description="") writes directly to the event file given to _attach() if possible: plain
// numbers, no labels, no use_metadata, and an unchanged EventFileWriter.add_event. All other calls
// are passed to self._add_scalar, with the same arguments.
//
// own_add_scalar(cls) gives a subclass its own copy of the method: CPython's interpreter calls a C
// method quickly only on objects of exactly the class that defines it.
void BindScalarWriter(nanobind::module_& module);

}  // namespace cboard::python
