// A fake of NVIDIA's management library with two devices, for the tests of gpu_sampler.cc. The
// second device reports only its utilization. With BARE_DRIVER, most functions do not exist.
#include <cstring>

#include "profile/nvml_abi.h"

namespace nvml = cboard::profile::nvml;

namespace {
constexpr nvml::Return kNotSupported = 3;
constexpr nvml::Return kUninitialized = 1;

bool initialized = false;

int storage[2];
nvml::Device* DeviceAt(unsigned index) { return reinterpret_cast<nvml::Device*>(&storage[index]); }
}  // namespace

extern "C" {

nvml::Return nvmlInit_v2() {
  initialized = true;
  return nvml::kSuccess;
}

nvml::Return nvmlDeviceGetCount_v2(unsigned* count) {
  if (!initialized) return kUninitialized;
  *count = 2;
  return nvml::kSuccess;
}

nvml::Return nvmlDeviceGetHandleByIndex_v2(unsigned index, nvml::Device** device) {
  if (index > 1) return kNotSupported;
  *device = DeviceAt(index);
  return nvml::kSuccess;
}

nvml::Return nvmlDeviceGetUtilizationRates(nvml::Device* device, nvml::Utilization* utilization) {
  utilization->gpu = device == DeviceAt(0) ? 87 : 3;
  utilization->memory = 40;
  return nvml::kSuccess;
}

#ifndef BARE_DRIVER
nvml::Return nvmlShutdown() {
  initialized = false;
  return nvml::kSuccess;
}

nvml::Return nvmlDeviceGetName(nvml::Device* device, char* name, unsigned size) {
  if (device != DeviceAt(0)) return kNotSupported;
  std::strncpy(name, "Fake A100", size);
  return nvml::kSuccess;
}

nvml::Return nvmlDeviceGetMemoryInfo(nvml::Device* device, nvml::Memory* memory) {
  if (device != DeviceAt(0)) return kNotSupported;
  memory->total = 40ull << 30;
  memory->used = 5ull << 30;
  memory->free = memory->total - memory->used;
  return nvml::kSuccess;
}

nvml::Return nvmlDeviceGetPowerUsage(nvml::Device* device, unsigned* milliwatts) {
  if (device != DeviceAt(0)) return kNotSupported;
  *milliwatts = 250'500;
  return nvml::kSuccess;
}

nvml::Return nvmlDeviceGetTemperature(nvml::Device* device, int sensor, unsigned* degrees) {
  if (device != DeviceAt(0) || sensor != nvml::kSensorGpu) return kNotSupported;
  *degrees = 61;
  return nvml::kSuccess;
}
#endif

}  // extern "C"
