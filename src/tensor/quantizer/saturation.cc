#include "cboard/tensor/saturation.h"

#include <algorithm>
#include <string>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/quantizer/saturation.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Counts saturated pairs. The even and the odd elements of both rows are in separate arrays of
// `count` elements. A product of two 8-bit numbers fits into 16 bits. The sum of two products fits
// if addition with and without saturation gives the same result.
std::size_t SaturatedPairs(const std::int16_t* HWY_RESTRICT even_activations,
                           const std::int16_t* HWY_RESTRICT odd_activations,
                           const std::int16_t* HWY_RESTRICT even_weights,
                           const std::int16_t* HWY_RESTRICT odd_weights, std::size_t count) {
  const hn::ScalableTag<std::int16_t> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t saturated = 0, i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto even = hn::Mul(hn::LoadU(d, even_activations + i), hn::LoadU(d, even_weights + i));
    const auto odd = hn::Mul(hn::LoadU(d, odd_activations + i), hn::LoadU(d, odd_weights + i));
    saturated += hn::CountTrue(d, hn::Ne(hn::SaturatedAdd(even, odd), hn::Add(even, odd)));
  }
  for (; i < count; ++i) {
    const int sum = even_activations[i] * even_weights[i] + odd_activations[i] * odd_weights[i];
    saturated += sum > 32767 || sum < -32768 ? 1u : 0u;
  }
  return saturated;
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {
namespace {

HWY_EXPORT(SaturatedPairs);

// Rows of a matrix. Their even and odd elements are in separate arrays and widened to 16 bits. If
// the depth is odd, a zero is added.
struct SplitRows {
  std::vector<std::int16_t> even, odd;
  std::size_t pairs_per_row;

  template <typename Element>
  SplitRows(std::span<const Element> elements, std::size_t depth) : pairs_per_row((depth + 1) / 2) {
    const std::size_t rows = elements.size() / depth;
    even.resize(rows * pairs_per_row);
    odd.resize(rows * pairs_per_row);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto from = elements.subspan(row * depth, depth);
      for (std::size_t i = 0; i < depth; ++i) {
        ((i & 1) == 0 ? even : odd)[row * pairs_per_row + i / 2] = from[i];
      }
    }
  }
};

// True if the product of activations up to `largest` with any pair of these weights can overflow.
bool CanSaturate(std::span<const std::int16_t> even, std::span<const std::int16_t> odd,
                 int largest) {
  for (std::size_t i = 0; i < even.size(); ++i) {
    const int up = std::max<int>(even[i], 0) + std::max<int>(odd[i], 0);
    const int down = std::min<int>(even[i], 0) + std::min<int>(odd[i], 0);
    if (up * largest > 32767 || down * largest < -32768) return true;
  }
  return false;
}

}  // namespace

Result<SaturationCount> CountSaturation(std::span<const std::uint8_t> activations,
                                        std::span<const std::int8_t> weights, std::size_t depth) {
  if (depth == 0 || activations.size() % depth != 0 || weights.size() % depth != 0) {
    return Fail(ErrorCode::kInvalidArgument,
                std::to_string(activations.size()) + " activations and " +
                    std::to_string(weights.size()) +
                    " weights cannot be divided into rows of length " + std::to_string(depth));
  }
  const std::size_t rows = activations.size() / depth, channels = weights.size() / depth;
  SaturationCount count;
  count.products = std::uint64_t{rows} * channels;
  count.pairs = count.products * ((depth + 1) / 2);
  if (count.products == 0) return count;

  const int largest = *std::ranges::max_element(activations);
  const SplitRows x(activations, depth), w(weights, depth);
  const std::size_t pairs = x.pairs_per_row;
  const auto saturated_pairs = HWY_DYNAMIC_DISPATCH(SaturatedPairs);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const std::span even = std::span(w.even).subspan(channel * pairs, pairs);
    const std::span odd = std::span(w.odd).subspan(channel * pairs, pairs);
    if (!CanSaturate(even, odd, largest)) continue;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t saturated = saturated_pairs(
          x.even.data() + row * pairs, x.odd.data() + row * pairs, even.data(), odd.data(), pairs);
      count.saturated += saturated;
      count.affected += saturated > 0 ? 1u : 0u;
    }
  }
  return count;
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
