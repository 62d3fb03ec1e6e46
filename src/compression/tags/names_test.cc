#include "cboard/compression/names.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

const std::string kHostileNames[] = {"resnet18",
                                     "ResNet50 V1.5 (MLPerf)",
                                     "facebook/opt-6.7b",
                                     "..",
                                     ".",
                                     "../../etc/passwd",
                                     "/etc/passwd",
                                     "",
                                     "%",
                                     "%2F",
                                     "%~",
                                     "a\\b",
                                     "C:\\x",
                                     "a\nb",
                                     std::string("a\0b", 3),
                                     "\xff\xfe",
                                     "caf\xc3\xa9",
                                     "\xc3",
                                     ".hidden",
                                     "100%"};

TEST(DirectoryName, KeepsUsualNames) {
  for (const std::string name :
       {"alexnet", "mobilenet_v2", "ResNet50 V1.5", "caf\xc3\xa9", "a.b-c"}) {
    EXPECT_EQ(DirectoryNameOf(name), name);
  }
}

TEST(DirectoryName, IsOneDirectoryWhateverTheName) {
  for (const std::string& name : kHostileNames) {
    const std::filesystem::path path = std::filesystem::path("logs") / DirectoryNameOf(name);
    EXPECT_EQ(path.lexically_normal().parent_path(), "logs") << Quoted(name);
    EXPECT_TRUE(IsValidUtf8(path.native())) << Quoted(name);
  }
}

TEST(DirectoryName, GivesTheNameBack) {
  for (const std::string& name : kHostileNames) {
    EXPECT_EQ(NameOfDirectory(DirectoryNameOf(name)), name) << DirectoryNameOf(name);
  }
}

TEST(DirectoryName, EscapesWhatAPathWouldInterpret) {
  EXPECT_EQ(DirectoryNameOf(".."), "%2E.");
  EXPECT_EQ(DirectoryNameOf("facebook/opt-6.7b"), "facebook%2Fopt-6.7b");
}

TEST(DirectoryName, ShortensLongNamesWithoutMixingThemUp) {
  const std::string a = DirectoryNameOf(std::string(100'000, 'a') + "1");
  const std::string b = DirectoryNameOf(std::string(100'000, 'a') + "2");
  EXPECT_NE(a, b);
  EXPECT_LE(a.size(), kMaxNameBytes);
  EXPECT_EQ(DirectoryNameOf(std::string(kMaxNameBytes, 'a')), std::string(kMaxNameBytes, 'a'));
}

TEST(DirectoryName, NeverCutsACharacterOrAnEscapeInTwo) {
  for (std::size_t lead = 150; lead < 210; ++lead) {
    std::string accents(lead, 'a');
    std::string slashes(lead, 'a');
    for (int i = 0; i < 100; ++i) {
      accents += "\xe2\x82\xac";
      slashes += '/';
    }
    for (const std::string& name : {DirectoryNameOf(accents), DirectoryNameOf(slashes)}) {
      EXPECT_TRUE(IsValidUtf8(name));
      EXPECT_LE(name.size(), kMaxNameBytes);
      EXPECT_EQ(name.find('%', name.size() - 17), std::string::npos);
      EXPECT_EQ(name.substr(name.size() - 18, 2), "%~");
      for (std::size_t i = name.find('%'); i < name.size() - 18; i = name.find('%', i + 1)) {
        EXPECT_EQ(name.substr(i, 3), "%2F") << name;
      }
    }
  }
}

TEST(TagPrefix, KeepsHarmlessSlashes) {
  EXPECT_EQ(TagPrefixOf("facebook/opt-6.7b"), "facebook/opt-6.7b");
  EXPECT_EQ(TagPrefixOf("resnet18"), "resnet18");
}

TEST(TagPrefix, NeverLeavesTheDirectoryItIsUsedIn) {
  for (const std::string& name : kHostileNames) {
    const auto path = (std::filesystem::path("logs") / TagPrefixOf(name)).lexically_normal();
    EXPECT_EQ(*path.begin(), "logs") << Quoted(name);
    EXPECT_NE(path, "logs/") << Quoted(name);
  }
}

}  // namespace
}  // namespace cboard::compression
