#include "cboard/profile/energy_counter.h"

#include <gmock/gmock.h>

#include <fstream>

#include "testing/temp_dir.h"

namespace cboard::profile {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Optional;

class EnergyCounterTest : public ::testing::Test {
 protected:
  void Zone(const std::string& folder, const std::string& name, std::uint64_t energy_uj,
            std::uint64_t max_uj = 262'143'328'850) {
    const auto directory = sys_ / "class/powercap" / folder;
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "name") << name << '\n';
    std::ofstream(directory / "max_energy_range_uj") << max_uj << '\n';
    std::ofstream(directory / "energy_uj") << energy_uj << '\n';
  }

  testing::TempDir sys_;
};

TEST_F(EnergyCounterTest, AddsPackagesAndMemoryButNotTheirParts) {
  Zone("intel-rapl:0", "package-0", 1'000'000);
  Zone("intel-rapl:0:0", "core", 500'000);
  Zone("intel-rapl:0:1", "dram", 0);
  Zone("intel-rapl:1", "psys", 0);
  EnergyCounter counter(sys_.path());
  EXPECT_EQ(counter.source(), "package-0, dram");
  EXPECT_THAT(counter.Joules(), Optional(0.0));
  Zone("intel-rapl:0", "package-0", 3'000'000);
  Zone("intel-rapl:0:0", "core", 900'000);
  Zone("intel-rapl:0:1", "dram", 250'000);
  Zone("intel-rapl:1", "psys", 9'000'000);
  EXPECT_THAT(counter.Joules(), Optional(DoubleNear(2.25, 1e-9)));
}

TEST_F(EnergyCounterTest, GoesOnWhenACounterStartsAgain) {
  Zone("intel-rapl:0", "package-0", 9'000'000, 10'000'000);
  EnergyCounter counter(sys_.path());
  Zone("intel-rapl:0", "package-0", 500'000, 10'000'000);
  EXPECT_THAT(counter.Joules(), Optional(DoubleNear(1.5, 1e-9)));
}

TEST_F(EnergyCounterTest, SaysWhyThereIsNothing) {
  EnergyCounter none(sys_.path());
  EXPECT_EQ(none.Joules(), std::nullopt);
  EXPECT_THAT(none.why_not(), HasSubstr("no energy counters"));
  Zone("intel-rapl:0", "package-0", 1);
  std::filesystem::remove(sys_ / "class/powercap/intel-rapl:0/energy_uj");
  EnergyCounter secret(sys_.path());
  EXPECT_EQ(secret.Joules(), std::nullopt);
  EXPECT_THAT(secret.why_not(), HasSubstr("run as root"));
}

TEST_F(EnergyCounterTest, AResetCounterGivesNothingRatherThanAWrongSum) {
  Zone("intel-rapl:0", "package-0", 9'000'000, 0);
  EnergyCounter counter(sys_.path());
  Zone("intel-rapl:0", "package-0", 1, 0);
  EXPECT_EQ(counter.Joules(), std::nullopt);
  EXPECT_EQ(counter.Joules(), std::nullopt);
}

}  // namespace
}  // namespace cboard::profile
