#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "cboard/reader/log_reader.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::reader {
namespace {

using ::testing::ElementsAre;
using testing::FailsSaying;
using testing::FailsWith;
using testing::TempDir;

Logdir Named(std::string name, std::filesystem::path path) {
  return {std::move(name), std::move(path)};
}

std::vector<Logdir> Parsed(const Result<std::vector<Logdir>>& result) {
  EXPECT_THAT(result, testing::Succeeds());
  return result.value_or(std::vector<Logdir>());
}

TEST(ParseLogdir, OneDirectoryNeedsNoNameAndNeedNotExist) {
  EXPECT_THAT(Parsed(ParseLogdir("runs")), ElementsAre(Named("", "runs")));
  EXPECT_THAT(Parsed(ParseLogdir("runs,")), ElementsAre(Named("", "runs")));
}

TEST(ParseLogdir, SeveralAreNamedByAsManyPartsAsItTakes) {
  EXPECT_THAT(Parsed(ParseLogdir("/a/one,/b/two")),
              ElementsAre(Named("one", "/a/one"), Named("two", "/b/two")));
  EXPECT_THAT(Parsed(ParseLogdir("/a/x/eval,/b/x/eval/,/c/y")),
              ElementsAre(Named("a/x/eval", "/a/x/eval"), Named("b/x/eval", "/b/x/eval/"),
                          Named("y", "/c/y")));
  EXPECT_THAT(Parsed(ParseLogdir("a,x/a")), ElementsAre(Named("a", "a"), Named("x/a", "x/a")));
  EXPECT_THAT(Parsed(ParseLogdir("a,a,./a")), ElementsAre(Named("", "a")));
}

TEST(ParseLogdir, WhatExistsIsTakenAsItIs) {
  TempDir dir;
  std::filesystem::create_directory(dir / "a,b*");
  std::filesystem::create_directory(dir / "a,bc");
  const std::string path = dir / "a,b*";
  EXPECT_THAT(Parsed(ParseLogdir(path)), ElementsAre(Named("", path)));
}

TEST(ParseLogdir, GlobsMatchDirectories) {
  TempDir dir;
  for (const char* name : {"run1/eval", "run2/eval", "run3/train"}) {
    std::filesystem::create_directories(dir / name);
  }
  std::filesystem::create_directories(dir / "other");
  const std::string root = dir.path();
  EXPECT_THAT(
      Parsed(ParseLogdir(root + "/*/eval")),
      ElementsAre(Named("run1/eval", dir / "run1/eval"), Named("run2/eval", dir / "run2/eval")));
  EXPECT_THAT(Parsed(ParseLogdir(root + "/o*")), ElementsAre(Named("", dir / "other")));
  EXPECT_THAT(ParseLogdir(root + "/none*"),
              FailsSaying(ErrorCode::kNotFound, "no directory matches"));
}

TEST(ParseLogdir, ExpandsTheHome) {
  const char* home = std::getenv("HOME");
  if (home == nullptr) GTEST_SKIP() << "no home";
  EXPECT_THAT(Parsed(ParseLogdir("~/no such runs")),
              ElementsAre(Named("", std::string(home) + "/no such runs")));
  EXPECT_THAT(Parsed(ParseLogdir("~no such user/runs")),
              ElementsAre(Named("", "~no such user/runs")));
  EXPECT_THAT(Parsed(ParseLogdirSpec("a:~/x")), ElementsAre(Named("a", std::string(home) + "/x")));
}

TEST(ParseLogdir, RefusesWhatIsNoLocalDirectory) {
  EXPECT_THAT(ParseLogdir(""), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ParseLogdir(",,"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(ParseLogdir("hdfs://host/runs"),
              FailsSaying(ErrorCode::kInvalidArgument, "or mount it first"));
  EXPECT_THAT(ParseLogdir(std::string_view("a\0b", 3)), FailsWith(ErrorCode::kInvalidArgument));
}

TEST(ParseLogdir, LeavesBucketsAsTheyAre) {
  EXPECT_THAT(Parsed(ParseLogdir("s3://bucket/runs")), ElementsAre(Named("", "s3://bucket/runs")));
  EXPECT_THAT(Parsed(ParseLogdirSpec("a:gs://bucket/x,b:/y")),
              ElementsAre(Named("a", "gs://bucket/x"), Named("b", "/y")));
}

TEST(ParseLogdirSpec, TakesNamesAsTensorBoardDoes) {
  EXPECT_THAT(
      Parsed(ParseLogdirSpec("baseline:./runs/eval/baseline_acc_0.776/,tune_1:./runs/tune_1/")),
      ElementsAre(Named("baseline", "./runs/eval/baseline_acc_0.776/"),
                  Named("tune_1", "./runs/tune_1/")));
  EXPECT_THAT(Parsed(ParseLogdirSpec("/with:colon,a:/b:c,plain")),
              ElementsAre(Named("", "/with:colon"), Named("a", "/b:c"), Named("", "plain")));
}

TEST(ParseLogdirSpec, SaysWhatIsMissing) {
  EXPECT_THAT(ParseLogdirSpec("a:"), FailsSaying(ErrorCode::kInvalidArgument, "write a:PATH"));
  EXPECT_THAT(ParseLogdirSpec(""), FailsSaying(ErrorCode::kInvalidArgument, "NAME:PATH"));
  EXPECT_THAT(ParseLogdirSpec("a:hdfs://x"), FailsWith(ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace cboard::reader
