#include "errors.h"

namespace cboard::python {
namespace {

PyObject* ExceptionFor(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return PyExc_ValueError;
    case ErrorCode::kNotFound:
      return PyExc_FileNotFoundError;
    case ErrorCode::kAlreadyExists:
      return PyExc_FileExistsError;
    case ErrorCode::kPermissionDenied:
      return PyExc_PermissionError;
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kUnavailable:
    case ErrorCode::kTruncated:
    case ErrorCode::kDataLoss:
      return PyExc_OSError;
    case ErrorCode::kFailedPrecondition:
    case ErrorCode::kInternal:
      return PyExc_RuntimeError;
  }
  return PyExc_RuntimeError;
}

}  // namespace

void SetPythonError(const Error& error) {
  // Messages quote user input, which may be invalid UTF-8.
  PyObject* text = PyUnicode_DecodeUTF8(error.message.data(),
                                        static_cast<Py_ssize_t>(error.message.size()), "replace");
  if (text == nullptr) return;
  PyErr_SetObject(ExceptionFor(error.code), text);
  Py_DECREF(text);
}

void Raise(const Error& error) {
  SetPythonError(error);
  throw nanobind::python_error();
}

}  // namespace cboard::python
