#include "data_server/options.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::data_server {
namespace {

using ::cboard::testing::FailsWith;
using ::cboard::testing::Succeeds;

std::variant<Options, int> Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "compression-board-data-server");
  return ParseOptions(static_cast<int>(arguments.size()), arguments.data());
}

TEST(Options, TakesTheFlagsThatTensorBoardPasses) {
  const auto parsed =
      Parse({"--logdir=/logs/a,b", "--reload=5", "--samples-per-plugin=", "--port=0",
             "--port-file=/t/port", "--die-after-stdin", "--error-file=/t/error", "--verbose",
             "--verbose"});
  ASSERT_TRUE(std::holds_alternative<Options>(parsed));
  const auto& options = std::get<Options>(parsed);
  EXPECT_EQ(options.logdir, "/logs/a,b");
  EXPECT_EQ(options.reload, std::chrono::seconds(5));
  EXPECT_EQ(options.port, 0);
  EXPECT_EQ(options.port_file, "/t/port");
  EXPECT_EQ(options.error_file, "/t/error");
  EXPECT_TRUE(options.die_after_stdin);
  EXPECT_EQ(options.verbosity, 2);
}

TEST(Options, LoadsOnceIfAsked) {
  const auto parsed = Parse({"--logdir=a", "--reload=once", "--checksum", "--no-cache"});
  ASSERT_TRUE(std::holds_alternative<Options>(parsed));
  EXPECT_FALSE(std::get<Options>(parsed).reload.has_value());
  EXPECT_FALSE(std::get<Options>(parsed).use_cache);
}

TEST(Options, AnEmptyLogdirIsLeftToTheCheck) {
  const auto parsed = Parse({"--logdir="});
  ASSERT_TRUE(std::holds_alternative<Options>(parsed));
  EXPECT_THAT(CheckLogdir(std::get<Options>(parsed).logdir),
              FailsWith(ErrorCode::kInvalidArgument));
}

TEST(Options, RefusesWrongFlags) {
  for (const char* wrong :
       {"--reload=soon", "--port=70000", "--samples-per-plugin=scalars", "--no-such-flag"}) {
    const auto parsed = Parse({"--logdir=a", wrong});
    ASSERT_TRUE(std::holds_alternative<int>(parsed)) << wrong;
    EXPECT_EQ(std::get<int>(parsed), kExitUsage) << wrong;
  }
  EXPECT_EQ(std::get<int>(Parse({})), kExitUsage);
}

TEST(Options, ServesDirectoriesOnlyAndWaitsForMissingOnes) {
  const testing::TempDir directory;
  EXPECT_THAT(CheckLogdir(directory.path()), Succeeds());
  EXPECT_THAT(CheckLogdir(directory / "later"), Succeeds());
  std::ofstream(directory / "file") << "x";
  EXPECT_THAT(CheckLogdir(directory / "file"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(CheckLogdir("gs://bucket/runs"), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(CheckLogdir("./a://b"), Succeeds());  // No scheme: it begins with a dot.
}

TEST(Options, ListensOnLoopbackOnly) {
  EXPECT_EQ(LoopbackAddresses("localhost"), (std::vector<std::string>{"127.0.0.1", "[::1]"}));
  EXPECT_EQ(LoopbackAddresses("127.0.0.2"), std::vector<std::string>{"127.0.0.2"});
  EXPECT_EQ(LoopbackAddresses("::1"), std::vector<std::string>{"[::1]"});
  for (const char* host :
       {"0.0.0.0", "::", "10.0.0.1", "example.org", "127.0.0.1.example.org", ""}) {
    EXPECT_THAT(LoopbackAddresses(host), FailsWith(ErrorCode::kInvalidArgument)) << host;
  }
}

}  // namespace
}  // namespace cboard::data_server
