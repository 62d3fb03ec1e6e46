#include "tensor/kernels/quantizer_kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/quantizer_kernels.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

tensor::FiniteRange RangeOfFloats(const float* HWY_RESTRICT values, std::size_t count) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto largest = hn::Set(d, std::numeric_limits<float>::max());
  auto low = hn::Zero(d), high = low;
  tensor::FiniteRange range;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, values + i);
    const auto is_finite = hn::Le(hn::Abs(v), largest);
    const auto finite = hn::IfThenElseZero(is_finite, v);
    low = hn::Min(low, finite);
    high = hn::Max(high, finite);
    range.count += hn::CountTrue(d, is_finite);
  }
  range.low = hn::GetLane(hn::MinOfLanes(d, low));
  range.high = hn::GetLane(hn::MaxOfLanes(d, high));
  for (; i < count; ++i) {
    if (!std::isfinite(values[i])) continue;
    range.low = std::min(range.low, values[i]);
    range.high = std::max(range.high, values[i]);
    ++range.count;
  }
  return range;
}

template <typename Code>
HWY_INLINE void QuantizeTo(const float* HWY_RESTRICT values, std::size_t count,
                           const tensor::CodeRule& rule, Code* HWY_RESTRICT codes) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> whole;
  const hn::Rebind<Code, decltype(d)> narrow;
  const std::size_t lanes = hn::Lanes(d);
  const auto steps = hn::Set(d, rule.step), zeros = hn::Set(d, rule.zero);
  const auto min = hn::Set(d, rule.min), max = hn::Set(d, rule.max);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    // A division is used because it rounds correctly. A multiplication by the reciprocal would move
    // some values from the middle between two codes to one side.
    const auto code = hn::Add(hn::Round(hn::Div(hn::LoadU(d, values + i), steps)), zeros);
    const auto within = hn::IfThenElse(hn::Ge(code, min), hn::Min(code, max), min);
    hn::StoreU(hn::DemoteTo(narrow, hn::ConvertTo(whole, within)), narrow, codes + i);
  }
  for (; i < count; ++i) {
    const float code = std::nearbyint(values[i] / rule.step) + rule.zero;
    codes[i] = static_cast<Code>(code >= rule.min ? std::min(code, rule.max) : rule.min);
  }
}

void QuantizeInt8(const float* values, std::size_t count, const tensor::CodeRule& rule,
                  std::int8_t* codes) {
  QuantizeTo(values, count, rule, codes);
}
void QuantizeUint8(const float* values, std::size_t count, const tensor::CodeRule& rule,
                   std::uint8_t* codes) {
  QuantizeTo(values, count, rule, codes);
}
void QuantizeInt16(const float* values, std::size_t count, const tensor::CodeRule& rule,
                   std::int16_t* codes) {
  QuantizeTo(values, count, rule, codes);
}
void QuantizeUint16(const float* values, std::size_t count, const tensor::CodeRule& rule,
                    std::uint16_t* codes) {
  QuantizeTo(values, count, rule, codes);
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {

HWY_EXPORT(RangeOfFloats);
HWY_EXPORT(QuantizeInt8);
HWY_EXPORT(QuantizeUint8);
HWY_EXPORT(QuantizeInt16);
HWY_EXPORT(QuantizeUint16);

FiniteRange FiniteRangeOf(std::span<const float> values) {
  return HWY_DYNAMIC_DISPATCH(RangeOfFloats)(values.data(), values.size());
}

void Quantize(std::span<const float> values, const CodeRule& rule, std::int8_t* codes) {
  HWY_DYNAMIC_DISPATCH(QuantizeInt8)(values.data(), values.size(), rule, codes);
}
void Quantize(std::span<const float> values, const CodeRule& rule, std::uint8_t* codes) {
  HWY_DYNAMIC_DISPATCH(QuantizeUint8)(values.data(), values.size(), rule, codes);
}
void Quantize(std::span<const float> values, const CodeRule& rule, std::int16_t* codes) {
  HWY_DYNAMIC_DISPATCH(QuantizeInt16)(values.data(), values.size(), rule, codes);
}
void Quantize(std::span<const float> values, const CodeRule& rule, std::uint16_t* codes) {
  HWY_DYNAMIC_DISPATCH(QuantizeUint16)(values.data(), values.size(), rule, codes);
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
