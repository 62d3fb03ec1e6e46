#include "server/http/content_coding.h"

#include <gtest/gtest.h>
#include <libdeflate.h>

namespace cboard {
namespace {

TEST(AcceptsGzip, ReadsTheHeader) {
  for (const char* header : {"gzip", "deflate, gzip", "GZIP;q=1.0", "br;q=0.9,gzip ; q=0.5", "*",
                             "x-gzip", "gzip, *;q=0", "gzip;q=0.001"}) {
    EXPECT_TRUE(AcceptsGzip(header)) << header;
  }
  for (const char* header : {"", "identity", "br", "gzip;q=0", "gzip;q=0.000", "*;q=0", "gzipped",
                             "gzip;q=0, *", "x-gzip;q=0"}) {
    EXPECT_FALSE(AcceptsGzip(header)) << header;
  }
}

TEST(IsCompressible, MeansText) {
  for (const char* type : {"text/html; charset=utf-8", "application/json", "text/plain"}) {
    EXPECT_TRUE(IsCompressible(type)) << type;
  }
  for (const char* type : {"image/png", "audio/wav", "application/octet-stream", ""}) {
    EXPECT_FALSE(IsCompressible(type)) << type;
  }
}

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
