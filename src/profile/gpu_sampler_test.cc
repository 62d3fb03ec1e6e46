#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cboard/profile/gpu_reader.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

std::map<std::string, double> SampleOnce(Sampler& sampler) {
  std::vector<Reading> readings;
  sampler.Sample(0, readings);
  std::map<std::string, double> by_name;
  for (const Reading& reading : readings) by_name[reading.name] = reading.value;
  return by_name;
}

TEST(GpuSampler, QueriesOnlySupportedCountersOfEachDevice) {
  const auto sampler = MakeGpuSampler(FAKE_NVML);
  ASSERT_NE(sampler, nullptr);
  EXPECT_THAT(SampleOnce(*sampler),
              ElementsAre(Pair("gpu_0/memory_used_mb", 5120), Pair("gpu_0/power_w", 250.5),
                          Pair("gpu_0/temperature_c", 61), Pair("gpu_0/utilization_percent", 87),
                          Pair("gpu_1/utilization_percent", 3)));
  EXPECT_THAT(sampler->DeviceNames(), ElementsAre("gpu_0: Fake A100"));
}

TEST(GpuSampler, WorksWithADriverThatLacksFunctions) {
  const auto sampler = MakeGpuSampler(BARE_NVML);
  ASSERT_NE(sampler, nullptr);
  EXPECT_THAT(SampleOnce(*sampler), ElementsAre(Pair("gpu_0/utilization_percent", 87),
                                                Pair("gpu_1/utilization_percent", 3)));
  EXPECT_THAT(sampler->DeviceNames(), IsEmpty());
}

TEST(GpuSampler, IsNotThereWithoutTheLibrary) {
  EXPECT_EQ(MakeGpuSampler("libcertainly-not-installed.so.1"), nullptr);
}

TEST(GpuSampler, RefusesALibraryThatIsNoDriver) { EXPECT_EQ(MakeGpuSampler("libc.so.6"), nullptr); }

TEST(GpuReader, AddsTheValuesThatDevicesOffer) {
  GpuReader reader(FAKE_NVML);
  ASSERT_TRUE(reader.is_available());
  EXPECT_EQ(reader.Read().power_w, 250.5);
  EXPECT_EQ(reader.Read().memory_used_mb, 5120);
  EXPECT_EQ(GpuReader(BARE_NVML).Read().power_w, std::nullopt);
  EXPECT_FALSE(GpuReader("libcertainly-not-installed.so.1").is_available());
}

}  // namespace
}  // namespace cboard::profile
