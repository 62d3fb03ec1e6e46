#include "tensor_arg.h"

#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <string_view>

#include "errors.h"
#include "text.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

DType DTypeOrThrow(const std::string& name) {
  const DType dtype = DTypeNamed(name);
  if (HoldsRealNumbers(dtype) && SizeOf(dtype) > 0) return dtype;
  throw nb::type_error(("no tensor has the dtype '" + name + "'").c_str());
}

// Returns the dtype for a format of Python's struct module, in native byte order.
std::optional<DType> DTypeOfFormat(std::string_view format, Py_ssize_t item_size) {
  if (!format.empty() && (format[0] == '@' || format[0] == '=' || format[0] == '<')) {
    format.remove_prefix(1);
  }
  if (format.size() != 1) return std::nullopt;
  const auto sized = [&](DType one, DType two, DType four, DType eight) -> std::optional<DType> {
    switch (item_size) {
      case 1:
        return one;
      case 2:
        return two;
      case 4:
        return four;
      case 8:
        return eight;
      default:
        return std::nullopt;
    }
  };
  switch (format[0]) {
    case 'f':
      return DType::kFloat32;
    case 'd':
      return DType::kFloat64;
    case 'e':
      return DType::kFloat16;
    case '?':
      return DType::kBool;
    case 'b':
    case 'h':
    case 'i':
    case 'l':
    case 'q':
    case 'n':
      return sized(DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64);
    case 'B':
    case 'H':
    case 'I':
    case 'L':
    case 'Q':
    case 'N':
      return sized(DType::kUint8, DType::kUint16, DType::kUint32, DType::kUint64);
    default:
      return std::nullopt;
  }
}

}  // namespace

TensorArg::TensorArg(nb::handle object) {
  nb::object source = nb::borrow(object);
  std::optional<DType> dtype;
  std::optional<std::size_t> axis;
  if (nb::isinstance<nb::tuple>(object)) {
    const auto parts = nb::borrow<nb::tuple>(object);
    if (parts.size() != 2 && parts.size() != 5) {
      throw nb::type_error(
          "expected (buffer, dtype) or (buffer, dtype, scales, zero points, axis)");
    }
    source = parts[0];
    if (!parts[1].is_none()) dtype = DTypeOrThrow(nb::cast<std::string>(parts[1]));
    if (parts.size() == 5) {
      scales_ = nb::cast<std::vector<float>>(parts[2]);
      zero_points_ = nb::cast<std::vector<std::int32_t>>(parts[3]);
      if (!parts[4].is_none()) axis = nb::cast<std::size_t>(parts[4]);
    }
  }
  if (PyObject_GetBuffer(source.ptr(), &buffer_, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    throw nb::python_error();
  }
  const std::string_view format = buffer_.format == nullptr ? "B" : buffer_.format;
  if (!dtype) dtype = DTypeOfFormat(format, buffer_.itemsize);
  if (!dtype || static_cast<Py_ssize_t>(SizeOf(*dtype)) != buffer_.itemsize) {
    const std::string message =
        "arrays of the type '" + std::string(format) +
        "' cannot be logged; convert to float32, float64 or an integer type";
    PyBuffer_Release(&buffer_);
    throw nb::type_error(message.c_str());
  }
  view_.dtype = *dtype;
  view_.data = buffer_.buf;
  view_.shape.assign(buffer_.shape, buffer_.shape + buffer_.ndim);
  if (!scales_.empty()) {
    view_.quantization = axis ? Quantization::PerChannel(scales_, zero_points_, *axis)
                              : Quantization::PerTensor(scales_, zero_points_);
  }
  if (const auto valid = view_.Validate(); !valid) {
    PyBuffer_Release(&buffer_);
    Raise(valid.error());
  }
}

TensorArg::~TensorArg() { PyBuffer_Release(&buffer_); }

}  // namespace cboard::python
