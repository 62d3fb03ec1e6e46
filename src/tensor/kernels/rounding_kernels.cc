#include "tensor/kernels/rounding_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <type_traits>

// Enables the instruction for the dot product of bytes with 32-bit sums. Highway 1.0 checks whether
// the processor has it, but then compiles for another extension with the same name. The code below
// corrects this if the compiler allows it.
#if defined(__GNUC__) && !defined(__clang__)
#define HWY_WANT_AVX3_DL
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/rounding_kernels.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

#include "tensor/kernels/fetch_ahead.h"

#ifndef CBOARD_TENSOR_ROUNDING_SUMS_
#define CBOARD_TENSOR_ROUNDING_SUMS_
namespace cboard::tensor {

// The sums of a block of codes and of their errors. A step is a code minus its zero point.
struct RoundingSums {
  double min = 0, max = 0;  // Min and max of the baseline values.
  double errors = 0, squared_errors = 0, errors_by_steps = 0, max_error = 0;
  CodeMoments codes;
};

}  // namespace cboard::tensor
#endif

HWY_BEFORE_NAMESPACE();
#if HWY_TARGET == HWY_AVX3_DL
HWY_PUSH_ATTRIBUTES("avx512vnni")
#endif
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR || !HWY_NATIVE_FMA
// Fallback for processors without fused multiply-subtract. There, the product is rounded before the
// subtraction, so the errors are inexact. The fallback always reports that the errors are too
// large. The scalar target uses it too, because its vectors of one float have no halves.

template <typename Code>
RoundingSums SumsOf(const float*, const Code*, float, float) {
  RoundingSums sums;
  sums.squared_errors = NAN;
  return sums;
}

#else

// Number of float vectors that hold the values of one vector of codes.
constexpr std::size_t kFloatVectors = sizeof(float);

// Number of products (error times step) that a lane adds up in float32. The sum is then added in
// float64.
constexpr std::size_t kRun = 16;

// A float64 sum of vectors of float32 values. Both halves of a vector are widened and added
// separately.
template <class D>
class WideSum {
 public:
  HWY_INLINE explicit WideSum(D d) : low_(hn::Zero(d)), high_(low_) {}

  template <class V>
  HWY_INLINE void Add(V floats) {
    const D d;
    const hn::Rebind<float, D> half;
    low_ = hn::Add(low_, hn::PromoteTo(d, hn::LowerHalf(half, floats)));
    high_ = hn::Add(high_, hn::PromoteTo(d, hn::UpperHalf(half, floats)));
  }

  HWY_INLINE double Total() const { return hn::GetLane(hn::SumOfLanes(D(), hn::Add(low_, high_))); }

 private:
  hn::Vec<D> low_, high_;
};

// Sums of errors and of squared errors. Each error is widened to float64 first.
template <class D>
class ErrorSums {
 public:
  HWY_INLINE explicit ErrorSums(D d)
      : sum0_(hn::Zero(d)), sum1_(sum0_), squares0_(sum0_), squares1_(sum0_) {}

  // Adds an aligned vector of floats. The vector is read from memory, because from memory its
  // halves can be widened without a shuffle.
  HWY_INLINE void Add(const float* HWY_RESTRICT errors) {
    const D d;
    const hn::Rebind<float, D> half;
    const auto e0 = hn::PromoteTo(d, hn::Load(half, errors));
    const auto e1 = hn::PromoteTo(d, hn::Load(half, errors + hn::Lanes(d)));
    sum0_ = hn::Add(sum0_, e0);
    sum1_ = hn::Add(sum1_, e1);
    squares0_ = hn::MulAdd(e0, e0, squares0_);
    squares1_ = hn::MulAdd(e1, e1, squares1_);
  }

  HWY_INLINE double Sum() const { return hn::GetLane(hn::SumOfLanes(D(), hn::Add(sum0_, sum1_))); }
  HWY_INLINE double SumSquares() const {
    return hn::GetLane(hn::SumOfLanes(D(), hn::Add(squares0_, squares1_)));
  }

 private:
  hn::Vec<D> sum0_, sum1_, squares0_, squares1_;
};

// Returns the maximum of `largest`, which is a magnitude, and the magnitude of `v`.
template <class V>
HWY_INLINE V LargerMagnitude(V largest, V v) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  // The instruction replaces two others. Its last argument selects the larger magnitude and clears
  // the sign.
  return V{_mm512_range_ps(largest.raw, v.raw, 0b1011)};
#else
  return hn::Max(largest, hn::Abs(v));
#endif
}

// Sums of a block's codes: integers that fit into 32 bits.
template <typename Code>
class CodeSums {
  using Codes = hn::ScalableTag<Code>;
  using Sums = hn::ScalableTag<std::int32_t>;

 public:
  HWY_INLINE explicit CodeSums(const Code* codes)
      : min_(hn::LoadU(d8_, codes)),
        max_(min_),
        sum_(hn::Zero(d32_)),
        more_of_sum_(sum_),
        products_(sum_),
        more_of_products_(sum_) {}

  // Adds a vector of codes to the sums.
  HWY_INLINE void Add(const Code* codes) {
    const auto v = hn::LoadU(d8_, codes);
    min_ = hn::Min(min_, v);
    max_ = hn::Max(max_, v);
#if HWY_TARGET == HWY_AVX3_DL
    // The instruction multiplies an unsigned byte by a signed byte, so one operand is shifted by
    // 128.
    const auto ones = hn::Set(d8_, Code{1}), moved = hn::Xor(v, hn::Set(d8_, Code(0x80)));
    if constexpr (std::is_signed_v<Code>) {
      sum_.raw = _mm512_dpbusd_epi32(sum_.raw, ones.raw, v.raw);
      products_.raw = _mm512_dpbusd_epi32(products_.raw, moved.raw, v.raw);
    } else {
      sum_.raw = _mm512_dpbusd_epi32(sum_.raw, v.raw, ones.raw);
      products_.raw = _mm512_dpbusd_epi32(products_.raw, v.raw, moved.raw);
    }
#else
    const hn::Rebind<Code, decltype(d16_)> half;
    const auto low = hn::PromoteTo(d16_, hn::LoadU(half, codes));
    const auto high = hn::PromoteTo(d16_, hn::LoadU(half, codes + hn::Lanes(half)));
    const auto ones = hn::Set(d16_, std::int16_t{1});
    sum_ = hn::ReorderWidenMulAccumulate(d32_, hn::Add(low, high), ones, sum_, more_of_sum_);
    products_ = hn::ReorderWidenMulAccumulate(d32_, low, low, products_, more_of_products_);
    products_ = hn::ReorderWidenMulAccumulate(d32_, high, high, products_, more_of_products_);
#endif
  }

  HWY_INLINE tensor::CodeMoments Moments() const {
    tensor::CodeMoments moments;
    moments.count = static_cast<std::int64_t>(tensor::kPairBlock);
    const hn::Half<decltype(d8_)> half;
    const auto wide = [&](auto v) HWY_ATTR { return hn::PromoteTo(d16_, v); };
    moments.min = hn::GetLane(hn::MinOfLanes(
        d16_, hn::Min(wide(hn::LowerHalf(half, min_)), wide(hn::UpperHalf(half, min_)))));
    moments.max = hn::GetLane(hn::MaxOfLanes(
        d16_, hn::Max(wide(hn::LowerHalf(half, max_)), wide(hn::UpperHalf(half, max_)))));
    moments.sum = hn::GetLane(hn::SumOfLanes(d32_, hn::Add(sum_, more_of_sum_)));
    moments.sum_squares = hn::GetLane(hn::SumOfLanes(d32_, hn::Add(products_, more_of_products_)));
#if HWY_TARGET == HWY_AVX3_DL
    moments.sum_squares -= (std::is_signed_v<Code> ? 128 : -128) * moments.sum;
#endif
    return moments;
  }

 private:
  static constexpr Codes d8_{};
  static constexpr hn::ScalableTag<std::int16_t> d16_{};
  static constexpr Sums d32_{};
  hn::Vec<Codes> min_, max_;
  // Vectors of sums. Some targets use the second vector for the sums of other lanes; it is added at
  // the end.
  hn::Vec<Sums> sum_, more_of_sum_, products_, more_of_products_;
};

template <bool kHasZeroPoint, typename Code>
HWY_INLINE RoundingSums SumsOf(const float* HWY_RESTRICT reference, const Code* HWY_RESTRICT codes,
                               float scale, float zero_point) {
  const hn::ScalableTag<float> d;
  const hn::ScalableTag<double> wide;
  const hn::ScalableTag<std::int32_t> d32;
  const hn::Rebind<Code, decltype(d32)> d8;
  const std::size_t lanes = hn::Lanes(d);
  const auto scales = hn::Set(d, scale), zero_points = hn::Set(d, zero_point);
  auto min = hn::Set(d, reference[0]), max = min, max_error = hn::Zero(d);
  ErrorSums errors(wide);
  WideSum errors_by_steps(wide);
  CodeSums code_sums(codes);
  HWY_ALIGN float stored[hn::MaxLanes(d)];
  for (std::size_t i = 0; i < tensor::kPairBlock;) {
    auto run_by_steps = hn::Zero(d);
    for (const std::size_t end = i + kRun * lanes; i < end;) {
      tensor::FetchAhead(codes + i);
      code_sums.Add(codes + i);
      for (std::size_t part = 0; part < kFloatVectors; ++part, i += lanes) {
        tensor::FetchAhead(reference + i);
        const auto x = hn::LoadU(d, reference + i);
        const auto code = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, codes + i)));
        const auto steps = kHasZeroPoint ? hn::Sub(code, zero_points) : code;
        const auto error = hn::NegMulAdd(steps, scales, x);
        min = hn::Min(min, x);
        max = hn::Max(max, x);
        max_error = LargerMagnitude(max_error, error);
        hn::Store(error, d, stored);
        errors.Add(stored);
        run_by_steps = hn::MulAdd(error, steps, run_by_steps);
      }
    }
    errors_by_steps.Add(run_by_steps);
  }
  RoundingSums sums;
  sums.min = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, min)));
  sums.max = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max)));
  sums.errors = errors.Sum();
  sums.squared_errors = errors.SumSquares();
  sums.errors_by_steps = errors_by_steps.Total();
  sums.max_error = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, max_error)));
  sums.codes = code_sums.Moments();
  return sums;
}

// Computes the sums. A zero point of 0 has its own code without a subtraction, because most weights
// have this zero point.
template <typename Code>
RoundingSums SumsOf(const float* reference, const Code* codes, float scale, float zero_point) {
  return zero_point == 0 ? SumsOf<false>(reference, codes, scale, zero_point)
                         : SumsOf<true>(reference, codes, scale, zero_point);
}

#endif

RoundingSums Int8Rounding(const float* reference, const std::int8_t* codes, float scale,
                          float zero_point) {
  return SumsOf(reference, codes, scale, zero_point);
}

RoundingSums Uint8Rounding(const float* reference, const std::uint8_t* codes, float scale,
                           float zero_point) {
  return SumsOf(reference, codes, scale, zero_point);
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
#if HWY_TARGET == HWY_AVX3_DL
HWY_POP_ATTRIBUTES
#endif
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {
namespace {

HWY_EXPORT(Int8Rounding);
HWY_EXPORT(Uint8Rounding);

// True if float32 has its full precision for errors in units of this scale and for their squares.
bool IsFollowed(double scale, std::int32_t zero_point) {
  const double magnitude = std::abs(scale);
  return magnitude >= 0x1p-30 && magnitude <= 0x1p30 && std::abs(zero_point) <= 255 &&
         static_cast<double>(static_cast<float>(scale)) == scale;
}

RoundedBlock BlockOf(const RoundingSums& sums, double scale, std::int32_t zero_point) {
  const auto zero = static_cast<double>(zero_point);
  const auto count = static_cast<double>(sums.codes.count);
  const auto code_sum = static_cast<double>(sums.codes.sum);
  const double steps = code_sum - count * zero;
  const double squared_steps =
      static_cast<double>(sums.codes.sum_squares) - 2 * zero * code_sum + count * zero * zero;
  const double signal = squared_steps * scale * scale;
  RoundedBlock block;
  // If an error is not finite, the sum of squares is not finite either, and the comparison is
  // false.
  block.is_close = sums.squared_errors <= kRoundingNoise * signal;
  block.codes = sums.codes;
  block.errors.reference = {sums.min, sums.max, steps * scale + sums.errors,
                            signal + 2 * scale * sums.errors_by_steps + sums.squared_errors};
  block.errors.sum_squares = sums.squared_errors;
  block.errors.max = sums.max_error;
  return block;
}

}  // namespace

RoundedBlock RoundingOf(std::span<const float, kPairBlock> reference,
                        std::span<const std::int8_t, kPairBlock> codes, double scale,
                        std::int32_t zero_point) {
  if (!IsFollowed(scale, zero_point)) return {};
  return BlockOf(
      HWY_DYNAMIC_DISPATCH(Int8Rounding)(reference.data(), codes.data(), static_cast<float>(scale),
                                         static_cast<float>(zero_point)),
      scale, zero_point);
}

RoundedBlock RoundingOf(std::span<const float, kPairBlock> reference,
                        std::span<const std::uint8_t, kPairBlock> codes, double scale,
                        std::int32_t zero_point) {
  if (!IsFollowed(scale, zero_point)) return {};
  return BlockOf(
      HWY_DYNAMIC_DISPATCH(Uint8Rounding)(reference.data(), codes.data(), static_cast<float>(scale),
                                          static_cast<float>(zero_point)),
      scale, zero_point);
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
