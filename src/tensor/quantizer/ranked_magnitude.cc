#include "cboard/tensor/ranked_magnitude.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cboard/base/check.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/quantizer/ranked_magnitude.cc"
#include <hwy/foreach_target.h>
// Highway requires that foreach_target is included first.
#include <hwy/highway.h>

#ifndef CBOARD_TENSOR_RANKED_MAGNITUDE_
#define CBOARD_TENSOR_RANKED_MAGNITUDE_
namespace cboard::tensor {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

// NaN becomes infinity, because NaN has no order.
inline float MagnitudeOf(float value) { return value == value ? std::abs(value) : kInfinity; }

struct Bracketed {
  std::size_t below = 0;   // Number of magnitudes below the bracket.
  std::size_t inside = 0;  // Number of magnitudes inside the bracket, which were written.
};

// Extra space at the end of a buffer. It is needed because whole vectors are written.
inline constexpr std::size_t kSlack = 64;

}  // namespace cboard::tensor
#endif

HWY_BEFORE_NAMESPACE();
namespace cboard::tensor {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Writes the magnitudes between `low` and `high` to `out`, in their original order.
Bracketed GatherFloats(const float* HWY_RESTRICT values, std::size_t count, float low, float high,
                       float* HWY_RESTRICT out) {
  const hn::CappedTag<float, kSlack> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto lows = hn::Set(d, low), highs = hn::Set(d, high), infinity = hn::Set(d, kInfinity);
  Bracketed found;
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto v = hn::LoadU(d, values + i);
    const auto magnitude = hn::IfThenElse(hn::Eq(v, v), hn::Abs(v), infinity);
    found.below += hn::CountTrue(d, hn::Lt(magnitude, lows));
    const auto is_inside = hn::And(hn::Ge(magnitude, lows), hn::Le(magnitude, highs));
    if (hn::AllFalse(d, is_inside)) continue;
    found.inside += hn::CompressStore(magnitude, is_inside, d, out + found.inside);
  }
  for (; i < count; ++i) {
    const float magnitude = MagnitudeOf(values[i]);
    found.below += magnitude < low ? 1u : 0u;
    if (magnitude >= low && magnitude <= high) out[found.inside++] = magnitude;
  }
  return found;
}

}  // namespace HWY_NAMESPACE
}  // namespace cboard::tensor
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cboard::tensor {

HWY_EXPORT(GatherFloats);

namespace {

// Maximum number of values that are sorted directly.
constexpr std::size_t kMaxValuesToSort = 256;

struct Bracket {
  float low = 0;
  float high = kInfinity;
};

// Returns a bracket of magnitudes that probably contains the magnitude at `rank`. The bracket is
// estimated from a sample, with a margin of two standard deviations. The sample has one value from
// a random place of each section of `values`, so that a periodic pattern in the values has no
// effect.
Bracket BracketOf(std::span<const float> values, std::size_t rank) {
  const std::size_t size = std::clamp<std::size_t>(values.size() / 32, 96, 1024);
  const std::size_t stretch = values.size() / size;
  std::vector<float> sample(size);
  std::uint32_t random = 12345;
  for (std::size_t i = 0; i < size; ++i) {
    random = random * 1664525u + 1013904223u;
    // Takes the value at a random position in the section. The multiplication replaces a division.
    sample[i] = MagnitudeOf(values[i * stretch + (std::uint64_t{random} * stretch >> 32)]);
  }
  const auto count = static_cast<double>(size);
  const double share = static_cast<double>(rank) / static_cast<double>(values.size());
  const double room = 2 * std::sqrt(count * share * (1 - share)) + 1;
  const double first = std::floor(count * share - room), last = std::ceil(count * share + room);
  Bracket bracket;
  auto begin = sample.begin();
  if (first >= 0) {
    begin += static_cast<std::ptrdiff_t>(first);
    std::nth_element(sample.begin(), begin, sample.end());
    bracket.low = *begin;
  }
  if (last < count) {
    const auto end = sample.begin() + static_cast<std::ptrdiff_t>(last);
    std::nth_element(begin, end, sample.end());
    bracket.high = *end;
  }
  return bracket;
}

// Collects the magnitudes inside the bracket. Works block by block, because the number of these
// magnitudes is not known in advance.
Bracketed Gather(std::span<const float> values, Bracket bracket, std::vector<float>& out) {
  constexpr std::size_t kBlock = 4096;
  Bracketed all;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const auto block = values.subspan(first, std::min(kBlock, values.size() - first));
    const std::size_t needed = all.inside + block.size() + kSlack;
    if (out.size() < needed) out.resize(std::max(needed, out.size() * 3 / 2));
    const Bracketed found = HWY_DYNAMIC_DISPATCH(GatherFloats)(
        block.data(), block.size(), bracket.low, bracket.high, out.data() + all.inside);
    all.below += found.below;
    all.inside += found.inside;
  }
  return all;
}

}  // namespace

float RankedMagnitude(std::span<const float> values, std::size_t rank) {
  CBOARD_CHECK(rank < values.size());
  std::vector<float> kept, next;
  while (values.size() > kMaxValuesToSort) {
    const Bracket bracket = BracketOf(values, rank);
    Bracketed found = Gather(values, bracket, next);
    if (rank < found.below) {  // The bracket was too high: its lower side was wrong.
      found = Gather(values, {0, std::nextafter(bracket.low, 0.0f)}, next);
      // The magnitude is above the bracket, so the values above it are searched.
    } else if (rank -= found.below; rank >= found.inside) {
      rank -= found.inside;
      found = Gather(values, {std::nextafter(bracket.high, kInfinity), kInfinity}, next);
    } else if (bracket.low == bracket.high) {
      return bracket.low;
    }
    if (found.inside == values.size()) break;  // Stops, because too many values are equal.
    std::swap(kept, next);
    values = std::span<const float>(kept).first(found.inside);
  }
  next.resize(values.size());
  std::ranges::transform(values, next.begin(), MagnitudeOf);
  const auto at = next.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(next.begin(), at, next.end());
  return *at;
}

}  // namespace cboard::tensor
#endif  // HWY_ONCE
