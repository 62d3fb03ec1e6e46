// Maps a DType to the C++ type of its elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "cboard/base/check.h"
#include "cboard/tensor/convert.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::tensor {

// Types for elements that C++20 has no type for, and for a bool whose byte may have any value.
struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};
struct Bool {
  std::uint8_t byte;
};

// Converts an element to a float or a double.
template <typename Real, typename Element>
inline Real ValueOf(Element element) {
  return static_cast<Real>(element);
}
template <typename Real>
inline Real ValueOf(Half element) {
  return static_cast<Real>(HalfToFloat(element.bits));
}
template <typename Real>
inline Real ValueOf(Bfloat element) {
  return static_cast<Real>(BfloatToFloat(element.bits));
}
template <typename Real>
inline Real ValueOf(Bool element) {
  return element.byte != 0 ? Real{1} : Real{0};
}

// Reads element `index` of an array. The array need not be aligned, because views may point into
// mapped files.
template <typename Element>
inline Element LoadElement(const void* data, std::size_t index) {
  Element element;
  std::memcpy(&element, static_cast<const char*>(data) + index * sizeof(Element), sizeof(Element));
  return element;
}

// Calls `visit(Element{})` with the element type of a plain `dtype` (base/dtype.h).
template <typename Visitor>
decltype(auto) VisitElementType(DType dtype, Visitor&& visit) {
  switch (dtype) {
    case DType::kFloat32:
      return visit(float{});
    case DType::kFloat64:
      return visit(double{});
    case DType::kFloat16:
      return visit(Half{});
    case DType::kBfloat16:
      return visit(Bfloat{});
    case DType::kInt8:
      return visit(std::int8_t{});
    case DType::kUint8:
      return visit(std::uint8_t{});
    case DType::kInt16:
      return visit(std::int16_t{});
    case DType::kUint16:
      return visit(std::uint16_t{});
    case DType::kInt32:
      return visit(std::int32_t{});
    case DType::kUint32:
      return visit(std::uint32_t{});
    case DType::kInt64:
      return visit(std::int64_t{});
    case DType::kUint64:
      return visit(std::uint64_t{});
    case DType::kBool:
      return visit(Bool{});
    default:
      CheckFailed(__FILE__, __LINE__, "the dtype is plain");
  }
}

}  // namespace cboard::tensor
