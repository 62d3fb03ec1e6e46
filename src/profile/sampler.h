// The samplers of a hardware monitor. There is one per data source, and each is called once per
// interval.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cboard::profile {

struct Reading {
  std::string name;  // Without the tag prefix: "cpu/percent".
  double value = 0;
};

// Reads files of the kernel or calls functions of a driver. If a source is missing, not permitted
// or invalid, it gives no reading. Only one thread calls a sampler.
class Sampler {
 public:
  virtual ~Sampler() = default;

  // Appends the values that can be read now. `now_seconds` is a monotonic time. A rate is a mean
  // since the last call, so the first call returns no rates.
  virtual void Sample(double now_seconds, std::vector<Reading>& readings) = 0;

  // Returns the names of the devices: "gpu_0: NVIDIA A100-SXM4-40GB".
  virtual std::vector<std::string> DeviceNames() const { return {}; }
};

// Samples the busy time of all cores together and of each core, from <proc>/stat.
std::unique_ptr<Sampler> MakeCpuSampler(std::filesystem::path proc);

// Samples memory use, from <proc>/meminfo.
std::unique_ptr<Sampler> MakeMemorySampler(std::filesystem::path proc);

// Samples a process and all its descendants, from <proc>/<pid>/stat.
std::unique_ptr<Sampler> MakeProcessSampler(std::filesystem::path proc, int pid);

// Samples disk traffic, from <proc>/diskstats.
std::unique_ptr<Sampler> MakeDiskSampler(std::filesystem::path proc);

// Samples network traffic, from <proc>/net/dev.
std::unique_ptr<Sampler> MakeNetworkSampler(std::filesystem::path proc);

// Samples power, from the energy counters of packages, memory and platform in <sys>/class/powercap.
std::unique_ptr<Sampler> MakePowerSampler(std::filesystem::path sys);

// Samples temperatures, from <sys>/class/thermal. If there are no thermal zones, uses
// <sys>/class/hwmon.
std::unique_ptr<Sampler> MakeTemperatureSampler(std::filesystem::path sys);

// Samples GPUs through NVIDIA's management library. Returns null if `library` cannot be loaded.
std::unique_ptr<Sampler> MakeGpuSampler(const std::string& library);

}  // namespace cboard::profile
