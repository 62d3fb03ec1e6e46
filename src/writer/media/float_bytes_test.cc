#include "writer/media/float_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "testing/every_instruction_set.h"

namespace cboard::writer::media {
namespace {

// Plain implementations, in a type that is wide enough.
std::uint8_t PlainWrap(float value) {
  const double scaled = value * 255.f;
  if (!(std::abs(scaled) < 2147483648.0) && scaled != -2147483648.0) return 0;
  return static_cast<std::uint8_t>(static_cast<std::int64_t>(scaled));
}

std::uint8_t PlainClamp(float value) {
  const float scaled = value * 255.f;
  return std::isnan(scaled) ? std::uint8_t{0}
                            : static_cast<std::uint8_t>(std::clamp(scaled, 0.f, 255.f));
}

std::vector<float> Values() {
  std::vector<float> values;
  for (int i = -2000; i < 4000; ++i) values.push_back(static_cast<float>(i) / 1000);
  for (int i = 0; i < 256; ++i) values.push_back(static_cast<float>(i) / 255);
  std::mt19937 random(23);
  for (int i = 0; i < 100000; ++i) {  // Every kind of float there is, NaN and infinity too.
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  return values;
}

TEST(ScaleAndWrap, AgreesWithTheDefinitionForAnyFloat) {
  testing::OnEveryInstructionSet([] {
    const std::vector<float> values = Values();
    std::vector<std::uint8_t> bytes(values.size());
    ScaleAndWrap(values.data(), values.size(), bytes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(bytes[i], PlainWrap(values[i])) << values[i];
    }
  });
}

TEST(ScaleAndClamp, AgreesWithTheDefinitionForAnyFloat) {
  testing::OnEveryInstructionSet([] {
    const std::vector<float> values = Values();
    std::vector<std::uint8_t> bytes(values.size());
    ScaleAndClamp(values.data(), values.size(), bytes.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(bytes[i], PlainClamp(values[i])) << values[i];
    }
  });
}

TEST(ScaleAndWrap, WritesExactlyAsManyBytesAsAsked) {
  testing::OnEveryInstructionSet([] {
    const std::vector<float> ones(200, 1.f);
    for (std::size_t count = 0; count <= 200; ++count) {
      std::vector<std::uint8_t> bytes(201, 7);
      ScaleAndWrap(ones.data(), count, bytes.data());
      EXPECT_EQ(std::ranges::count(bytes, 255), static_cast<std::ptrdiff_t>(count));
      EXPECT_EQ(bytes[count], 7);
    }
  });
}

}  // namespace
}  // namespace cboard::writer::media
