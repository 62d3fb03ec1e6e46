#include "tensor/kernels/lane_kernels.h"

#include <cmath>
#include <limits>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/lane_kernels.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

#include "tensor/kernels/load_doubles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using LaneTag = hn::CappedTag<double, tensor::kLaneGroup>;

template <typename Real>
HWY_INLINE hn::Vec<LaneTag> LoadCompressed(LaneTag d, const Real* values, hn::Vec<LaneTag>) {
  return LoadDoubles(d, values);
}

template <typename Code>
HWY_INLINE hn::Vec<LaneTag> LoadCodes(LaneTag d, const Code* codes, hn::Vec<LaneTag> zero_points) {
  const hn::Rebind<std::int32_t, LaneTag> d32;
  const hn::Rebind<Code, LaneTag> d8;
  return hn::Sub(hn::PromoteTo(d, hn::PromoteTo(d32, hn::LoadU(d8, codes))), zero_points);
}
HWY_INLINE hn::Vec<LaneTag> LoadCompressed(LaneTag d, const std::int8_t* codes,
                                           hn::Vec<LaneTag> zero_points) {
  return LoadCodes(d, codes, zero_points);
}
HWY_INLINE hn::Vec<LaneTag> LoadCompressed(LaneTag d, const std::uint8_t* codes,
                                           hn::Vec<LaneTag> zero_points) {
  return LoadCodes(d, codes, zero_points);
}

template <typename X, typename Y>
HWY_INLINE tensor::LaneErrors Errors(const X* HWY_RESTRICT reference,
                                     const Y* HWY_RESTRICT compressed, std::size_t stride,
                                     std::size_t rows, const tensor::LaneSteps& steps) {
  tensor::LaneErrors out;
  const LaneTag d;
  const auto zero = hn::Zero(d), one = hn::Set(d, 1.0);
  for (std::size_t first = 0; first < tensor::kLaneGroup; first += hn::Lanes(d)) {
    const auto scale = hn::LoadU(d, steps.scale.data() + first);
    const auto zero_point = hn::LoadU(d, steps.zero_point.data() + first);
    const auto low = hn::LoadU(d, steps.low.data() + first);
    const auto high = hn::LoadU(d, steps.high.data() + first);
    auto x_min = LoadDoubles(d, reference + first), x_max = x_min;
    auto y_min = LoadCompressed(d, compressed + first, zero_point), y_max = y_min;
    auto x_sum = zero, x_squares = zero, y_sum = zero, y_squares = zero;
    auto error_squares = zero, error_max = zero, clipped = zero;
    for (std::size_t row = 0; row < rows; ++row) {
      const auto x = LoadDoubles(d, reference + row * stride + first);
      const auto y = LoadCompressed(d, compressed + row * stride + first, zero_point);
      // The error of a code is x - y * scale; the error of a real value is the difference x - y.
      const auto error = std::is_integral_v<Y> ? hn::NegMulAdd(y, scale, x) : hn::Sub(x, y);
      x_min = hn::Min(x_min, x);
      x_max = hn::Max(x_max, x);
      x_sum = hn::Add(x_sum, x);
      x_squares = hn::MulAdd(x, x, x_squares);
      y_min = hn::Min(y_min, y);
      y_max = hn::Max(y_max, y);
      y_sum = hn::Add(y_sum, y);
      y_squares = hn::MulAdd(y, y, y_squares);
      error_squares = hn::MulAdd(error, error, error_squares);
      error_max = hn::Max(error_max, hn::Abs(error));
      clipped = hn::Add(clipped, hn::IfThenElseZero(hn::Or(hn::Lt(x, low), hn::Gt(x, high)), one));
    }
    hn::StoreU(x_min, d, out.min.data() + first);
    hn::StoreU(x_max, d, out.max.data() + first);
    hn::StoreU(x_sum, d, out.sum.data() + first);
    hn::StoreU(x_squares, d, out.sum_squares.data() + first);
    hn::StoreU(y_min, d, out.compressed_min.data() + first);
    hn::StoreU(y_max, d, out.compressed_max.data() + first);
    hn::StoreU(y_sum, d, out.compressed_sum.data() + first);
    hn::StoreU(y_squares, d, out.compressed_sum_squares.data() + first);
    hn::StoreU(error_squares, d, out.error_squares.data() + first);
    hn::StoreU(error_max, d, out.error_max.data() + first);
    hn::StoreU(clipped, d, out.clipped.data() + first);
  }
  return out;
}

tensor::LaneErrors Int8LaneErrors(const float* x, const std::int8_t* y, std::size_t stride,
                                  std::size_t rows, const tensor::LaneSteps& steps) {
  return Errors(x, y, stride, rows, steps);
}

tensor::LaneErrors Uint8LaneErrors(const float* x, const std::uint8_t* y, std::size_t stride,
                                   std::size_t rows, const tensor::LaneSteps& steps) {
  return Errors(x, y, stride, rows, steps);
}

tensor::LaneErrors FloatLaneErrors(const float* x, const float* y, std::size_t stride,
                                   std::size_t rows, const tensor::LaneSteps& steps) {
  return Errors(x, y, stride, rows, steps);
}

tensor::LaneErrors DoubleLaneErrors(const double* x, const double* y, std::size_t stride,
                                    std::size_t rows, const tensor::LaneSteps& steps) {
  return Errors(x, y, stride, rows, steps);
}

template <typename Real>
HWY_INLINE void Codes(const Real* HWY_RESTRICT values, std::size_t stride, std::size_t rows,
                      const tensor::LaneSteps& steps, std::int32_t code_min, std::int32_t code_max,
                      std::int32_t* HWY_RESTRICT codes) {
  const LaneTag d;
  const hn::Rebind<std::int32_t, LaneTag> d32;
  const auto largest = hn::Set(d, std::numeric_limits<double>::max());
  // Multiplies by the inverse scale instead of dividing. The product has an error below 1e-5, even
  // for the last code of 32 bits. Only values that are very close to the middle between two codes
  // need a division.
  const auto sure = hn::Set(d, 0.5 - 1e-5);
  for (std::size_t lane = 0; lane < tensor::kLaneGroup; lane += hn::Lanes(d)) {
    const auto scale = hn::LoadU(d, steps.scale.data() + lane);
    const auto zero_point = hn::LoadU(d, steps.zero_point.data() + lane);
    const auto first = hn::Sub(hn::Set(d, static_cast<double>(code_min)), zero_point);
    const auto last = hn::Sub(hn::Set(d, static_cast<double>(code_max)), zero_point);
    const auto inverse = hn::Div(hn::Set(d, 1.0), scale);
    const auto smallest = hn::Set(d, std::numeric_limits<double>::min());
    const bool has_inverse = hn::AllTrue(
        d, hn::And(hn::Le(hn::Abs(inverse), largest), hn::Ge(hn::Abs(inverse), smallest)));
    // hn::Min and hn::Max are not used, because their result for NaN depends on the processor.
    const auto saturate = [&](auto step) HWY_ATTR {
      step = hn::IfThenElse(hn::Lt(step, last), step, last);
      return hn::IfThenElse(hn::Gt(step, first), step, first);
    };
    for (std::size_t row = 0; row < rows; ++row) {
      const auto value = LoadDoubles(d, values + row * stride + lane);
      auto step = saturate(hn::Mul(value, inverse));
      auto code = hn::Round(step);
      if (HWY_UNLIKELY(!has_inverse ||
                       !hn::AllTrue(d, hn::Lt(hn::Abs(hn::Sub(step, code)), sure)))) {
        code = hn::Round(saturate(hn::Div(value, scale)));
      }
      const auto bin =
          hn::IfThenElse(hn::Le(hn::Abs(value), largest), hn::Sub(code, first), hn::Set(d, -1.0));
      hn::StoreU(hn::DemoteTo(d32, bin), d32, codes + row * tensor::kLaneGroup + lane);
    }
  }
}

void CodesOfFloats(const float* values, std::size_t stride, std::size_t rows,
                   const tensor::LaneSteps& steps, std::int32_t code_min, std::int32_t code_max,
                   std::int32_t* codes) {
  Codes(values, stride, rows, steps, code_min, code_max, codes);
}

void CodesOfDoubles(const double* values, std::size_t stride, std::size_t rows,
                    const tensor::LaneSteps& steps, std::int32_t code_min, std::int32_t code_max,
                    std::int32_t* codes) {
  Codes(values, stride, rows, steps, code_min, code_max, codes);
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {

HWY_EXPORT(Int8LaneErrors);
HWY_EXPORT(Uint8LaneErrors);
HWY_EXPORT(FloatLaneErrors);
HWY_EXPORT(DoubleLaneErrors);
HWY_EXPORT(CodesOfFloats);
HWY_EXPORT(CodesOfDoubles);

LaneSteps::LaneSteps() {
  scale.fill(1);
  zero_point.fill(0);
  low.fill(-std::numeric_limits<double>::infinity());
  high.fill(std::numeric_limits<double>::infinity());
}

LaneErrors ErrorsOfLanes(const float* reference, const std::int8_t* codes, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps) {
  return HWY_DYNAMIC_DISPATCH(Int8LaneErrors)(reference, codes, stride, rows, steps);
}

LaneErrors ErrorsOfLanes(const float* reference, const std::uint8_t* codes, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps) {
  return HWY_DYNAMIC_DISPATCH(Uint8LaneErrors)(reference, codes, stride, rows, steps);
}

LaneErrors ErrorsOfLanes(const float* reference, const float* compressed, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps) {
  return HWY_DYNAMIC_DISPATCH(FloatLaneErrors)(reference, compressed, stride, rows, steps);
}

LaneErrors ErrorsOfLanes(const double* reference, const double* compressed, std::size_t stride,
                         std::size_t rows, const LaneSteps& steps) {
  return HWY_DYNAMIC_DISPATCH(DoubleLaneErrors)(reference, compressed, stride, rows, steps);
}

void CodesOfLanes(const float* values, std::size_t stride, std::size_t rows, const LaneSteps& steps,
                  std::int32_t code_min, std::int32_t code_max, std::int32_t* codes) {
  HWY_DYNAMIC_DISPATCH(CodesOfFloats)(values, stride, rows, steps, code_min, code_max, codes);
}

void CodesOfLanes(const double* values, std::size_t stride, std::size_t rows,
                  const LaneSteps& steps, std::int32_t code_min, std::int32_t code_max,
                  std::int32_t* codes) {
  HWY_DYNAMIC_DISPATCH(CodesOfDoubles)(values, stride, rows, steps, code_min, code_max, codes);
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
