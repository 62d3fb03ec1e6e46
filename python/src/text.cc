#include "text.h"

namespace nb = nanobind;

namespace cboard::python {

std::string_view TagText(PyObject* tag) {
  if (!PyUnicode_Check(tag)) {
    PyErr_Format(PyExc_TypeError, "a tag is a str, not %s", Py_TYPE(tag)->tp_name);
    return {};
  }
  Py_ssize_t size = 0;
  if (const char* text = PyUnicode_AsUTF8AndSize(tag, &size)) {
    return {text, static_cast<std::size_t>(size)};
  }
  nb::python_error error;
  if (error.matches(PyExc_UnicodeEncodeError)) {
    PyUnicodeEncodeError_SetReason(error.value().ptr(),
                                   "a tag cannot have surrogates; replace them with "
                                   "tag.encode('utf-8', 'replace').decode()");
  }
  error.restore();
  return {};
}

}  // namespace cboard::python
