#include "profile/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "testing/temp_dir.h"

namespace cboard::profile {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using testing::TempDir;

// A fake directory tree like /proc or /sys.
class FakeTree {
 public:
  void Write(const std::string& path, const std::string& content) {
    std::filesystem::create_directories((dir_ / path).parent_path());
    std::ofstream(dir_ / path) << content;
  }
  const std::filesystem::path& root() const { return dir_.path(); }

 private:
  TempDir dir_;
};

std::map<std::string, double> SampleAt(double seconds, Sampler& sampler) {
  std::vector<Reading> readings;
  sampler.Sample(seconds, readings);
  std::map<std::string, double> by_name;
  for (const Reading& reading : readings) by_name[reading.name] = reading.value;
  return by_name;
}

// Invalid content, which the kernel never writes.
const std::vector<std::string> kGarbage = {
    "",
    "\n\n\n",
    "cpu",
    "cpu \ncpu0 x y z w",
    "cpu 1 2 3 -4",
    std::string(1000, '\xff'),
    "99999999999999999999999 1 1 1 1 99999999999999999999999 1 1 1 1 1",
    "lo:",
    ":::",
    "MemTotal: x kB"};

TEST(CpuSampler, GivesTheBusyShareBetweenTwoSamples) {
  FakeTree proc;
  proc.Write("stat",
             "cpu  100 0 100 800 0 0 0 0 50 0\n"
             "cpu0 100 0 0 400 0 0 0 0 0 0\n"
             "cpu1 0 0 100 400 0 0 0 0 0 0\n"
             "intr 12345\n");
  const auto sampler = MakeCpuSampler(proc.root());
  EXPECT_THAT(SampleAt(0, *sampler), IsEmpty());
  proc.Write("stat",
             "cpu  150 0 100 940 10 0 0 0 99 0\n"
             "cpu0 150 0 0 450 0 0 0 0 0 0\n"
             "cpu1 0 0 100 490 10 0 0 0 0 0\n");
  EXPECT_THAT(SampleAt(1, *sampler),
              ElementsAre(Pair("cpu/core_0_percent", 50), Pair("cpu/core_1_percent", 0),
                          Pair("cpu/percent", 25)));
}

TEST(CpuSampler, SurvivesIdleTimeThatRunsBackwardsAndCoresThatComeAndGo) {
  FakeTree proc;
  proc.Write("stat", "cpu 100 0 0 900 50\ncpu0 1 1 1 1\n");
  const auto sampler = MakeCpuSampler(proc.root());
  SampleAt(0, *sampler);
  proc.Write("stat", "cpu 200 0 0 895 50\ncpu7 1 1 1 1\n");
  EXPECT_THAT(SampleAt(1, *sampler), ElementsAre(Pair("cpu/percent", 100)));
  // The counters of all cores are unchanged.
  proc.Write("stat", "cpu 200 0 0 895 50\ncpu7 1 1 1 5\n");
  EXPECT_THAT(SampleAt(2, *sampler), ElementsAre(Pair("cpu/core_7_percent", 0)));
}

TEST(MemorySampler, SubtractsWhatIsAvailable) {
  FakeTree proc;
  proc.Write("meminfo",
             "MemTotal:       8192 kB\nMemFree: 1 kB\nMemAvailable:   2048 kB\n"
             "SwapTotal: 4096 kB\nSwapFree: 1024 kB\n");
  EXPECT_THAT(SampleAt(0, *MakeMemorySampler(proc.root())),
              ElementsAre(Pair("memory/swap_used_mb", 3), Pair("memory/system_available_mb", 2),
                          Pair("memory/system_used_mb", 6)));
}

TEST(MemorySampler, LeavesOutSwapWhereThereIsNone) {
  FakeTree proc;
  proc.Write("meminfo",
             "MemTotal: 2048 kB\nMemAvailable: 1024 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB");
  EXPECT_EQ(SampleAt(0, *MakeMemorySampler(proc.root())).count("memory/swap_used_mb"), 0u);
}

std::string ProcessStat(const std::string& name, int parent, int own_ticks, int child_ticks,
                        int rss_pages) {
  return "1 (" + name + ") S " + std::to_string(parent) + " 1 1 0 -1 0 0 0 0 0 " +
         std::to_string(own_ticks) + " 0 " + std::to_string(child_ticks) + " 0 20 0 1 0 100 4096 " +
         std::to_string(rss_pages) + " 0 0\n";
}

TEST(ProcessSampler, AddsUpTheProcessAndEverythingItStarted) {
  const double ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const double page_mb = static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
  FakeTree proc;
  proc.Write("10/stat", ProcessStat("sh", 1, 0, 0, 100));
  proc.Write("11/stat", ProcessStat("a) R (b", 10, 0, 0, 20));
  proc.Write("12/stat", ProcessStat("grandchild", 11, 0, 0, 3));
  proc.Write("99/stat", ProcessStat("stranger", 1, 5000, 0, 5000));
  proc.Write("self/stat", ProcessStat("link", 10, 1, 1, 1));
  const auto sampler = MakeProcessSampler(proc.root(), 10);
  auto readings = SampleAt(100, *sampler);
  EXPECT_EQ(readings["process/count"], 3);
  EXPECT_THAT(readings["memory/process_rss_mb"], DoubleNear(123 * page_mb, 1e-9));
  EXPECT_EQ(readings.count("process/cpu_percent"), 0u);

  // The grandchild ended; its CPU time was added to its parent.
  std::filesystem::remove_all(proc.root() / "12");
  proc.Write("10/stat", ProcessStat("sh", 1, 30, 0, 100));
  proc.Write("11/stat", ProcessStat("a) R (b", 10, 0, 70, 20));
  readings = SampleAt(102, *sampler);
  EXPECT_EQ(readings["process/count"], 2);
  EXPECT_THAT(readings["process/cpu_percent"], DoubleNear(100 * 100 / ticks_per_second / 2, 1e-9));
}

TEST(ProcessSampler, HasNothingToSayOnceTheProcessIsGone) {
  FakeTree proc;
  proc.Write("11/stat", ProcessStat("orphan", 1, 0, 0, 20));
  EXPECT_THAT(SampleAt(0, *MakeProcessSampler(proc.root(), 10)), IsEmpty());
}

TEST(ProcessSampler, SurvivesProcessesThatClaimToBeTheirOwnParents) {
  FakeTree proc;
  proc.Write("10/stat", ProcessStat("a", 11, 0, 0, 1));
  proc.Write("11/stat", ProcessStat("b", 10, 0, 0, 1));
  EXPECT_EQ(SampleAt(0, *MakeProcessSampler(proc.root(), 10))["process/count"], 2);
}

TEST(DiskSampler, CountsWholeDisksOnce) {
  FakeTree proc;
  const auto line = [](const std::string& name, long read, long written) {
    return " 8 0 " + name + " 1 2 " + std::to_string(read) + " 4 5 6 " + std::to_string(written) +
           " 8 9 10 11\n";
  };
  proc.Write("diskstats", line("sda", 0, 0) + line("sda1", 0, 0) + line("nvme0n1", 0, 0) +
                              line("nvme0n1p1", 0, 0) + line("nvme0n10", 0, 0) +
                              line("loop0", 0, 0) + line("dm-0", 0, 0) + line("sdb", 500, 500));
  const auto sampler = MakeDiskSampler(proc.root());
  EXPECT_THAT(SampleAt(0, *sampler), IsEmpty());
  // 2048 sectors are 1 MiB. sdb was reset, sdc is new.
  proc.Write("diskstats", line("sda", 4096, 0) + line("sda1", 4096, 0) + line("nvme0n1", 0, 2048) +
                              line("nvme0n1p1", 0, 2048) + line("nvme0n10", 0, 2048) +
                              line("loop0", 9999, 9999) + line("dm-0", 9999, 9999) +
                              line("sdb", 10, 10) + line("sdc", 7777, 7777));
  EXPECT_THAT(SampleAt(2, *sampler),
              ElementsAre(Pair("disk/read_mb_s", 1), Pair("disk/write_mb_s", 1)));
}

TEST(NetworkSampler, CountsInterfacesThatLeaveTheMachine) {
  FakeTree proc;
  const std::string header =
      "Inter-|   Receive                      |  Transmit\n face |bytes packets |bytes packets\n";
  proc.Write("net/dev", header + "    lo: 0 0 0 0 0 0 0 0 0 0\n  eth0: 0 0 0 0 0 0 0 0 0 0\n" +
                            "veth12: 0 0 0 0 0 0 0 0 0 0\n");
  const auto sampler = MakeNetworkSampler(proc.root());
  EXPECT_THAT(SampleAt(10, *sampler), IsEmpty());
  proc.Write("net/dev", header + "    lo: 9 0 0 0 0 0 0 0 9 0\n" +
                            "  eth0:4194304 0 0 0 0 0 0 0 2097152 0\n" +
                            "veth12: 7 0 0 0 0 0 0 0 7 0\n");
  EXPECT_THAT(SampleAt(11, *sampler),
              ElementsAre(Pair("network/received_mb_s", 4), Pair("network/sent_mb_s", 2)));
}

class PowerSamplerTest : public ::testing::Test {
 protected:
  void WriteZone(const std::string& zone, const std::string& name, const std::string& energy_uj) {
    sys_.Write("class/powercap/" + zone + "/name", name + "\n");
    sys_.Write("class/powercap/" + zone + "/energy_uj", energy_uj + "\n");
    sys_.Write("class/powercap/" + zone + "/max_energy_range_uj", "262143328850\n");
  }
  FakeTree sys_;
};

TEST_F(PowerSamplerTest, AddsUpPackagesAndKeepsTheirPartsOut) {
  WriteZone("intel-rapl:0", "package-0", "1000000");
  WriteZone("intel-rapl:0:0", "core", "1000000");
  WriteZone("intel-rapl:0:1", "dram", "0");
  WriteZone("intel-rapl:1", "package-1", "0");
  WriteZone("intel-rapl-mmio:0", "package-0", "0");
  sys_.Write("class/powercap/intel-rapl/enabled", "1");
  const auto sampler = MakePowerSampler(sys_.root());
  EXPECT_THAT(SampleAt(0, *sampler), IsEmpty());
  WriteZone("intel-rapl:0", "package-0", "21000000");
  WriteZone("intel-rapl:0:0", "core", "9000000");
  WriteZone("intel-rapl:0:1", "dram", "3000000");
  WriteZone("intel-rapl:1", "package-1", "10000000");
  WriteZone("intel-rapl-mmio:0", "package-0", "20000000");
  EXPECT_THAT(SampleAt(2, *sampler),
              ElementsAre(Pair("power/dram_w", 1.5), Pair("power/package_w", 15)));
}

TEST_F(PowerSamplerTest, GoesOnWhenTheCounterStartsAgain) {
  WriteZone("intel-rapl:0", "package-0", "262143000000");
  const auto sampler = MakePowerSampler(sys_.root());
  SampleAt(0, *sampler);
  WriteZone("intel-rapl:0", "package-0", "671150");
  EXPECT_THAT(SampleAt(1, *sampler), ElementsAre(Pair("power/package_w", DoubleNear(1, 1e-9))));
}

TEST_F(PowerSamplerTest, HasNothingToSayAboutACounterItMayNotRead) {
  WriteZone("intel-rapl:0", "package-0", "Permission denied");
  const auto sampler = MakePowerSampler(sys_.root());
  SampleAt(0, *sampler);
  EXPECT_THAT(SampleAt(1, *sampler), IsEmpty());
}

TEST(TemperatureSampler, NamesSensorsByTheirTypeAndSkipsAbsurdValues) {
  FakeTree sys;
  sys.Write("class/thermal/thermal_zone0/type", "x86_pkg_temp\n");
  sys.Write("class/thermal/thermal_zone0/temp", "54500\n");
  sys.Write("class/thermal/thermal_zone1/type", "acpitz\n");
  sys.Write("class/thermal/thermal_zone1/temp", "27000\n");
  sys.Write("class/thermal/thermal_zone2/type", "acpitz\n");
  sys.Write("class/thermal/thermal_zone2/temp", "-274000\n");
  sys.Write("class/thermal/thermal_zone3/type", "acpitz\n");
  sys.Write("class/thermal/thermal_zone3/temp", "30000\n");
  sys.Write("class/thermal/cooling_device0/type", "Processor\n");
  EXPECT_THAT(SampleAt(0, *MakeTemperatureSampler(sys.root())),
              ElementsAre(Pair("temperature/acpitz_3_c", 30), Pair("temperature/acpitz_c", 27),
                          Pair("temperature/x86_pkg_temp_c", 54.5)));
}

TEST(TemperatureSampler, AsksHwmonWhereThereAreNoThermalZones) {
  FakeTree sys;
  sys.Write("class/hwmon/hwmon0/name", "k10temp\n");
  sys.Write("class/hwmon/hwmon0/temp1_input", "41000\n");
  sys.Write("class/hwmon/hwmon0/temp1_max", "90000\n");
  EXPECT_THAT(SampleAt(0, *MakeTemperatureSampler(sys.root())),
              ElementsAre(Pair("temperature/k10temp_c", 41)));
}

TEST(Samplers, HaveNothingToSayAboutGarbage) {
  for (const std::string& garbage : kGarbage) {
    FakeTree tree;
    for (const char* path : {"stat", "meminfo", "diskstats", "net/dev", "7/stat",
                             "class/powercap/z/name", "class/powercap/z/energy_uj",
                             "class/thermal/thermal_zone0/type", "class/thermal/thermal_zone0/temp",
                             "class/hwmon/hwmon0/name", "class/hwmon/hwmon0/temp1_input"}) {
      tree.Write(path, garbage);
    }
    std::vector<std::unique_ptr<Sampler>> samplers;
    samplers.push_back(MakeCpuSampler(tree.root()));
    samplers.push_back(MakeMemorySampler(tree.root()));
    samplers.push_back(MakeProcessSampler(tree.root(), 7));
    samplers.push_back(MakeDiskSampler(tree.root()));
    samplers.push_back(MakeNetworkSampler(tree.root()));
    samplers.push_back(MakePowerSampler(tree.root()));
    samplers.push_back(MakeTemperatureSampler(tree.root()));
    for (const auto& sampler : samplers) {
      EXPECT_THAT(SampleAt(0, *sampler), IsEmpty()) << garbage;
      EXPECT_THAT(SampleAt(1, *sampler), IsEmpty()) << garbage;
    }
  }
}

TEST(Samplers, HaveNothingToSayWhereTheKernelOffersNothing) {
  TempDir empty;
  EXPECT_THAT(SampleAt(0, *MakeCpuSampler(empty.path())), IsEmpty());
  EXPECT_THAT(SampleAt(0, *MakeMemorySampler(empty / "missing")), IsEmpty());
  EXPECT_THAT(SampleAt(0, *MakePowerSampler(empty.path())), IsEmpty());
  EXPECT_THAT(SampleAt(0, *MakeTemperatureSampler(empty.path())), IsEmpty());
}

TEST(ProcessSampler, SeesThisVeryProcess) {
  EXPECT_GT(SampleAt(0, *MakeProcessSampler("/proc", ::getpid()))["memory/process_rss_mb"], 0);
}

}  // namespace
}  // namespace cboard::profile
