// The base class of Python's SummaryWriter: add_scalar without any Python in between.
#pragma once

#include <nanobind/nanobind.h>

namespace cboard::python {

// Adds the type ScalarWriter and the function set_choke_point to `module`.
//
// ScalarWriter.add_scalar(tag, scalar_value, global_step=None, walltime=None, display_name="",
// summary_description="") goes straight to the event file given to _attach() when it can: plain
// numbers, no labels, no use_metadata, and EventFileWriter.add_event as we know it. Everything else
// is passed on to self._add_scalar, with the same arguments.
void BindScalarWriter(nanobind::module_& module);

}  // namespace cboard::python
