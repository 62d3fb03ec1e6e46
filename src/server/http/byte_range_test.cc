#include "server/http/byte_range.h"

#include <gtest/gtest.h>

namespace cboard::server {
namespace {

ByteRange One(std::string_view header, std::uint64_t size) {
  const RangeRequest request = ParseRange(header, size);
  EXPECT_EQ(request.kind, RangeKind::kOne) << header;
  return request.range;
}

TEST(ParseRange, KnowsTheThreeForms) {
  EXPECT_EQ(One("bytes=0-499", 1000), (ByteRange{0, 500}));
  EXPECT_EQ(One("bytes=500-", 1000), (ByteRange{500, 500}));
  EXPECT_EQ(One("bytes=-200", 1000), (ByteRange{800, 200}));
  EXPECT_EQ(One("Bytes= 1 - 1 ", 1000), (ByteRange{1, 1}));
}

TEST(ParseRange, EndsWithTheContent) {
  EXPECT_EQ(One("bytes=990-2000", 1000), (ByteRange{990, 10}));
  EXPECT_EQ(One("bytes=-2000", 1000), (ByteRange{0, 1000}));
  EXPECT_EQ(One("bytes=0-18446744073709551615", 10), (ByteRange{0, 10}));
}

TEST(ParseRange, IsUnsatisfiablePastTheEnd) {
  for (const char* header : {"bytes=1000-", "bytes=1000-1001", "bytes=-0"}) {
    EXPECT_EQ(ParseRange(header, 1000).kind, RangeKind::kUnsatisfiable) << header;
  }
  EXPECT_EQ(ParseRange("bytes=0-", 0).kind, RangeKind::kUnsatisfiable);
  EXPECT_EQ(ParseRange("bytes=-1", 0).kind, RangeKind::kUnsatisfiable);
}

TEST(ParseRange, IgnoresWhatItDoesNotServe) {
  for (const char* header :
       {"", "bytes", "bytes=", "bytes=-", "bytes=5", "bytes=5-4", "bytes=a-b", "bytes=0-1,3-4",
        "lines=0-1", "bytes=--1", "bytes=0x1-2", "bytes=1-99999999999999999999999"}) {
    EXPECT_EQ(ParseRange(header, 1000).kind, RangeKind::kNone) << header;
  }
}

TEST(ParseRange, NeverLeavesTheContent) {
  for (std::uint64_t size = 0; size < 6; ++size) {
    for (int first = -1; first < 8; ++first) {
      for (int last = -1; last < 8; ++last) {
        const auto text = [](int n) { return n < 0 ? std::string() : std::to_string(n); };
        const RangeRequest request = ParseRange("bytes=" + text(first) + "-" + text(last), size);
        if (request.kind != RangeKind::kOne) continue;
        EXPECT_GT(request.range.length, 0u);
        EXPECT_LE(request.range.offset + request.range.length, size);
      }
    }
  }
}

}  // namespace
}  // namespace cboard::server
