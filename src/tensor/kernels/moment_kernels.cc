#include "tensor/kernels/moment_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/moment_kernels.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Adds up the sums of a vectorized loop, and adds the values after the last whole vector.
template <class D, class V, typename Real>
tensor::BlockMoments Finish(D d, V sum, V squares, double min, double max, const Real* tail,
                            std::size_t tail_count) {
  tensor::BlockMoments moments{min, max, hn::GetLane(hn::SumOfLanes(d, sum)),
                               hn::GetLane(hn::SumOfLanes(d, squares))};
  for (std::size_t i = 0; i < tail_count; ++i) {
    const auto value = static_cast<double>(tail[i]);
    moments.min = std::min(moments.min, value);
    moments.max = std::max(moments.max, value);
    moments.sum += value;
    moments.sum_squares += value * value;
  }
  return moments;
}

tensor::BlockMoments FloatMoments(const float* HWY_RESTRICT values, std::size_t count) {
  const hn::ScalableTag<double> d;
  // A vector type with as many floats as a vector has doubles.
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
  auto squares0 = sum0, squares1 = sum0, squares2 = sum0, squares3 = sum0;
  auto min = hn::Set(df, values[0]), max = min;
  std::size_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
    const auto f0 = hn::LoadU(df, values + i), f1 = hn::LoadU(df, values + i + lanes);
    const auto f2 = hn::LoadU(df, values + i + 2 * lanes);
    const auto f3 = hn::LoadU(df, values + i + 3 * lanes);
    const auto v0 = hn::PromoteTo(d, f0), v1 = hn::PromoteTo(d, f1);
    const auto v2 = hn::PromoteTo(d, f2), v3 = hn::PromoteTo(d, f3);
    sum0 = hn::Add(sum0, v0);
    sum1 = hn::Add(sum1, v1);
    sum2 = hn::Add(sum2, v2);
    sum3 = hn::Add(sum3, v3);
    squares0 = hn::MulAdd(v0, v0, squares0);
    squares1 = hn::MulAdd(v1, v1, squares1);
    squares2 = hn::MulAdd(v2, v2, squares2);
    squares3 = hn::MulAdd(v3, v3, squares3);
    min = hn::Min(min, hn::Min(hn::Min(f0, f1), hn::Min(f2, f3)));
    max = hn::Max(max, hn::Max(hn::Max(f0, f1), hn::Max(f2, f3)));
  }
  const auto sum = hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3));
  const auto squares = hn::Add(hn::Add(squares0, squares1), hn::Add(squares2, squares3));
  return Finish(d, sum, squares, static_cast<double>(hn::GetLane(hn::MinOfLanes(df, min))),
                static_cast<double>(hn::GetLane(hn::MaxOfLanes(df, max))), values + i, count - i);
}

tensor::BlockMoments DoubleMoments(const double* HWY_RESTRICT values, std::size_t count) {
  const hn::ScalableTag<double> d;
  const std::size_t lanes = hn::Lanes(d);
  auto sum0 = hn::Zero(d), sum1 = sum0, squares0 = sum0, squares1 = sum0;
  auto min = hn::Set(d, values[0]), max = min;
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    const auto v0 = hn::LoadU(d, values + i), v1 = hn::LoadU(d, values + i + lanes);
    sum0 = hn::Add(sum0, v0);
    sum1 = hn::Add(sum1, v1);
    squares0 = hn::MulAdd(v0, v0, squares0);
    squares1 = hn::MulAdd(v1, v1, squares1);
    min = hn::Min(min, hn::Min(v0, v1));
    max = hn::Max(max, hn::Max(v0, v1));
  }
  return Finish(d, hn::Add(sum0, sum1), hn::Add(squares0, squares1),
                hn::GetLane(hn::MinOfLanes(d, min)), hn::GetLane(hn::MaxOfLanes(d, max)),
                values + i, count - i);
}

// Widens codes to 16 bits. Pairs of products are added in 32-bit lanes, which are emptied before
// they can overflow.
template <typename Code>
tensor::CodeMoments CodeMomentsOf(const Code* HWY_RESTRICT codes, std::size_t count) {
  const hn::ScalableTag<std::int16_t> d16;
  const hn::RepartitionToWide<decltype(d16)> d32;
  const hn::Rebind<Code, decltype(d16)> d8;
  const std::size_t lanes = hn::Lanes(d16);
  // Maximum number of steps before the 32-bit lanes are emptied. Each step adds at most 4 * 255^2
  // to a lane.
  constexpr std::size_t kMaxSteps = 8000;

  const auto ones = hn::Set(d16, std::int16_t{1});
  auto min = hn::Set(d16, static_cast<std::int16_t>(codes[0])), max = min;
  tensor::CodeMoments moments;
  moments.count = static_cast<std::int64_t>(count);
  std::size_t i = 0;
  while (i + lanes <= count) {
    const std::size_t steps = std::min((count - i) / lanes, kMaxSteps);
    auto sum0 = hn::Zero(d32), sum1 = sum0, squares0 = sum0, squares1 = sum0;
    for (const std::size_t end = i + steps * lanes; i < end; i += lanes) {
      const auto v = hn::PromoteTo(d16, hn::LoadU(d8, codes + i));
      min = hn::Min(min, v);
      max = hn::Max(max, v);
      sum0 = hn::ReorderWidenMulAccumulate(d32, v, ones, sum0, sum1);
      squares0 = hn::ReorderWidenMulAccumulate(d32, v, v, squares0, squares1);
    }
    // The sum in each lane fits into 32 bits, but the total of all lanes may not.
    HWY_ALIGN std::int32_t lane_sums[hn::MaxLanes(d32)];
    const auto total = [&](auto vector) {
      hn::Store(vector, d32, lane_sums);
      std::int64_t sum = 0;
      for (std::size_t lane = 0; lane < hn::Lanes(d32); ++lane) sum += lane_sums[lane];
      return sum;
    };
    moments.sum += total(sum0) + total(sum1);
    moments.sum_squares += total(squares0) + total(squares1);
  }
  moments.min = hn::GetLane(hn::MinOfLanes(d16, min));
  moments.max = hn::GetLane(hn::MaxOfLanes(d16, max));
  for (; i < count; ++i) {
    const std::int64_t code = codes[i];
    moments.min = std::min(moments.min, code);
    moments.max = std::max(moments.max, code);
    moments.sum += code;
    moments.sum_squares += code * code;
  }
  return moments;
}

tensor::CodeMoments Int8Moments(const std::int8_t* codes, std::size_t count) {
  return CodeMomentsOf(codes, count);
}

tensor::CodeMoments Uint8Moments(const std::uint8_t* codes, std::size_t count) {
  return CodeMomentsOf(codes, count);
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {

HWY_EXPORT(FloatMoments);
HWY_EXPORT(DoubleMoments);
HWY_EXPORT(Int8Moments);
HWY_EXPORT(Uint8Moments);

BlockMoments MomentsOf(std::span<const float> block) {
  return HWY_DYNAMIC_DISPATCH(FloatMoments)(block.data(), block.size());
}

BlockMoments MomentsOf(std::span<const double> block) {
  return HWY_DYNAMIC_DISPATCH(DoubleMoments)(block.data(), block.size());
}

CodeMoments MomentsOf(std::span<const std::int8_t> codes) {
  return HWY_DYNAMIC_DISPATCH(Int8Moments)(codes.data(), codes.size());
}

CodeMoments MomentsOf(std::span<const std::uint8_t> codes) {
  return HWY_DYNAMIC_DISPATCH(Uint8Moments)(codes.data(), codes.size());
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
