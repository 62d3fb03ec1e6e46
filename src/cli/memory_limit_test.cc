#include "cli/memory_limit.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "testing/temp_dir.h"

namespace cboard::cli {
namespace {

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

class SpareMemoryTest : public ::testing::Test {
 protected:
  void Write(std::string_view name, std::string_view text) {
    const auto path = root_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  void WriteMachine() {
    Write("proc/meminfo", "MemTotal:       16777216 kB\nMemAvailable:    8388608 kB\n");
  }
  void WriteContainer(std::string_view most, std::string_view used) {
    Write("sys/fs/cgroup/memory.max", most);
    Write("sys/fs/cgroup/memory.current", used);
  }

  testing::TempDir root_;
};

TEST_F(SpareMemoryTest, IsWhatTheMachineHas) {
  WriteMachine();
  EXPECT_EQ(FreeMemory(root_.path()), 8 * kGigabyte);
  WriteContainer("max\n", "1073741824\n");
  EXPECT_EQ(FreeMemory(root_.path()), 8 * kGigabyte);
}

TEST_F(SpareMemoryTest, IsWhatTheContainerHasWhereThatIsLess) {
  WriteMachine();
  WriteContainer("4294967296\n", "3221225472\n");
  EXPECT_EQ(FreeMemory(root_.path()), 1 * kGigabyte);
  Write("sys/fs/cgroup/memory.stat", "anon 1073741824\ninactive_file 2147483648\n");
  EXPECT_EQ(FreeMemory(root_.path()), 3 * kGigabyte);
  WriteContainer("1073741824\n", "3221225472\n");
  EXPECT_EQ(FreeMemory(root_.path()), 0u);
}

TEST_F(SpareMemoryTest, IsNotGuessed) {
  EXPECT_EQ(FreeMemory(root_.path()), std::nullopt);
  Write("proc/meminfo", "MemAvailable: much\n");
  EXPECT_EQ(FreeMemory(root_.path()), std::nullopt);
}

rlimit DataLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_DATA, &limit);
  return limit;
}

// Runs in a separate process, because a limit cannot be removed.
TEST(TakeOnlySpareMemoryDeathTest, SetsALimitAndKeepsALowerOne) {
  ASSERT_TRUE(FreeMemory());
  EXPECT_EXIT(
      {
        LimitToFreeMemory();
        rlimit limit = DataLimit();
        if (limit.rlim_cur == RLIM_INFINITY) std::_Exit(1);
        limit.rlim_cur -= *FreeMemory() / 2;
        ::setrlimit(RLIMIT_DATA, &limit);
        LimitToFreeMemory();
        std::_Exit(DataLimit().rlim_cur == limit.rlim_cur ? 0 : 2);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cboard::cli
