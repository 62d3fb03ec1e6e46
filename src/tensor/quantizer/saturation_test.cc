#include "cboard/tensor/saturation.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#if defined(__SSSE3__) || defined(__x86_64__)
#include <immintrin.h>
#endif

#include "testing/matchers.h"

namespace cboard::tensor {
namespace {

using testing::FailsSaying;

SaturationCount CountOf(const std::vector<std::uint8_t>& activations,
                        const std::vector<std::int8_t>& weights, std::size_t depth) {
  const auto count = CountSaturation(activations, weights, depth);
  EXPECT_TRUE(count.has_value());
  return count.value_or(SaturationCount{});
}

TEST(Saturation, CountsPairsThatDoNotFitSixteenBits) {
  // 255 * 127 * 2 = 64770; 255 * 64 * 2 = 32640.
  EXPECT_EQ(CountOf({255, 255}, {127, 127}, 2).saturated, 1u);
  EXPECT_EQ(CountOf({255, 255}, {64, 64}, 2).saturated, 0u);
  EXPECT_EQ(CountOf({255, 255}, {-128, -128}, 2).saturated, 1u);
  EXPECT_EQ(CountOf({255, 255}, {127, -128}, 2).saturated, 0u);
}

TEST(Saturation, TakesTheLimitsThemselvesForFitting) {
  EXPECT_EQ(CountOf({255, 191}, {127, 2}, 2).saturated, 0u);    // 32385 + 382 = 32767.
  EXPECT_EQ(CountOf({255, 192}, {127, 2}, 2).saturated, 1u);    // 32769.
  EXPECT_EQ(CountOf({255, 128}, {-128, -1}, 2).saturated, 0u);  // -32768.
  EXPECT_EQ(CountOf({255, 129}, {-128, -1}, 2).saturated, 1u);  // -32769.
}

TEST(Saturation, PairsOnlyNeighboursOfOneRow) {
  // Elements 1 and 2 are large, but belong to different pairs; the fifth element has no partner.
  const SaturationCount count = CountOf({0, 255, 255, 0, 255}, {127, 127, 127, 127, 127}, 5);
  EXPECT_EQ(count.saturated, 0u);
  EXPECT_EQ(count.pairs, 3u);
}

TEST(Saturation, CountsEveryRowWithEveryChannel) {
  const SaturationCount count = CountOf({255, 255, 0, 0}, {127, 127, -128, -128, 1, 1}, 2);
  EXPECT_EQ(count.products, 6u);
  EXPECT_EQ(count.pairs, 6u);
  EXPECT_EQ(count.saturated, 2u);
  EXPECT_EQ(count.affected, 2u);
  EXPECT_DOUBLE_EQ(count.Rate(), 2.0 / 6);
}

TEST(Saturation, RefusesRowsThatDoNotFitTheDepth) {
  EXPECT_THAT(CountSaturation({}, {}, 0),
              FailsSaying(ErrorCode::kInvalidArgument, "rows of length 0"));
  const std::vector<std::uint8_t> activations(6);
  const std::vector<std::int8_t> weights(8);
  EXPECT_THAT(CountSaturation(activations, weights, 4),
              FailsSaying(ErrorCode::kInvalidArgument, "6 activations"));
}

#if defined(__x86_64__)
// The instruction is the oracle: checks if its sum differs from that of plain integers.
__attribute__((target("ssse3"))) std::uint64_t CountByInstruction(
    const std::vector<std::uint8_t>& x, const std::vector<std::int8_t>& w, std::size_t depth) {
  std::uint64_t saturated = 0;
  for (std::size_t row = 0; row < x.size(); row += depth) {
    for (std::size_t channel = 0; channel < w.size(); channel += depth) {
      for (std::size_t k = 0; k < depth; k += 16) {
        alignas(16) std::int16_t sums[8];
        const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&x[row + k]));
        const __m128i b = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&w[channel + k]));
        _mm_store_si128(reinterpret_cast<__m128i*>(sums), _mm_maddubs_epi16(a, b));
        for (std::size_t i = 0; i < 8; ++i) {
          const int exact = x[row + k + 2 * i] * w[channel + k + 2 * i] +
                            x[row + k + 2 * i + 1] * w[channel + k + 2 * i + 1];
          saturated += sums[i] != exact ? 1u : 0u;
        }
      }
    }
  }
  return saturated;
}

TEST(Saturation, AgreesWithTheInstruction) {
  if (__builtin_cpu_supports("ssse3") == 0) GTEST_SKIP() << "no SSSE3";
  std::mt19937 random(7);
  constexpr std::size_t kDepth = 160;
  std::vector<std::uint8_t> x(9 * kDepth);
  std::vector<std::int8_t> w(11 * kDepth);
  for (auto& value : x) value = static_cast<std::uint8_t>(random());
  for (auto& value : w) value = static_cast<std::int8_t>(random());
  const std::uint64_t expected = CountByInstruction(x, w, kDepth);
  ASSERT_GT(expected, 100u);
  EXPECT_EQ(CountOf(x, w, kDepth).saturated, expected);
}
#endif

}  // namespace
}  // namespace cboard::tensor
