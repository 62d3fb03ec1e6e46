// This file is compiled once per instruction set (Highway). The program selects the best version at
// run time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "writer/media/float_bytes.cc"
#include "writer/media/float_bytes.h"

#include <hwy/foreach_target.h>  // Must come before highway.h.
#include <hwy/highway.h>

#include <array>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace cboard::writer::media {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::RebindToSigned<Floats>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;

// Converts floats to bytes that wrap around. Values outside 32-bit integers are masked, because
// numpy converts them to zero and Highway's conversion saturates.
struct Wrap {
  HWY_INLINE hn::Vec<Integers> operator()(hn::Vec<Floats> values) const {
    const Floats d;
    const auto fits = hn::And(hn::Ge(values, hn::Set(d, -2147483648.f)),
                              hn::Lt(values, hn::Set(d, 2147483648.f)));
    const auto whole = hn::ConvertTo(Integers(), hn::IfThenElseZero(fits, values));
    return hn::And(whole, hn::Set(Integers(), 0xff));
  }
};

struct Clamp {
  HWY_INLINE hn::Vec<Integers> operator()(hn::Vec<Floats> values) const {
    const Floats d;
    const auto positive = hn::IfThenElseZero(hn::Gt(values, hn::Zero(d)), values);
    return hn::ConvertTo(Integers(), hn::Min(positive, hn::Set(d, 255.f)));
  }
};

template <typename ToByte>
HWY_INLINE void Scale(const float* values, std::size_t count, std::uint8_t* bytes, ToByte to_byte) {
  const Floats d;
  const Bytes d8;
  const std::size_t lanes = hn::Lanes(d);
  const auto white = hn::Set(d, 255.f);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto scaled = hn::Mul(hn::LoadU(d, values + i), white);
    hn::StoreU(hn::DemoteTo(d8, to_byte(scaled)), d8, bytes + i);
  }
  if (i < count) {
    constexpr std::size_t kMaxLanes = HWY_MAX_BYTES / sizeof(float);
    std::array<float, kMaxLanes> last{};
    std::array<std::uint8_t, kMaxLanes> last_bytes;
    std::memcpy(last.data(), values + i, (count - i) * sizeof(float));
    const auto scaled = hn::Mul(hn::LoadU(d, last.data()), white);
    hn::StoreU(hn::DemoteTo(d8, to_byte(scaled)), d8, last_bytes.data());
    std::memcpy(bytes + i, last_bytes.data(), count - i);
  }
}

void ScaleAndWrap(const float* values, std::size_t count, std::uint8_t* bytes) {
  Scale(values, count, bytes, Wrap{});
}

void ScaleAndClamp(const float* values, std::size_t count, std::uint8_t* bytes) {
  Scale(values, count, bytes, Clamp{});
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::writer::media
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::writer::media {

HWY_EXPORT(ScaleAndWrap);
HWY_EXPORT(ScaleAndClamp);

void ScaleAndWrap(const float* values, std::size_t count, std::uint8_t* bytes) {
  HWY_DYNAMIC_DISPATCH(ScaleAndWrap)(values, count, bytes);
}

void ScaleAndClamp(const float* values, std::size_t count, std::uint8_t* bytes) {
  HWY_DYNAMIC_DISPATCH(ScaleAndClamp)(values, count, bytes);
}

}  // namespace cboard::writer::media
#endif
