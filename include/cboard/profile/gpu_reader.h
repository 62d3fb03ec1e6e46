// Reads power and memory of the GPUs from NVIDIA's management library, if it is installed.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace cboard::profile {

// Power and memory of all GPUs together. nullopt for a value that the driver does not report.
struct GpuReading {
  std::optional<double> power_w;
  std::optional<double> memory_used_mb;
};

// Reads the state of the GPUs. This class is not thread-safe.
class GpuReader {
 public:
  explicit GpuReader(const std::string& nvml_library = "libnvidia-ml.so.1");
  ~GpuReader();
  GpuReader(GpuReader&&) noexcept;
  GpuReader& operator=(GpuReader&&) noexcept;

  bool is_available() const { return sampler_ != nullptr; }
  GpuReading Read();

 private:
  struct Sampler;
  std::unique_ptr<Sampler> sampler_;
};

}  // namespace cboard::profile
