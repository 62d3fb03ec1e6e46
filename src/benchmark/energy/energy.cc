#include <algorithm>
#include <chrono>
#include <thread>

#include "benchmark/latency/run_clock.h"
#include "cboard/benchmark/resources.h"
#include "cboard/profile/energy_counter.h"
#include "cboard/profile/gpu_reader.h"

namespace cboard::benchmark {
namespace {

// Interval between two readings. On large machines, counters wrap around within minutes.
constexpr double kReadSeconds = 0.1;

}  // namespace

Result<EnergyMeasurement> MeasureEnergy(const std::function<Result<void>()>& run,
                                        const EnergyOptions& options) {
  EnergyMeasurement measured;
  profile::EnergyCounter counter(options.sys);
  measured.why_not = counter.why_not();
  std::optional<profile::GpuReader> gpu;
  if (options.reads_gpu) gpu.emplace(options.nvml_library);
  const bool has_gpu = gpu && gpu->is_available();
  if (!measured.why_not.empty() && !has_gpu) return measured;

  const auto is_stopped = [&] { return options.stop_requested && options.stop_requested(); };
  const double idle_start = WallSeconds();
  const double joules_before_idle = counter.Joules().value_or(0);
  while (WallSeconds() - idle_start < options.idle_seconds && !is_stopped()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::optional<double> joules_idle = counter.Joules();
  const double start = WallSeconds();
  const double idle_watts =
      joules_idle ? (*joules_idle - joules_before_idle) / (start - idle_start) : 0;

  std::size_t runs = 0;
  std::optional<double> joules = joules_idle;
  double gpu_watts = 0, gpu_memory_mb = 0;
  std::size_t gpu_readings = 0;
  double next_read = start + kReadSeconds;
  double now = start;
  do {
    CBOARD_RETURN_IF_ERROR(run());
    ++runs;
    now = WallSeconds();
    if (now < next_read) continue;
    next_read = now + kReadSeconds;
    counter.Joules();
    if (!has_gpu) continue;
    const profile::GpuReading reading = gpu->Read();
    if (!reading.power_w) continue;
    gpu_watts += *reading.power_w;
    gpu_memory_mb = std::max(gpu_memory_mb, reading.memory_used_mb.value_or(0));
    ++gpu_readings;
  } while (now - start < options.run_seconds && !is_stopped());
  joules = counter.Joules();
  const double seconds = WallSeconds() - start;
  if (joules && joules_idle) {
    const double above_idle = std::max(0.0, *joules - *joules_idle - idle_watts * seconds);
    measured.cpu = EnergyUse{.idle_watts = idle_watts,
                             .millijoules_per_run = 1e3 * above_idle / static_cast<double>(runs),
                             .milliwatts = 1e3 * above_idle / seconds,
                             .run_count = runs,
                             .source = "powercap " + counter.source()};
  } else if (measured.why_not.empty()) {
    measured.why_not = "an energy counter was reset during the measurement; run again";
  }
  if (gpu_readings > 0) {
    measured.gpu = GpuUse{.milliwatts = 1e3 * gpu_watts / static_cast<double>(gpu_readings),
                          .memory_mb = gpu_memory_mb};
  }
  return measured;
}

}  // namespace cboard::benchmark
