#include "cboard/profile/gpu_reader.h"

#include "profile/sampler.h"

namespace cboard::profile {

struct GpuReader::Sampler {
  std::unique_ptr<profile::Sampler> sampler;
};

GpuReader::GpuReader(const std::string& nvml_library) {
  auto sampler = MakeGpuSampler(nvml_library);
  if (sampler != nullptr) sampler_ = std::make_unique<Sampler>(Sampler{std::move(sampler)});
}
GpuReader::~GpuReader() = default;
GpuReader::GpuReader(GpuReader&&) noexcept = default;
GpuReader& GpuReader::operator=(GpuReader&&) noexcept = default;

GpuReading GpuReader::Read() {
  GpuReading sum;
  if (!is_available()) return sum;
  std::vector<Reading> readings;
  sampler_->sampler->Sample(0, readings);
  for (const Reading& reading : readings) {
    if (reading.name.ends_with("/power_w")) sum.power_w = sum.power_w.value_or(0) + reading.value;
    if (reading.name.ends_with("/memory_used_mb")) {
      sum.memory_used_mb = sum.memory_used_mb.value_or(0) + reading.value;
    }
  }
  return sum;
}

}  // namespace cboard::profile
