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

// Zeros leave a plain checksum of zeros alone.
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
}  // namespace cboard::server
