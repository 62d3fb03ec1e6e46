// Converts errors of the library to Python exceptions, for all bindings.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>

#include "cboard/base/result.h"

namespace cboard::python {

// Sets the Python exception for `error`:
//
//   kInvalidArgument                        ValueError
//   kNotFound                               FileNotFoundError
//   kAlreadyExists                          FileExistsError
//   kPermissionDenied                       PermissionError
//   kResourceExhausted, kUnavailable,
//   kTruncated, kDataLoss                   OSError
//   kFailedPrecondition, kInternal          RuntimeError
void SetPythonError(const Error& error);

// Sets the Python exception for `error`, like SetPythonError, and throws it through nanobind.
[[noreturn]] void Raise(const Error& error);

template <typename T>
T Unwrap(tl::expected<T, Error> result) {
  if (!result) Raise(result.error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

}  // namespace cboard::python
