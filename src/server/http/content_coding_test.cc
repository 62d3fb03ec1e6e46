#include "server/http/content_coding.h"

#include <gtest/gtest.h>

namespace cboard::server {
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

}  // namespace
}  // namespace cboard::server
