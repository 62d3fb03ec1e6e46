// The base class of Python's SummaryWriter: add_scalar without any Python in between.
#pragma once

#include <nanobind/nanobind.h>

namespace cboard::python {

// Adds the type ScalarWriter and the functions watch_add_event and own_add_scalar to `module`.
//
// ScalarWriter.add_scalar(tag, scalar_value, global_step=None, walltime=None, display_name="",
// summary_description="") goes straight to the event file given to _attach() when it can: plain
// numbers, no labels, no use_metadata, and EventFileWriter.add_event as we know it. Everything else
// is passed on to self._add_scalar, with the same arguments.
//
// own_add_scalar(cls) gives a subclass the method as its own. CPython's interpreter calls a method
// of C without detours only on objects of exactly the class that the method belongs to.
void BindScalarWriter(nanobind::module_& module);

}  // namespace cboard::python
