// Uses CPython's C API directly: a call through a binding library costs three times as much as
// writing the scalar, and ten times with keyword arguments.
#include "scalar_writer.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "cboard/base/clock.h"
#include "errors.h"
#include "run.h"
#include "text.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

struct ScalarWriterObject {
  PyObject_HEAD PyObject* run_object;  // Keeps `run` alive.
  Run* run;                            // Null if calls must go through Python.
};

// The function EventFileWriter.add_event, which tests and users may replace to see every event.
PyObject* watched_class = nullptr;
PyObject* known_add_event = nullptr;
PyObject* add_event_name = nullptr;
PyObject* add_scalar_name = nullptr;

// Version number of the class EventFileWriter when add_event was last found unchanged. CPython
// gives a class another version, or no version (0), whenever the class changes. So comparing the
// version is enough.
unsigned int unchanged_version = 0;

bool AddEventReplaced() {
  if (watched_class == nullptr) return false;
  auto* type = reinterpret_cast<PyTypeObject*>(watched_class);
  const bool has_version = (type->tp_flags & Py_TPFLAGS_VALID_VERSION_TAG) != 0;
  if (has_version && unchanged_version != 0 && type->tp_version_tag == unchanged_version) {
    return false;
  }
  if (PyDict_GetItemWithError(type->tp_dict, add_event_name) != known_add_event) return true;
  // Looks up the attribute, because the lookup gives the class a version if it has none.
  if (PyObject* found = PyObject_GetAttr(watched_class, add_event_name)) {
    Py_DECREF(found);
    unchanged_version = type->tp_version_tag;
  } else {
    PyErr_Clear();
  }
  return false;
}

// Returns the text of a tag, like TagText(), but faster for ASCII. Nearly all tags are ASCII.
std::string_view TextOf(PyObject* tag) {
  if (!PyUnicode_IS_COMPACT_ASCII(tag)) return TagText(tag);
  return {static_cast<const char*>(PyUnicode_DATA(tag)),
          static_cast<std::size_t>(PyUnicode_GET_LENGTH(tag))};
}

constexpr std::size_t kArguments = 6;
constexpr std::array<const char*, kArguments> kNames = {
    "tag", "scalar_value", "global_step", "walltime", "display_name", "summary_description"};
std::array<PyObject*, kArguments> interned_names;

// Sorts positional and keyword arguments into `slots`; on failure, sets an exception and returns
// false.
bool SortArguments(PyObject* const* args, std::size_t positional, PyObject* keywords,
                   std::array<PyObject*, kArguments>& slots) {
  if (positional > kArguments) {
    PyErr_Format(PyExc_TypeError, "add_scalar() takes at most 6 arguments (%zu given)", positional);
    return false;
  }
  for (std::size_t i = 0; i < positional; ++i) slots[i] = args[i];
  const Py_ssize_t count = keywords == nullptr ? 0 : PyTuple_GET_SIZE(keywords);
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject* name = PyTuple_GET_ITEM(keywords, k);
    std::size_t slot = 0;
    while (slot < kArguments && interned_names[slot] != name) ++slot;
    if (slot == kArguments) {  // The name is not interned, so the text is compared.
      slot = 0;
      while (slot < kArguments && PyUnicode_Compare(interned_names[slot], name) != 0) ++slot;
    }
    if (slot == kArguments) {
      PyErr_Format(PyExc_TypeError, "add_scalar() got an unexpected keyword argument '%U'", name);
      return false;
    }
    if (slots[slot] != nullptr) {
      PyErr_Format(PyExc_TypeError, "add_scalar() got multiple values for argument '%s'",
                   kNames[slot]);
      return false;
    }
    slots[slot] = args[positional + static_cast<std::size_t>(k)];
  }
  for (const std::size_t required : {0u, 1u}) {
    if (slots[required] == nullptr) {
      PyErr_Format(PyExc_TypeError, "add_scalar() missing required argument: '%s'",
                   kNames[required]);
      return false;
    }
  }
  return true;
}

bool Absent(PyObject* object) { return object == nullptr || object == Py_None; }

bool EmptyText(PyObject* object) {
  return Absent(object) || (PyUnicode_Check(object) && PyUnicode_GET_LENGTH(object) == 0);
}

// Converts a step. Most steps are small integers, which are converted without a function call.
long long StepOf(PyObject* step, int& overflow) {
#if PY_VERSION_HEX >= 0x030C0000
  auto* number = reinterpret_cast<PyLongObject*>(step);
  if (PyUnstable_Long_IsCompact(number)) return PyUnstable_Long_CompactValue(number);
#else
  if (Py_SIZE(step) == 1) return reinterpret_cast<PyLongObject*>(step)->ob_digit[0];
#endif
  return PyLong_AsLongLongAndOverflow(step, &overflow);
}

// Returns true if the arguments of a call have the usual types, and stores the numbers in `value`,
// `step`, `wall_time`.
bool IsPlain(const std::array<PyObject*, kArguments>& slots, double& value, long long& step,
             double& wall_time) {
  const auto [tag, number, at_step, at_time, display_name, description] = slots;
  if (!PyUnicode_CheckExact(tag) || !EmptyText(display_name) || !EmptyText(description)) {
    return false;
  }
  if (PyFloat_Check(number)) {
    value = PyFloat_AS_DOUBLE(number);
  } else if (PyLong_CheckExact(number)) {
    value = PyLong_AsDouble(number);
    if (value == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      return false;
    }
  } else {
    return false;
  }
  if (!std::isfinite(value)) return false;  // Python code warns about these values.
  if (Absent(at_step)) {
    step = 0;
  } else if (PyLong_CheckExact(at_step)) {
    int overflow = 0;
    step = StepOf(at_step, overflow);
    if (overflow != 0) return false;
  } else {
    return false;
  }
  if (Absent(at_time)) {
    wall_time = WallTimeSeconds();
  } else if (PyFloat_Check(at_time)) {
    wall_time = PyFloat_AS_DOUBLE(at_time);
  } else {
    return false;
  }
  return true;
}

PyObject* AddScalar(PyObject* self, PyObject* const* args, Py_ssize_t positional,
                    PyObject* keywords) {
  std::array<PyObject*, kArguments> slots{};
  const auto count_given = static_cast<std::size_t>(positional);
  // All arguments were passed by position, none by name.
  if (keywords == nullptr && count_given >= 2 && count_given <= kArguments) {
    for (std::size_t i = 0; i < count_given; ++i) slots[i] = args[i];
  } else if (!SortArguments(args, count_given, keywords, slots)) {
    return nullptr;
  }
  auto* writer = reinterpret_cast<ScalarWriterObject*>(self);
  double value = 0;
  long long step = 0;
  double wall_time = 0;
  if (writer->run != nullptr && writer->run->direct && IsPlain(slots, value, step, wall_time) &&
      !AddEventReplaced()) {
    const std::string_view tag = TextOf(slots[0]);
    if (tag.data() == nullptr) return nullptr;
    // Does not release the GIL: this copies fifty bytes, and waits only if the disk is much slower
    // than the program.
    const Result<void> added = writer->run->AddScalar(tag, value, step, wall_time);
    if (!added) {
      SetPythonError(added.error());
      return nullptr;
    }
    Py_RETURN_NONE;
  }
  std::array<PyObject*, kArguments + 1> passed = {self};
  std::size_t count = 0;
  for (PyObject* slot : slots) {
    passed[++count] = slot != nullptr ? slot : Py_None;
  }
  return PyObject_VectorcallMethod(add_scalar_name, passed.data(), passed.size(), nullptr);
}

PyObject* Attach(PyObject* self, PyObject* run) {
  auto* writer = reinterpret_cast<ScalarWriterObject*>(self);
  Run* attached = nullptr;
  if (run != Py_None && !nb::try_cast<Run*>(nb::handle(run), attached)) {
    PyErr_SetString(PyExc_TypeError, "_attach() takes a Run or None");
    return nullptr;
  }
  Py_INCREF(run);
  PyObject* before = writer->run_object;
  writer->run_object = run;
  writer->run = attached;
  Py_XDECREF(before);
  Py_RETURN_NONE;
}

void Deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(reinterpret_cast<ScalarWriterObject*>(self)->run_object);
  type->tp_free(self);
  Py_DECREF(type);
}

int Traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(reinterpret_cast<ScalarWriterObject*>(self)->run_object);
  return 0;
}

int Clear(PyObject* self) {
  reinterpret_cast<ScalarWriterObject*>(self)->run = nullptr;
  Py_CLEAR(reinterpret_cast<ScalarWriterObject*>(self)->run_object);
  return 0;
}

// Converts a function pointer: CPython's tables store functions of different signatures as one
// type.
template <typename Function>
PyCFunction AsMethod(Function function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

template <typename Function>
void* AsSlot(Function function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void BindScalarWriter(nb::module_& module) {
  for (std::size_t i = 0; i < kArguments; ++i) {
    interned_names[i] = PyUnicode_InternFromString(kNames[i]);
  }
  add_event_name = PyUnicode_InternFromString("add_event");
  add_scalar_name = PyUnicode_InternFromString("_add_scalar");

  static std::array<PyMethodDef, 3> methods = {{
      {"add_scalar", AsMethod(AddScalar), METH_FASTCALL | METH_KEYWORDS,
       "add_scalar($self, /, tag, scalar_value, global_step=None, walltime=None, display_name='', "
       "summary_description='')\n--\n\n"
       "Adds one point of the curve `tag`.\n\n"
       "`scalar_value` is a number, or an array or tensor that squeezes to one. `walltime` is in\n"
       "seconds since 1970, now if None. `display_name` and `summary_description` are for "
       "viewers.\n"
       "OSError when the disk has refused for so long that no more fits into memory."},
      {"_attach", Attach, METH_O, "Sets the run that scalars may go to directly, or None."},
      {nullptr, nullptr, 0, nullptr},
  }};
  static std::array<PyType_Slot, 5> slots = {{
      {Py_tp_methods, methods.data()},
      {Py_tp_dealloc, AsSlot(Deallocate)},
      {Py_tp_traverse, AsSlot(Traverse)},
      {Py_tp_clear, AsSlot(Clear)},
      {0, nullptr},
  }};
  static PyType_Spec spec = {"compression_board._engine.ScalarWriter", sizeof(ScalarWriterObject),
                             0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                             slots.data()};
  module.attr("ScalarWriter") = nb::steal(PyType_FromSpec(&spec));

  module.def("own_add_scalar", [](nb::type_object cls) {
    auto* type = reinterpret_cast<PyTypeObject*>(cls.ptr());
    cls.attr("add_scalar") = nb::steal(PyDescr_NewMethod(type, methods.data()));
  });
  module.def("watch_add_event", [](nb::type_object cls, nb::object function) {
    watched_class = cls.release().ptr();
    known_add_event = function.release().ptr();
  });
}

}  // namespace cboard::python
