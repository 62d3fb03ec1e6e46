#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "benchmark/machine/cpu_ticks.h"
#include "benchmark/machine/kernel_files.h"
#include "cboard/benchmark/machine.h"

namespace cboard::benchmark {
namespace {

// Disturbances up to these limits are not reported: shares of CPU time, and relative change of the
// frequency.
constexpr double kMaxOtherShare = 0.05;
constexpr double kMaxStolenShare = 0.01;
constexpr double kMaxFrequencyChange = 0.1;

std::string Percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * share))) + " %";
}

std::filesystem::path CpuFolder(const MachineRoots& roots, int cpu) {
  return roots.sys / "devices/system/cpu" / ("cpu" + std::to_string(cpu));
}

// Returns the CPU time of this process in the ticks of /proc/stat.
std::uint64_t OwnTicks() {
  rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  const auto ticks_per_second = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return static_cast<std::uint64_t>((seconds(usage.ru_utime) + seconds(usage.ru_stime)) *
                                    ticks_per_second);
}

}  // namespace

MachineWatch::MachineWatch(MachineRoots roots, std::vector<int> cpus)
    : roots_(std::move(roots)), cpus_(std::move(cpus)) {
  begin_ = Read();
}

MachineWatch::State MachineWatch::Read() const {
  State state;
  for (const auto& [cpu, times] : ReadCpuTimes(roots_.proc)) {
    if (!cpus_.empty() && std::ranges::find(cpus_, cpu) == cpus_.end()) continue;
    state.watched.busy += times.busy;
    state.watched.stolen += times.stolen;
    state.watched.total += times.total;
    const std::filesystem::path folder = CpuFolder(roots_, cpu);
    std::optional<std::uint64_t> throttles;
    for (const char* name : {"core_throttle_count", "package_throttle_count"}) {
      const auto count = NumberInFile(folder / "thermal_throttle" / name);
      if (count) throttles = throttles.value_or(0) + *count;
    }
    if (throttles) state.throttles[cpu] = *throttles;
    const auto frequency = NumberInFile(folder / "cpufreq/scaling_cur_freq");
    if (frequency) state.frequencies_khz[cpu] = static_cast<double>(*frequency);
  }
  state.own_ticks = OwnTicks();
  return state;
}

std::vector<std::string> MachineWatch::Disturbances() const {
  const State end = Read();
  std::vector<std::string> found;
  const double total =
      static_cast<double>(end.watched.total) - static_cast<double>(begin_.watched.total);
  if (total > 0) {
    // The kernel counts ticks by sampling, so each of the two numbers may be wrong by one tick.
    const double others = static_cast<double>(end.watched.busy - begin_.watched.busy) -
                          static_cast<double>(end.own_ticks - begin_.own_ticks) - 2;
    if (others / total > kMaxOtherShare) {
      found.push_back("other programs used " + Percent(others / total) +
                      " of the CPU time where the benchmark ran; end them and run again");
    }
    const double stolen = static_cast<double>(end.watched.stolen - begin_.watched.stolen);
    if (stolen / total > kMaxStolenShare) {
      found.push_back("the hypervisor gave " + Percent(stolen / total) +
                      " of the CPU time to other virtual machines (steal)");
    }
  }
  for (const auto& [cpu, count] : end.throttles) {
    const auto before = begin_.throttles.find(cpu);
    if (before == begin_.throttles.end() || count <= before->second) continue;
    found.push_back("CPU " + std::to_string(cpu) + " was too hot and was throttled " +
                    std::to_string(count - before->second) + " times; cool it or pause longer");
  }
  for (const auto& [cpu, khz] : end.frequencies_khz) {
    const auto before = begin_.frequencies_khz.find(cpu);
    if (before == begin_.frequencies_khz.end() || before->second <= 0) continue;
    if (std::abs(khz / before->second - 1) <= kMaxFrequencyChange) continue;
    found.push_back("the frequency of CPU " + std::to_string(cpu) + " changed from " +
                    std::to_string(std::lround(before->second / 1000)) + " to " +
                    std::to_string(std::lround(khz / 1000)) +
                    " MHz; set the governor to performance");
  }
  return found;
}

}  // namespace cboard::benchmark
