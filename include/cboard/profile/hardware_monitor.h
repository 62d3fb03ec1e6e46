// Logs the state of the hardware while a program trains, compresses or measures a model.
//
//   SummaryWriter writer("runs/edge");
//   HardwareMonitor monitor(writer);
//   monitor.Start();
//   Train();
//   HardwareSummary summary = monitor.Stop();
//
// Scalars, one point per sample, the step being the number of the sample (mb = 2^20 bytes):
//
//   hardware/cpu/percent                       all cores together, 0…100
//   hardware/cpu/core_<i>_percent
//   hardware/process/cpu_percent               the process and its children; 100 = one core
//   hardware/process/count
//   hardware/memory/system_used_mb, system_available_mb, swap_used_mb
//   hardware/memory/process_rss_mb             the process and its children
//   hardware/disk/read_mb_s, write_mb_s        whole disks
//   hardware/network/received_mb_s, sent_mb_s  without loopback and container bridges
//   hardware/power/package_w, dram_w, platform_w
//   hardware/temperature/<sensor>_c
//   hardware/gpu_<i>/utilization_percent, memory_used_mb, power_w, temperature_c
//
// Stop() adds hardware/summary/<name>_{mean,max,p95} for each scalar except single cores, and
// hardware/summary/<name without _w>_energy_j for powers. A program may log the text hardware/phase
// ("calibrate", "evaluate") when a new phase starts; the page then shows the curves by phase.
// Values that the machine does not offer (power without permission, a GPU) are omitted, never
// logged as zero. The names of GPUs are the text hardware/devices.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::profile {

struct HardwareMonitorOptions {
  double interval_seconds = 1;  // Limited to 0.01…3600.
  int pid = 0;                  // Process to log, with its children; 0: this process.
  std::string tag_prefix = "hardware";

  // Directories of the kernel, and a library of the GPU driver. Tests use their own.
  std::filesystem::path proc_root = "/proc";
  std::filesystem::path sys_root = "/sys";
  std::string nvml_library = "libnvidia-ml.so.1";
};

// Summary of one metric over the whole time. The name has no "hardware/" at the start:
// "cpu/percent".
struct MetricSummary {
  std::string name;
  std::size_t sample_count = 0;
  double mean = 0;
  double max = 0;
  double p95 = 0;  // Exact up to 4,096 samples; then from every 2nd, 4th, … sample.
  std::optional<double> energy_j;  // Powers only.
};

struct HardwareSummary {
  double duration_seconds = 0;
  std::size_t sample_count = 0;
  std::vector<MetricSummary> metrics;  // In the order of their names.

  // Returns the summary of a metric, or null if the machine did not report this metric.
  const MetricSummary* Find(std::string_view name) const;
};

// Samples the hardware in a separate thread. It never throws. A sample that cannot be written is
// dropped without an error. Start and Stop must be called from the same thread.
class HardwareMonitor {
 public:
  // Creates a monitor that logs to `writer`, which must outlive it.
  explicit HardwareMonitor(SummaryWriter& writer, HardwareMonitorOptions options = {});
  ~HardwareMonitor();  // Stops.
  HardwareMonitor(const HardwareMonitor&) = delete;
  HardwareMonitor& operator=(const HardwareMonitor&) = delete;

  // Takes the first sample and starts the thread. Rates need two samples, so their series begin at
  // step 1. Fails with kFailedPrecondition if the monitor is already started, and with
  // kResourceExhausted if no thread can be created. A stopped monitor may be started again; its
  // step numbers continue.
  Result<void> Start();

  // Takes a last sample, writes the summary and returns it. A second call only returns the same
  // summary.
  HardwareSummary Stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cboard::profile

namespace cboard {
using profile::HardwareMonitor;
}  // namespace cboard
