// Measures the memory and the energy of a variant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/benchmark/variant.h"

namespace cboard::benchmark {

struct MemoryUse {
  std::uint64_t peak_bytes = 0;         // The largest resident size of the process.
  std::uint64_t before_load_bytes = 0;  // Its resident size before the model was loaded.
  std::uint64_t arena_peak_bytes = 0;   // ONNX Runtime's allocator; 0 before version 1.23.
};

// Measures memory in this process: loads the model, runs it a few times, and reads the kernel's
// counters. The process should do nothing else.
Result<MemoryUse> MeasureOwnMemory(const std::filesystem::path& model, const RunOptions& options);

// Converts the memory measurement to JSON, "{"peak_bytes":…}", and back. The parser fails with
// kDataLoss for other text.
std::string ToJson(const MemoryUse& memory);
Result<MemoryUse> ParseMemoryUse(std::string text);

// Measures memory in a separate process: runs `program benchmark --measure-memory`. If that fails,
// the error contains the output of the process.
Result<MemoryUse> MeasureMemory(const std::filesystem::path& program,
                                const std::filesystem::path& model, const RunOptions& options);

struct EnergyUse {
  double idle_watts = 0;           // Before the runs.
  double millijoules_per_run = 0;  // Above idle.
  double milliwatts = 0;           // Mean power of the runs above idle.
  std::size_t run_count = 0;
  std::string source;  // "powercap package, dram"
};

struct GpuUse {
  double milliwatts = 0;  // Mean power while it runs, idle power included.
  double memory_mb = 0;   // Memory in use at the end, by all programs.
};

struct EnergyOptions {
  std::filesystem::path sys = "/sys";
  std::string nvml_library = "libnvidia-ml.so.1";
  bool reads_gpu = false;
  double idle_seconds = 1;
  double run_seconds = 2;
  std::function<bool()> stop_requested;
};

struct EnergyMeasurement {
  std::optional<EnergyUse> cpu;
  std::optional<GpuUse> gpu;
  std::string why_not;  // Why `cpu` is missing: "this machine has no /sys/class/powercap".
};

// Measures energy: calls `run` repeatedly and reads the energy counters before and after.
Result<EnergyMeasurement> MeasureEnergy(const std::function<Result<void>()>& run,
                                        const EnergyOptions& options);

}  // namespace cboard::benchmark
