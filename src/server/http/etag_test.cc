#include "server/http/etag.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

TEST(Etag, IsEqualForEqualBytesOnly) {
  EXPECT_EQ(EtagOf("abc"), EtagOf(std::string("abc")));
  std::set<std::string> seen;
  std::string text(300, 'x');
  seen.insert(EtagOf(text));
  for (std::size_t byte = 0; byte < text.size(); ++byte) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string other = text;
      other[byte] = static_cast<char>(other[byte] ^ (1 << bit));
      seen.insert(EtagOf(other));
    }
  }
  for (std::size_t length = 0; length < 300; ++length) seen.insert(EtagOf(text.substr(0, length)));
  EXPECT_EQ(seen.size(), 1 + 300 * 8 + 300u);
}

// A plain checksum of zeros does not depend on the number of zeros.
TEST(Etag, CountsLeadingZeros) {
  EXPECT_NE(EtagOf(std::string(1, '\0')), EtagOf(std::string(2, '\0')));
  EXPECT_NE(EtagOf(""), EtagOf(std::string(1, '\0')));
}

TEST(Etag, OfAFileChangesWithTheFileAndThePlace) {
  const testing::TempDir directory;
  std::ofstream(directory / "a") << "0123456789";
  std::ofstream(directory / "b") << "0123456789";
  const auto open = [&](const char* name) {
    return std::make_shared<const File>(*File::OpenForReading(directory / name));
  };
  const auto a = open("a");
  const std::string tag = EtagOf(FileSlice{.file = a, .offset = 1, .length = 2});
  EXPECT_EQ(tag, EtagOf(FileSlice{.file = open("a"), .offset = 1, .length = 2}));
  EXPECT_NE(tag, EtagOf(FileSlice{.file = a, .offset = 2, .length = 2}));
  EXPECT_NE(tag, EtagOf(FileSlice{.file = a, .offset = 1, .length = 3}));
  EXPECT_NE(tag, EtagOf(FileSlice{.file = open("b"), .offset = 1, .length = 2}));
}

TEST(NamesEtag, ReadsLists) {
  for (const char* header : {"\"a1\"", "W/\"a1\"", "\"x\", \"a1\"", "*", " \"a1\" ,\"y\""}) {
    EXPECT_TRUE(NamesEtag(header, "a1")) << header;
  }
  for (const char* header : {"", "a1", "\"a\"", "\"a12\"", "\"A1\"", "\"a1", "w/\"a1\"", ",,"}) {
    EXPECT_FALSE(NamesEtag(header, "a1")) << header;
  }
}

}  // namespace

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
