#include "runtime/element_types.h"

#include <array>
#include <string_view>

#include "cboard/base/check.h"

namespace cboard::runtime {
namespace {

struct Element {
  int number;
  DType dtype;
};

constexpr std::array kElements = {
    Element{1, DType::kFloat32},   Element{2, DType::kUint8},   Element{3, DType::kInt8},
    Element{4, DType::kUint16},    Element{5, DType::kInt16},   Element{6, DType::kInt32},
    Element{7, DType::kInt64},     Element{9, DType::kBool},    Element{10, DType::kFloat16},
    Element{11, DType::kFloat64},  Element{12, DType::kUint32}, Element{13, DType::kUint64},
    Element{16, DType::kBfloat16},
};

}  // namespace

std::optional<DType> DTypeOfElement(int element_type) {
  for (const Element& element : kElements) {
    if (element.number == element_type) return element.dtype;
  }
  return std::nullopt;
}

int ElementOf(DType dtype) {
  for (const Element& element : kElements) {
    if (element.dtype == dtype) return element.number;
  }
  CBOARD_CHECK(false);
}

std::string NameOfElement(int element_type) {
  if (const auto dtype = DTypeOfElement(element_type)) return std::string(NameOf(*dtype));
  switch (element_type) {
    case 8:
      return "string";
    case 14:
      return "complex64";
    case 15:
      return "complex128";
    case 17:
    case 18:
      return "float8e4m3";
    case 19:
    case 20:
      return "float8e5m2";
    case 21:
      return "uint4";
    case 22:
      return "int4";
    case 23:
      return "float4e2m1";
    default:
      return "element type " + std::to_string(element_type);
  }
}

}  // namespace cboard::runtime
