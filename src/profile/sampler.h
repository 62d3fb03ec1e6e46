// Samplers of a hardware monitor, called once per interval: one per source of numbers.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace cboard::profile {

struct Reading {
  std::string name;  // Without the prefix: "cpu/percent".
  double value = 0;
};

// Reads files of the kernel or a driver that may be missing, forbidden or nonsense: then there is
// no reading. Called by one thread.
class Sampler {
 public:
  virtual ~Sampler() = default;

  // Appends what can be read now. `now_seconds` is a monotonic time. Rates are means since the
  // last call, so the first call appends none.
  virtual void Sample(double now_seconds, std::vector<Reading>& readings) = 0;

  // Names of the devices: "gpu_0: NVIDIA A100-SXM4-40GB".
  virtual std::vector<std::string> DeviceNames() const { return {}; }
};

// From <proc>/stat: busy time of all cores and of each.
std::unique_ptr<Sampler> MakeCpuSampler(std::filesystem::path proc);

// From <proc>/meminfo.
std::unique_ptr<Sampler> MakeMemorySampler(std::filesystem::path proc);

// From <proc>/<pid>/stat of the process and everything it started.
std::unique_ptr<Sampler> MakeProcessSampler(std::filesystem::path proc, int pid);

// From <proc>/diskstats.
std::unique_ptr<Sampler> MakeDiskSampler(std::filesystem::path proc);

// From <proc>/net/dev.
std::unique_ptr<Sampler> MakeNetworkSampler(std::filesystem::path proc);

// From <sys>/class/powercap: energy counters of packages, memory and platform.
std::unique_ptr<Sampler> MakePowerSampler(std::filesystem::path sys);

// From <sys>/class/thermal, or <sys>/class/hwmon where there are no thermal zones.
std::unique_ptr<Sampler> MakeTemperatureSampler(std::filesystem::path sys);

// From NVIDIA's management library, if `library` can be loaded; null otherwise.
std::unique_ptr<Sampler> MakeGpuSampler(const std::string& library);

}  // namespace cboard::profile
