// Converts text between Python and C++. Include this instead of nanobind/stl/string.h, in all
// files.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace cboard::python {

// Returns the UTF-8 of a tag, valid while `tag` lives. If `tag` is not a str (TypeError) or has
// surrogates (UnicodeEncodeError), sets the Python exception and returns a string_view without
// data.
std::string_view TagText(PyObject* tag);

}  // namespace cboard::python

// Converts a str with surrogates, which UTF-8 cannot represent. Surrogates that stand for the bytes
// of a file name (os.fsdecode) become these bytes again, so that paths work. The library replaces
// invalid UTF-8 in all texts that it writes.
template <>
struct nanobind::detail::type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle source, std::uint32_t, cleanup_list*) noexcept {
    if (!PyUnicode_Check(source.ptr())) return false;
    Py_ssize_t size = 0;
    if (const char* text = PyUnicode_AsUTF8AndSize(source.ptr(), &size)) {
      value.assign(text, static_cast<std::size_t>(size));
      return true;
    }
    for (const char* errors : {"surrogateescape", "surrogatepass"}) {
      PyErr_Clear();
      if (PyObject* bytes = PyUnicode_AsEncodedString(source.ptr(), "utf-8", errors)) {
        value.assign(PyBytes_AS_STRING(bytes), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)));
        Py_DECREF(bytes);
        return true;
      }
    }
    PyErr_Clear();
    return false;
  }

  static handle from_cpp(const std::string& text, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()),
                                "surrogateescape");
  }
};
