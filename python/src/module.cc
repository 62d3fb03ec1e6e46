// Defines the Python module compression_board._engine: the parts of the library that the Python
// package uses.
#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>

#include "bindings.h"
#include "run.h"
#include "scalar_writer.h"
#include "summaries.h"

NB_MODULE(guarded_engine, module) {
  // Suppresses warnings about leaks: writers may live until the interpreter ends.
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

namespace {

// Refuses a second interpreter. Both the engine and the binding library keep Python objects in
// global variables. A second interpreter would replace these objects, and free them at its end
// while the first interpreter still uses them.
int RefuseSubinterpreter(PyObject*) {
  if (PyInterpreterState_Get() == PyInterpreterState_Main()) return 0;
  PyErr_SetString(PyExc_ImportError,
                  "compression_board works in the main interpreter only; log from there, or start "
                  "a process (multiprocessing) instead of a subinterpreter");
  return -1;
}

}  // namespace

// Checks the interpreter before the binding library runs. Python calls this function in the new
// interpreter, or (since Python 3.13) first in the main interpreter, before it initializes the
// module.
extern "C" NB_EXPORT PyObject* PyInit__engine() {
  if (RefuseSubinterpreter(nullptr) != 0) return nullptr;
  PyObject* const made = PyInit_guarded_engine();
  if (made == nullptr || !PyObject_TypeCheck(made, &PyModuleDef_Type)) return made;
  auto* const definition = reinterpret_cast<PyModuleDef*>(made);
  static std::array<PyModuleDef_Slot, 16> slots;
  if (definition->m_slots == slots.data()) return made;  // The module is imported again.
  slots[0] = {Py_mod_exec, reinterpret_cast<void*>(RefuseSubinterpreter)};
  std::size_t count = 1;
  for (auto* slot = definition->m_slots; slot != nullptr && slot->slot != 0; ++slot) {
    if (count + 1 == slots.size()) {
      PyErr_SetString(PyExc_ImportError, "the binding library has too many module slots");
      return nullptr;
    }
    slots[count++] = *slot;
  }
  definition->m_slots = slots.data();
  return made;
}
