#include "cboard/model/element_type.h"

#include <array>

namespace cboard::model {
namespace {

struct TypeFacts {
  ElementType type;
  std::string_view name;
  ElementLayout layout;
};

// In the order of the enum.
constexpr auto kTypes = std::to_array<TypeFacts>({
    {ElementType::kUnknown, "unknown", {1, 0}},
    {ElementType::kFloat32, "float32", {1, 4}},
    {ElementType::kFloat64, "float64", {1, 8}},
    {ElementType::kFloat16, "float16", {1, 2}},
    {ElementType::kBfloat16, "bfloat16", {1, 2}},
    {ElementType::kFloat8E4m3fn, "float8_e4m3fn", {1, 1}},
    {ElementType::kFloat8E4m3fnuz, "float8_e4m3fnuz", {1, 1}},
    {ElementType::kFloat8E5m2, "float8_e5m2", {1, 1}},
    {ElementType::kFloat8E5m2fnuz, "float8_e5m2fnuz", {1, 1}},
    {ElementType::kFloat8E8m0, "float8_e8m0", {1, 1}},
    {ElementType::kFloat4E2m1, "float4_e2m1", {2, 1}},
    {ElementType::kInt4, "int4", {2, 1}},
    {ElementType::kUint4, "uint4", {2, 1}},
    {ElementType::kInt2, "int2", {4, 1}},
    {ElementType::kUint2, "uint2", {4, 1}},
    {ElementType::kInt8, "int8", {1, 1}},
    {ElementType::kUint8, "uint8", {1, 1}},
    {ElementType::kInt16, "int16", {1, 2}},
    {ElementType::kUint16, "uint16", {1, 2}},
    {ElementType::kInt32, "int32", {1, 4}},
    {ElementType::kUint32, "uint32", {1, 4}},
    {ElementType::kInt64, "int64", {1, 8}},
    {ElementType::kUint64, "uint64", {1, 8}},
    {ElementType::kBool, "bool", {1, 1}},
    {ElementType::kComplex64, "complex64", {1, 8}},
    {ElementType::kComplex128, "complex128", {1, 16}},
    {ElementType::kString, "string", {1, 0}},
    {ElementType::kQ4_0, "q4_0", {32, 18}},
    {ElementType::kQ4_1, "q4_1", {32, 20}},
    {ElementType::kQ5_0, "q5_0", {32, 22}},
    {ElementType::kQ5_1, "q5_1", {32, 24}},
    {ElementType::kQ8_0, "q8_0", {32, 34}},
    {ElementType::kQ2_K, "q2_k", {256, 84}},
    {ElementType::kQ3_K, "q3_k", {256, 110}},
    {ElementType::kQ4_K, "q4_k", {256, 144}},
    {ElementType::kQ5_K, "q5_k", {256, 176}},
    {ElementType::kQ6_K, "q6_k", {256, 210}},
    {ElementType::kQ8_K, "q8_k", {256, 292}},
    {ElementType::kIq4Nl, "iq4_nl", {32, 18}},
    {ElementType::kIq4Xs, "iq4_xs", {256, 136}},
    {ElementType::kTq1_0, "tq1_0", {256, 54}},
    {ElementType::kTq2_0, "tq2_0", {256, 66}},
    {ElementType::kMxfp4, "mxfp4", {32, 17}},
    {ElementType::kIq1S, "iq1_s", {256, 50}},
    {ElementType::kIq1M, "iq1_m", {256, 56}},
    {ElementType::kIq2Xxs, "iq2_xxs", {256, 66}},
    {ElementType::kIq2Xs, "iq2_xs", {256, 74}},
    {ElementType::kIq2S, "iq2_s", {256, 82}},
    {ElementType::kIq3Xxs, "iq3_xxs", {256, 98}},
    {ElementType::kIq3S, "iq3_s", {256, 110}},
});

consteval bool InOrder() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(InOrder());

const TypeFacts& FactsOf(ElementType type) {
  const auto index = static_cast<std::size_t>(type);
  return kTypes[index < kTypes.size() ? index : 0];
}

}  // namespace

std::string_view NameOf(ElementType type) { return FactsOf(type).name; }

ElementLayout LayoutOf(ElementType type) { return FactsOf(type).layout; }

double BitsPerElement(ElementType type) {
  const ElementLayout layout = LayoutOf(type);
  return 8.0 * static_cast<double>(layout.bytes) / static_cast<double>(layout.elements);
}

bool IsBlockType(ElementType type) { return type >= ElementType::kQ4_0; }

bool HoldsRealNumbers(ElementType type) {
  return LayoutOf(type).bytes > 0 && type != ElementType::kComplex64 &&
         type != ElementType::kComplex128 && type < ElementType::kIq1S;
}

bool IsInteger(ElementType type) {
  return type >= ElementType::kInt4 && type <= ElementType::kUint64;
}

bool HoldsCodes(ElementType type) {
  return IsInteger(type) ||
         (type >= ElementType::kFloat8E4m3fn && type <= ElementType::kFloat8E5m2fnuz) ||
         type == ElementType::kFloat4E2m1;
}

std::optional<DType> PlainTypeOf(ElementType type) {
  switch (type) {
    case ElementType::kFloat32:
      return DType::kFloat32;
    case ElementType::kFloat64:
      return DType::kFloat64;
    case ElementType::kFloat16:
      return DType::kFloat16;
    case ElementType::kBfloat16:
      return DType::kBfloat16;
    case ElementType::kInt8:
      return DType::kInt8;
    case ElementType::kUint8:
      return DType::kUint8;
    case ElementType::kInt16:
      return DType::kInt16;
    case ElementType::kUint16:
      return DType::kUint16;
    case ElementType::kInt32:
      return DType::kInt32;
    case ElementType::kUint32:
      return DType::kUint32;
    case ElementType::kInt64:
      return DType::kInt64;
    case ElementType::kUint64:
      return DType::kUint64;
    case ElementType::kBool:
      return DType::kBool;
    default:
      return std::nullopt;
  }
}

}  // namespace cboard::model
