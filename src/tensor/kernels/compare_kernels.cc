#include "tensor/kernels/compare_kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/compare_kernels.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

#include "tensor/kernels/fetch_ahead.h"
#include "tensor/kernels/load_doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Adds one value. It is used for the values after the last whole vector.
inline void AddReference(double x, tensor::BlockMoments& moments) {
  moments.min = std::min(moments.min, x);
  moments.max = std::max(moments.max, x);
  moments.sum += x;
  moments.sum_squares += x * x;
}

inline void AddError(double error, tensor::BlockErrors& errors) {
  errors.sum_squares += error * error;
  errors.max = std::max(errors.max, std::abs(error));
}

// Accumulates minimum, maximum and sums of the baseline or the compressed values. Handles two
// vectors of doubles at a time, in independent chains of additions.
template <class D, typename Real>
class Moments {
 public:
  // The vector type in which two vectors of doubles are stored in memory: one vector of floats, or
  // two vectors of doubles.
  using Stored = hn::ScalableTag<Real>;
  HWY_INLINE Moments(D d, Real first)
      : sum0_(hn::Zero(d)),
        sum1_(sum0_),
        squares0_(sum0_),
        squares1_(sum0_),
        min_(hn::Set(Stored(), first)),
        max_(min_) {}

  // Adds two vectors. `v0` and `v1` are the values of `stored` as doubles. They could be used
  // instead of loading `stored` again, but widening from memory is cheaper than from a register.
  HWY_INLINE void Add(const Real* HWY_RESTRICT stored, hn::Vec<D> v0, hn::Vec<D> v1) {
    const Stored d;
    auto v = hn::LoadU(d, stored);
    min_ = hn::Min(min_, v);
    max_ = hn::Max(max_, v);
    if constexpr (std::is_same_v<Real, double>) {
      v = hn::LoadU(d, stored + hn::Lanes(d));
      min_ = hn::Min(min_, v);
      max_ = hn::Max(max_, v);
    }
    sum0_ = hn::Add(sum0_, v0);
    sum1_ = hn::Add(sum1_, v1);
    squares0_ = hn::MulAdd(v0, v0, squares0_);
    squares1_ = hn::MulAdd(v1, v1, squares1_);
  }

  HWY_INLINE tensor::BlockMoments Total() const {
    const D d;
    const Stored stored;
    return {static_cast<double>(hn::GetLane(hn::MinOfLanes(stored, min_))),
            static_cast<double>(hn::GetLane(hn::MaxOfLanes(stored, max_))),
            hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0_, sum1_))),
            hn::GetLane(hn::SumOfLanes(d, hn::Add(squares0_, squares1_)))};
  }

 private:
  hn::Vec<D> sum0_, sum1_, squares0_, squares1_;
  hn::Vec<Stored> min_, max_;
};

template <class D, class V>
HWY_INLINE tensor::BlockErrors TotalErrors(D d, const tensor::BlockMoments& reference, V squares,
                                           V max) {
  return {reference, hn::GetLane(hn::SumOfLanes(d, squares)), hn::GetLane(hn::MaxOfLanes(d, max))};
}

template <typename Code>
HWY_INLINE tensor::BlockErrors CodeErrors(const float* HWY_RESTRICT reference,
                                          const Code* HWY_RESTRICT codes, std::size_t count,
                                          double scale, std::int32_t zero_point) {
  using D = hn::ScalableTag<double>;
  const D d;
  Moments<D, float> moments(d, reference[0]);
  auto squares0 = hn::Zero(d), squares1 = squares0, max = squares0;
  std::size_t i = 0;
// The scalar target cannot load one vector of floats as two vectors of doubles.
#if HWY_TARGET != HWY_SCALAR
  // Widens the codes of two vectors to integers and stores them in memory. From memory, half a
  // vector can be loaded and converted to doubles without a shuffle.
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Half<decltype(d32)> half;
  const hn::Rebind<Code, decltype(d32)> d8;
  HWY_ALIGN std::int32_t steps[hn::MaxLanes(d32)];
  const std::size_t lanes = hn::Lanes(d);
  const auto scales = hn::Set(d, scale);
  const auto zero_points = hn::Set(d32, zero_point);
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    tensor::FetchAhead(reference + i);
    tensor::FetchAhead(codes + i);
    const auto x0 = LoadDoubles(d, reference + i), x1 = LoadDoubles(d, reference + i + lanes);
    hn::Store(hn::Sub(hn::PromoteTo(d32, hn::LoadU(d8, codes + i)), zero_points), d32, steps);
    const auto y0 = hn::PromoteTo(d, hn::LoadU(half, steps));
    const auto y1 = hn::PromoteTo(d, hn::LoadU(half, steps + lanes));
    const auto e0 = hn::NegMulAdd(y0, scales, x0), e1 = hn::NegMulAdd(y1, scales, x1);
    moments.Add(reference + i, x0, x1);
    squares0 = hn::MulAdd(e0, e0, squares0);
    squares1 = hn::MulAdd(e1, e1, squares1);
    max = hn::Max(max, hn::Max(hn::Abs(e0), hn::Abs(e1)));
  }
#endif
  tensor::BlockErrors errors = TotalErrors(d, moments.Total(), hn::Add(squares0, squares1), max);
  for (; i < count; ++i) {
    const auto x = static_cast<double>(reference[i]);
    AddReference(x, errors.reference);
    AddError(x - static_cast<double>(codes[i] - zero_point) * scale, errors);
  }
  return errors;
}

tensor::BlockErrors Int8Errors(const float* reference, const std::int8_t* codes, std::size_t count,
                               double scale, std::int32_t zero_point) {
  return CodeErrors(reference, codes, count, scale, zero_point);
}

tensor::BlockErrors Uint8Errors(const float* reference, const std::uint8_t* codes,
                                std::size_t count, double scale, std::int32_t zero_point) {
  return CodeErrors(reference, codes, count, scale, zero_point);
}

template <typename Real>
HWY_INLINE tensor::BlockErrors RealErrors(const Real* HWY_RESTRICT reference,
                                          const Real* HWY_RESTRICT compressed, std::size_t count,
                                          tensor::BlockMoments& compressed_moments) {
  using D = hn::ScalableTag<double>;
  const D d;
  Moments<D, Real> x_moments(d, reference[0]), y_moments(d, compressed[0]);
  auto squares0 = hn::Zero(d), squares1 = squares0, max = squares0;
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  for (const std::size_t lanes = hn::Lanes(d); i + 2 * lanes <= count; i += 2 * lanes) {
    tensor::FetchAhead(reference + i);
    tensor::FetchAhead(compressed + i);
    const auto x0 = LoadDoubles(d, reference + i), x1 = LoadDoubles(d, reference + i + lanes);
    const auto y0 = LoadDoubles(d, compressed + i), y1 = LoadDoubles(d, compressed + i + lanes);
    const auto e0 = hn::Sub(x0, y0), e1 = hn::Sub(x1, y1);
    x_moments.Add(reference + i, x0, x1);
    y_moments.Add(compressed + i, y0, y1);
    squares0 = hn::MulAdd(e0, e0, squares0);
    squares1 = hn::MulAdd(e1, e1, squares1);
    max = hn::Max(max, hn::Max(hn::Abs(e0), hn::Abs(e1)));
  }
#endif
  tensor::BlockErrors errors = TotalErrors(d, x_moments.Total(), hn::Add(squares0, squares1), max);
  compressed_moments = y_moments.Total();
  for (; i < count; ++i) {
    const auto x = static_cast<double>(reference[i]), y = static_cast<double>(compressed[i]);
    AddReference(x, errors.reference);
    AddReference(y, compressed_moments);
    AddError(x - y, errors);
  }
  return errors;
}

tensor::BlockErrors FloatErrors(const float* reference, const float* compressed, std::size_t count,
                                tensor::BlockMoments& compressed_moments) {
  return RealErrors(reference, compressed, count, compressed_moments);
}

tensor::BlockErrors DoubleErrors(const double* reference, const double* compressed,
                                 std::size_t count, tensor::BlockMoments& compressed_moments) {
  return RealErrors(reference, compressed, count, compressed_moments);
}

// Each byte is one bit in the set's 32 bytes: its upper five bits select the byte, from two tables
// of 16 bytes, and its lower three bits select the bit.
void InsertBytes(const std::uint8_t* HWY_RESTRICT bytes, std::size_t count, tensor::ByteSet& set) {
  std::size_t i = 0;
#if HWY_TARGET != HWY_SCALAR  // The vectors of the scalar target are too short for a table.
  const hn::ScalableTag<std::uint8_t> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN static constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                       1, 2, 4, 8, 16, 32, 64, 128};
  const auto bit_of = hn::LoadDup128(d, kBits);
  const auto seven = hn::Set(d, std::uint8_t{7}), fifteen = hn::Set(d, std::uint8_t{15});
  const auto upper_half = hn::Set(d, std::uint8_t{128});
  auto low = hn::LoadDup128(d, set.bits.data()), high = hn::LoadDup128(d, set.bits.data() + 16);
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, bytes + i);
    const auto index = hn::And(hn::ShiftRight<3>(v), fifteen);
    const auto present =
        hn::IfThenElse(hn::Eq(hn::And(v, upper_half), upper_half),
                       hn::TableLookupBytes(high, index), hn::TableLookupBytes(low, index));
    const auto bit = hn::TableLookupBytes(bit_of, hn::And(v, seven));
    const auto missing = hn::Ne(hn::And(present, bit), bit);
    if (HWY_LIKELY(hn::AllFalse(d, missing))) continue;
    std::uint8_t mask[hn::MaxLanes(d) / 8 + 8] = {};
    hn::StoreMaskBits(d, missing, mask);
    for (std::size_t j = 0; j < lanes; j += 8) {
      for (unsigned left = mask[j / 8]; left != 0; left &= left - 1) {
        set.Insert(bytes[i + j + static_cast<std::size_t>(std::countr_zero(left))]);
      }
    }
    low = hn::LoadDup128(d, set.bits.data());
    high = hn::LoadDup128(d, set.bits.data() + 16);
  }
#endif
  for (; i < count; ++i) set.Insert(bytes[i]);
}

std::size_t FloatsOutside(const float* HWY_RESTRICT values, std::size_t count, float low,
                          float high) {
  const hn::ScalableTag<float> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto lows = hn::Set(d, low), highs = hn::Set(d, high);
  std::size_t outside = 0, i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, values + i);
    outside += hn::CountTrue(d, hn::Or(hn::Lt(v, lows), hn::Gt(v, highs)));
  }
  for (; i < count; ++i) outside += values[i] < low || values[i] > high ? 1u : 0u;
  return outside;
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {

HWY_EXPORT(Int8Errors);
HWY_EXPORT(Uint8Errors);
HWY_EXPORT(FloatErrors);
HWY_EXPORT(DoubleErrors);
HWY_EXPORT(InsertBytes);
HWY_EXPORT(FloatsOutside);

BlockErrors ErrorsOf(std::span<const float> reference, std::span<const std::int8_t> codes,
                     double scale, std::int32_t zero_point) {
  return HWY_DYNAMIC_DISPATCH(Int8Errors)(reference.data(), codes.data(), codes.size(), scale,
                                          zero_point);
}

BlockErrors ErrorsOf(std::span<const float> reference, std::span<const std::uint8_t> codes,
                     double scale, std::int32_t zero_point) {
  return HWY_DYNAMIC_DISPATCH(Uint8Errors)(reference.data(), codes.data(), codes.size(), scale,
                                           zero_point);
}

BlockErrors ErrorsOf(std::span<const float> reference, std::span<const float> compressed,
                     BlockMoments& compressed_moments) {
  return HWY_DYNAMIC_DISPATCH(FloatErrors)(reference.data(), compressed.data(), reference.size(),
                                           compressed_moments);
}

BlockErrors ErrorsOf(std::span<const double> reference, std::span<const double> compressed,
                     BlockMoments& compressed_moments) {
  return HWY_DYNAMIC_DISPATCH(DoubleErrors)(reference.data(), compressed.data(), reference.size(),
                                            compressed_moments);
}

void ByteSet::Insert(std::span<const std::uint8_t> bytes) {
  HWY_DYNAMIC_DISPATCH(InsertBytes)(bytes.data(), bytes.size(), *this);
}

bool ByteSet::ContainsAll(std::int64_t first, std::int64_t last) const {
  if (first < 0 && last >= 0) return ContainsAll(first, -1) && ContainsAll(0, last);
  const unsigned from = static_cast<std::uint8_t>(first), to = static_cast<std::uint8_t>(last);
  for (unsigned i = from / 8; i <= to / 8; ++i) {
    unsigned wanted = 0xff;
    if (i == from / 8) wanted &= 0xffu << from % 8;
    if (i == to / 8) wanted &= 0xffu >> (7 - to % 8);
    if ((bits[i] & wanted) != wanted) return false;
  }
  return true;
}

int ByteSet::size() const {
  int count = 0;
  for (const std::uint8_t byte : bits) count += std::popcount(byte);
  return count;
}

std::size_t CountOutside(std::span<const float> values, float low, float high) {
  return HWY_DYNAMIC_DISPATCH(FloatsOutside)(values.data(), values.size(), low, high);
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
