#include "cboard/record/crc32c.h"

#include <gtest/gtest.h>

#include <string>

#include "record/long_crc.h"

namespace cboard::record {
namespace {

// The definition of CRC-32C, bit by bit: reflected polynomial 0x82F63B78.
std::uint32_t BitwiseCrc32c(std::string_view text) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1u)));
  }
  return ~crc;
}

TEST(Crc32c, MatchesPublishedCheckValues) {
  EXPECT_EQ(ComputeCrc32c(AsBytes("123456789")), 0xe3069283u);
  EXPECT_EQ(ComputeCrc32c(AsBytes("abcd")), 0x92c80a31u);
  EXPECT_EQ(ComputeCrc32c({}), 0u);
}

TEST(Crc32c, EqualsTheDefinitionAtEveryLengthAroundTheSwitch) {
  std::string text;
  for (int i = 0; i < 700; ++i) {
    ASSERT_EQ(ComputeCrc32c(AsBytes(text)), BitwiseCrc32c(text)) << "length " << text.size();
    text += static_cast<char>(i * 37 + i / 256);
  }
}

TEST(Crc32c, IsTheSameInBothWaysForLongRuns) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += static_cast<char>(i * 37 + i / 256);
  for (std::size_t size = kMinFoldedBytes; size <= 2000; ++size) {
    const ByteSpan part = AsBytes(text).subspan(size % 67, size);
    const std::uint32_t expected = BitwiseCrc32c(AsText(part));
    ASSERT_EQ(IsalCrc32c(part), expected) << "length " << size;
    if (HasFoldedCrc()) {
      ASSERT_EQ(FoldedCrc32c(part), expected) << "length " << size;
    }
  }
}

TEST(Crc32c, IsExtendedByTheBytesThatFollow) {
  std::string text;
  for (int i = 0; i < 1500; ++i) text += static_cast<char>(i * 37 + i / 256);
  const ByteSpan bytes = AsBytes(text);
  const std::uint32_t expected = BitwiseCrc32c(text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    ASSERT_EQ(ExtendCrc32c(ComputeCrc32c(bytes.first(cut)), bytes.subspan(cut)), expected) << cut;
    ASSERT_EQ(IsalCrc32c(bytes.subspan(cut), ComputeCrc32c(bytes.first(cut))), expected) << cut;
    if (HasFoldedCrc() && text.size() - cut >= kMinFoldedBytes) {
      ASSERT_EQ(FoldedCrc32c(bytes.subspan(cut), ComputeCrc32c(bytes.first(cut))), expected) << cut;
    }
  }
}

TEST(Crc32c, DoesNotDependOnAlignment) {
  const std::string text(600, 'x');
  for (std::size_t start = 0; start < 16; ++start) {
    const std::string_view part = std::string_view(text).substr(start, 500);
    EXPECT_EQ(ComputeCrc32c(AsBytes(part)), BitwiseCrc32c(part));
  }
}

TEST(MaskedCrc, MatchesTensorFlowsMask) {
  const std::uint64_t length = 24;
  std::byte bytes[8];
  StoreLittleEndian(length, MutableByteSpan(bytes));
  EXPECT_EQ(ToInteger(ComputeMaskedCrc(bytes)), 0x224b7fa3u);
  EXPECT_EQ(ToInteger(ComputeMaskedCrc(AsBytes("\x1a\x11"
                                               "CRC test, one two"))),
            0x5794d08au);
}

}  // namespace
}  // namespace cboard::record
