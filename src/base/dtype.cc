#include "cboard/base/dtype.h"

#include <algorithm>
#include <array>

namespace cboard {
namespace {

struct TypeFacts {
  DType type;
  std::string_view name;
  ElementLayout layout;
};

// Properties of all element types, in the order of the enum DType.
constexpr auto kTypes = std::to_array<TypeFacts>({
    {DType::kUnknown, "unknown", {1, 0}},
    {DType::kFloat32, "float32", {1, 4}},
    {DType::kFloat64, "float64", {1, 8}},
    {DType::kFloat16, "float16", {1, 2}},
    {DType::kBfloat16, "bfloat16", {1, 2}},
    {DType::kFloat8E4m3fn, "float8_e4m3fn", {1, 1}},
    {DType::kFloat8E4m3fnuz, "float8_e4m3fnuz", {1, 1}},
    {DType::kFloat8E5m2, "float8_e5m2", {1, 1}},
    {DType::kFloat8E5m2fnuz, "float8_e5m2fnuz", {1, 1}},
    {DType::kFloat8E8m0, "float8_e8m0", {1, 1}},
    {DType::kFloat4E2m1, "float4_e2m1", {2, 1}},
    {DType::kInt4, "int4", {2, 1}},
    {DType::kUint4, "uint4", {2, 1}},
    {DType::kInt2, "int2", {4, 1}},
    {DType::kUint2, "uint2", {4, 1}},
    {DType::kInt8, "int8", {1, 1}},
    {DType::kUint8, "uint8", {1, 1}},
    {DType::kInt16, "int16", {1, 2}},
    {DType::kUint16, "uint16", {1, 2}},
    {DType::kInt32, "int32", {1, 4}},
    {DType::kUint32, "uint32", {1, 4}},
    {DType::kInt64, "int64", {1, 8}},
    {DType::kUint64, "uint64", {1, 8}},
    {DType::kBool, "bool", {1, 1}},
    {DType::kComplex64, "complex64", {1, 8}},
    {DType::kComplex128, "complex128", {1, 16}},
    {DType::kString, "string", {1, 0}},
    {DType::kQ4_0, "q4_0", {32, 18}},
    {DType::kQ4_1, "q4_1", {32, 20}},
    {DType::kQ5_0, "q5_0", {32, 22}},
    {DType::kQ5_1, "q5_1", {32, 24}},
    {DType::kQ8_0, "q8_0", {32, 34}},
    {DType::kQ2_K, "q2_k", {256, 84}},
    {DType::kQ3_K, "q3_k", {256, 110}},
    {DType::kQ4_K, "q4_k", {256, 144}},
    {DType::kQ5_K, "q5_k", {256, 176}},
    {DType::kQ6_K, "q6_k", {256, 210}},
    {DType::kQ8_K, "q8_k", {256, 292}},
    {DType::kIq4Nl, "iq4_nl", {32, 18}},
    {DType::kIq4Xs, "iq4_xs", {256, 136}},
    {DType::kTq1_0, "tq1_0", {256, 54}},
    {DType::kTq2_0, "tq2_0", {256, 66}},
    {DType::kMxfp4, "mxfp4", {32, 17}},
    {DType::kIq1S, "iq1_s", {256, 50}},
    {DType::kIq1M, "iq1_m", {256, 56}},
    {DType::kIq2Xxs, "iq2_xxs", {256, 66}},
    {DType::kIq2Xs, "iq2_xs", {256, 74}},
    {DType::kIq2S, "iq2_s", {256, 82}},
    {DType::kIq3Xxs, "iq3_xxs", {256, 98}},
    {DType::kIq3S, "iq3_s", {256, 110}},
});

consteval bool InOrder() {
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    if (static_cast<std::size_t>(kTypes[i].type) != i) return false;
  }
  return true;
}
static_assert(InOrder());

const TypeFacts& FactsOf(DType type) {
  const auto index = static_cast<std::size_t>(type);
  return kTypes[index < kTypes.size() ? index : 0];
}

}  // namespace

std::string_view NameOf(DType type) { return FactsOf(type).name; }

DType DTypeNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &TypeFacts::name);
  return found == kTypes.end() ? DType::kUnknown : found->type;
}

ElementLayout LayoutOf(DType type) { return FactsOf(type).layout; }

double BitsPerElement(DType type) {
  const ElementLayout layout = LayoutOf(type);
  return 8.0 * static_cast<double>(layout.bytes) / static_cast<double>(layout.elements);
}

std::size_t SizeOf(DType type) {
  const ElementLayout layout = LayoutOf(type);
  return layout.elements == 1 ? layout.bytes : 0;
}

bool IsPlain(DType type) { return IsFloat(type) || (type >= DType::kInt8 && type <= DType::kBool); }

bool IsFloat(DType type) { return type >= DType::kFloat32 && type <= DType::kBfloat16; }

bool IsBlockType(DType type) { return type >= DType::kQ4_0; }

bool HoldsRealNumbers(DType type) {
  return LayoutOf(type).bytes > 0 && type != DType::kComplex64 && type != DType::kComplex128 &&
         type < DType::kIq1S;
}

bool IsInteger(DType type) { return type >= DType::kInt4 && type <= DType::kUint64; }

bool HoldsCodes(DType type) {
  return IsInteger(type) || (type >= DType::kFloat8E4m3fn && type <= DType::kFloat8E5m2fnuz) ||
         type == DType::kFloat4E2m1;
}

}  // namespace cboard
