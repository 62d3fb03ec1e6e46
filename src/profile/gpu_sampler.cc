#include <dlfcn.h>

#include <algorithm>
#include <array>

#include "profile/kernel_text.h"
#include "profile/nvml_abi.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

constexpr unsigned kMaxGpus = 64;

// NVIDIA's management library (NVML). It is loaded at run time if it is installed, so that no
// program depends on it.
class Nvml {
 public:
  static std::unique_ptr<Nvml> Load(const std::string& library) {
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return nullptr;
    std::unique_ptr<Nvml> nvml(new Nvml(handle));
    return nvml->Initialize() ? std::move(nvml) : nullptr;
  }

  ~Nvml() {
    if (initialized_ && shutdown_ != nullptr) shutdown_();
    ::dlclose(handle_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // Returns one handle per device. The handle of a device that cannot be read is null.
  const std::vector<nvml::Device*>& devices() const { return devices_; }

  std::optional<std::string> Name(nvml::Device* device) const {
    std::array<char, 96> name = {};
    if (!Ask(name_, device, name.data(), static_cast<unsigned>(name.size() - 1))) {
      return std::nullopt;
    }
    return std::string(name.data());
  }
  std::optional<double> UtilizationPercent(nvml::Device* device) const {
    nvml::Utilization utilization;
    if (!Ask(utilization_, device, &utilization)) return std::nullopt;
    return utilization.gpu;
  }
  std::optional<double> MemoryUsedMb(nvml::Device* device) const {
    nvml::Memory memory;
    if (!Ask(memory_, device, &memory)) return std::nullopt;
    return static_cast<double>(memory.used) / kBytesPerMb;
  }
  std::optional<double> PowerWatts(nvml::Device* device) const {
    unsigned milliwatts = 0;
    if (!Ask(power_, device, &milliwatts)) return std::nullopt;
    return milliwatts / 1000.0;
  }
  std::optional<double> TemperatureCelsius(nvml::Device* device) const {
    unsigned degrees = 0;
    if (!Ask(temperature_, device, nvml::kSensorGpu, &degrees)) return std::nullopt;
    return degrees;
  }

 private:
  explicit Nvml(void* handle) : handle_(handle) {
    Bind(init_, "nvmlInit_v2");
    Bind(shutdown_, "nvmlShutdown");
    Bind(count_, "nvmlDeviceGetCount_v2");
    Bind(by_index_, "nvmlDeviceGetHandleByIndex_v2");
    Bind(name_, "nvmlDeviceGetName");
    Bind(utilization_, "nvmlDeviceGetUtilizationRates");
    Bind(memory_, "nvmlDeviceGetMemoryInfo");
    Bind(power_, "nvmlDeviceGetPowerUsage");
    Bind(temperature_, "nvmlDeviceGetTemperature");
  }

  template <typename Function>
  void Bind(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(::dlsym(handle_, name));
  }

  // Calls a function of the driver. Returns false if this driver does not have the function, or if
  // the call fails.
  template <typename Function, typename... Arguments>
  static bool Ask(Function* function, nvml::Device* device, Arguments... arguments) {
    return function != nullptr && function(device, arguments...) == nvml::kSuccess;
  }

  bool Initialize() {
    if (init_ == nullptr || count_ == nullptr || by_index_ == nullptr) return false;
    if (init_() != nvml::kSuccess) return false;
    initialized_ = true;
    unsigned count = 0;
    if (count_(&count) != nvml::kSuccess) return false;
    for (unsigned i = 0; i < std::min(count, kMaxGpus); ++i) {
      nvml::Device* device = nullptr;
      devices_.push_back(by_index_(i, &device) == nvml::kSuccess ? device : nullptr);
    }
    return !devices_.empty();
  }

  void* handle_;
  bool initialized_ = false;
  std::vector<nvml::Device*> devices_;
  nvml::Init* init_ = nullptr;
  nvml::Shutdown* shutdown_ = nullptr;
  nvml::GetCount* count_ = nullptr;
  nvml::GetHandleByIndex* by_index_ = nullptr;
  nvml::GetName* name_ = nullptr;
  nvml::GetUtilizationRates* utilization_ = nullptr;
  nvml::GetMemoryInfo* memory_ = nullptr;
  nvml::GetPowerUsage* power_ = nullptr;
  nvml::GetTemperature* temperature_ = nullptr;
};

class GpuSampler final : public Sampler {
 public:
  explicit GpuSampler(std::unique_ptr<Nvml> nvml) : nvml_(std::move(nvml)) {}

  void Sample(double, std::vector<Reading>& readings) override {
    for (std::size_t i = 0; i < nvml_->devices().size(); ++i) {
      nvml::Device* device = nvml_->devices()[i];
      if (device == nullptr) continue;
      const auto add = [&](const char* name, std::optional<double> value) {
        if (value) readings.push_back({"gpu_" + std::to_string(i) + "/" + name, *value});
      };
      add("utilization_percent", nvml_->UtilizationPercent(device));
      add("memory_used_mb", nvml_->MemoryUsedMb(device));
      add("power_w", nvml_->PowerWatts(device));
      add("temperature_c", nvml_->TemperatureCelsius(device));
    }
  }

  std::vector<std::string> DeviceNames() const override {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < nvml_->devices().size(); ++i) {
      nvml::Device* device = nvml_->devices()[i];
      const std::optional<std::string> name =
          device == nullptr ? std::nullopt : nvml_->Name(device);
      if (name) names.push_back("gpu_" + std::to_string(i) + ": " + *name);
    }
    return names;
  }

 private:
  std::unique_ptr<Nvml> nvml_;
};

}  // namespace

std::unique_ptr<Sampler> MakeGpuSampler(const std::string& library) {
  std::unique_ptr<Nvml> nvml = Nvml::Load(library);
  return nvml == nullptr ? nullptr : std::make_unique<GpuSampler>(std::move(nvml));
}

}  // namespace cboard::profile
