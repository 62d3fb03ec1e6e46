// compression_board._engine: the parts of the library that the Python package uses.
#include <nanobind/nanobind.h>

#include "bindings.h"
#include "run.h"
#include "scalar_writer.h"
#include "summaries.h"

NB_MODULE(_engine, module) {
  // Writers that live until the interpreter ends are not leaks worth a message.
  nanobind::set_leak_warnings(false);
  cboard::python::BindRun(module);
  cboard::python::BindScalarWriter(module);
  cboard::python::BindSummaries(module);
  cboard::python::BindComparison(module);
  cboard::python::BindQuantize(module);
  cboard::python::BindCompression(module);
  cboard::python::BindHardware(module);
  cboard::python::BindStages(module);
  cboard::python::BindTuning(module);
}
