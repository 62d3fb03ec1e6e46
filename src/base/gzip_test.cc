#include "base/gzip.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

#include <cstdint>

namespace cboard {
namespace {

TEST(Gzip, GivesTheBytesBack) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "line " + std::to_string(i) + "\n";
  for (const int level : {kQuickGzip, kSmallGzip}) {
    const std::optional<std::string> packed = Gzip(text, level);
    ASSERT_TRUE(packed);
    EXPECT_LT(packed->size(), text.size() / 3);
    std::string back(text.size(), '\0');
    libdeflate_decompressor* const decompressor = ::libdeflate_alloc_decompressor();
    EXPECT_EQ(::libdeflate_gzip_decompress(decompressor, packed->data(), packed->size(),
                                           back.data(), back.size(), nullptr),
              LIBDEFLATE_SUCCESS);
    ::libdeflate_free_decompressor(decompressor);
    EXPECT_EQ(back, text);
  }
}

TEST(Gzip, LeavesAloneWhatDoesNotShrink) {
  EXPECT_FALSE(Gzip(""));
  EXPECT_FALSE(Gzip("short"));
  std::string noise;
  std::uint32_t state = 1;
  for (int i = 0; i < 4096; ++i) {
    state = state * 1664525 + 1013904223;
    noise += static_cast<char>(state >> 24);
  }
  EXPECT_FALSE(Gzip(noise));
}

}  // namespace
}  // namespace cboard
