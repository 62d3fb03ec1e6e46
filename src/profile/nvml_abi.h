// Declarations of the few functions of NVIDIA's management library (NVML) that this program calls.
// They follow its documented C ABI, so the build needs neither the header nor the library.
#pragma once

namespace cboard::profile::nvml {

struct Device;  // nvmlDevice_st, opaque.

using Return = int;  // nvmlReturn_t, an enum.
inline constexpr Return kSuccess = 0;
inline constexpr int kSensorGpu = 0;  // NVML_TEMPERATURE_GPU.

struct Utilization {  // Percentage of the time since the driver's last sample.
  unsigned gpu = 0;
  unsigned memory = 0;
};

struct Memory {  // Bytes.
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};

using Init = Return();
using Shutdown = Return();
using GetCount = Return(unsigned* count);
using GetHandleByIndex = Return(unsigned index, Device** device);
using GetName = Return(Device* device, char* name, unsigned size);
using GetUtilizationRates = Return(Device* device, Utilization* utilization);
using GetMemoryInfo = Return(Device* device, Memory* memory);
using GetPowerUsage = Return(Device* device, unsigned* milliwatts);
using GetTemperature = Return(Device* device, int sensor, unsigned* degrees);

}  // namespace cboard::profile::nvml
