#include "cboard/benchmark/machine.h"

#include <gmock/gmock.h>

#include <fstream>

#include "testing/temp_dir.h"

namespace cboard::benchmark {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class MachineTest : public ::testing::Test {
 protected:
  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path) << text;
  }
  void Stat(int busy, int idle, int stolen) {
    Write("proc/stat", "cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 " + std::to_string(busy) + " 0 0 " +
                           std::to_string(idle) + " 0 0 0 " + std::to_string(stolen) + " 0 0\n" +
                           "cpu1 0 0 0 0 0 0 0 0 0 0\nintr 1 2\n");
  }

  testing::TempDir folder_;
  MachineRoots roots_{folder_ / "proc", folder_ / "sys"};
};

TEST_F(MachineTest, KnowsTheBestInstructionSet) {
  Write("proc/cpuinfo",
        "processor : 0\nmodel name\t: A CPU\nflags\t\t: sse4_2 avx2 avx512bw avx512_vnni\n");
  const MachineInfo vnni = DescribeMachine(roots_);
  EXPECT_EQ(vnni.cpu, "A CPU");
  EXPECT_EQ(vnni.instruction_set, "avx512_vnni");
  EXPECT_TRUE(vnni.has_int8_dot);
  Write("proc/cpuinfo", "flags : sse4_2 avx2\n");
  EXPECT_EQ(DescribeMachine(roots_).instruction_set, "avx2");
  EXPECT_FALSE(DescribeMachine(roots_).has_int8_dot);
}

TEST_F(MachineTest, AQuietMachineIsNotDisturbed) {
  Stat(100, 1000, 0);
  const MachineWatch watch(roots_, {0});
  Stat(101, 2000, 0);
  EXPECT_THAT(watch.Disturbances(), IsEmpty());
}

TEST_F(MachineTest, NamesOtherProgramsAndStolenTime) {
  Stat(100, 1000, 0);
  const MachineWatch watch(roots_, {0});
  Stat(600, 1400, 100);
  EXPECT_THAT(watch.Disturbances(),
              ElementsAre(HasSubstr("other programs used"), HasSubstr("10 % of the CPU time to")));
}

TEST_F(MachineTest, NamesThrottlingAndAChangedFrequency) {
  Stat(100, 1000, 0);
  Write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "5\n");
  Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
  const MachineWatch watch(roots_, {0});
  Write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "7\n");
  Write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1500000\n");
  EXPECT_THAT(watch.Disturbances(),
              ElementsAre(HasSubstr("throttled 2 times"), HasSubstr("from 3000 to 1500 MHz")));
}

TEST_F(MachineTest, PinnedThreadsAreFreeAgainAfterwards) {
  cpu_set_t before, during, after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(before), &before), 0);
  {
    const PinnedThreads pinned = PinnedThreads::ToIdleCpus(1);
    ASSERT_EQ(pinned.cpus().size(), 1u);
    ASSERT_EQ(::sched_getaffinity(0, sizeof(during), &during), 0);
    EXPECT_EQ(CPU_COUNT(&during), 1);
  }
  ASSERT_EQ(::sched_getaffinity(0, sizeof(after), &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace cboard::benchmark
