#include "cboard/server/access_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::server {
namespace {

using testing::FailsWith;
using ::testing::HasSubstr;
using ::testing::Not;

ResponseRecord Record(std::string_view target) {
  return {.client = "127.0.0.1",
          .method = "GET",
          .target = target,
          .user_agent = "curl \"8\"\n",
          .route = "api",
          .status = 200,
          .sent_bytes = 512,
          .took = std::chrono::microseconds(1234)};
}

TEST(AccessLog, WritesALineOfJsonPerResponse) {
  EXPECT_EQ(AccessLogLine(Record("/a?b=c"), 1714564800.25),
            R"({"time":"2024-05-01T12:00:00.250Z","client":"127.0.0.1","method":"GET",)"
            R"("target":"/a?b=c","status":200,"bytes":512,"duration_ms":1.234,"route":"api",)"
            R"("user_agent":"curl \"8\"\n"})"
            "\n");
}

TEST(AccessLog, KeepsTokensToItself) {
  const std::string line = AccessLogLine(Record("/a?token=s3cret&b=c"), 0);
  EXPECT_THAT(line, Not(HasSubstr("s3cret")));
  EXPECT_THAT(line, HasSubstr("\"/a?b=c\""));
}

TEST(AccessLog, AppendsWholeLinesFromManyThreads) {
  const testing::TempDir directory;
  const auto log = AccessLog::Open(directory / "access.log");
  ASSERT_THAT(log, testing::Succeeds());
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 100; ++j) (*log)->Write(Record("/x"));
      });
    }
  }
  const Result<std::string> text = ReadFile(directory / "access.log");
  ASSERT_THAT(text, testing::Succeeds());
  std::size_t lines = 0;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    EXPECT_TRUE(rest.starts_with("{\"time\":") && rest.substr(0, end).ends_with("\"}"));
    rest.remove_prefix(end + 1);
    ++lines;
  }
  EXPECT_EQ(lines, 400u);
}

TEST(AccessLog, SaysThatItCannotBeOpened) {
  EXPECT_THAT(AccessLog::Open("/missing/access.log"), FailsWith(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace cboard::server
