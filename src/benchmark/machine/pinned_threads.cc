#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "benchmark/machine/cpu_ticks.h"
#include "cboard/benchmark/machine.h"

namespace cboard::benchmark {

PinnedThreads PinnedThreads::ToIdleCpus(int count, const MachineRoots& roots) {
  PinnedThreads pinned;
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return pinned;
  std::vector<std::pair<double, int>> by_load;
  const auto before = ReadCpuTimes(roots.proc);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  auto after = ReadCpuTimes(roots.proc);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) continue;
    const auto start = before.find(cpu);
    const double busy = start == before.end() ? 0
                                              : static_cast<double>(after[cpu].busy) -
                                                    static_cast<double>(start->second.busy);
    by_load.emplace_back(busy, cpu);
  }
  std::ranges::sort(by_load);
  if (count > 0 && static_cast<std::size_t>(count) < by_load.size()) {
    by_load.resize(static_cast<std::size_t>(count));
  }
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (const auto& [load, cpu] : by_load) {
    CPU_SET(static_cast<std::size_t>(cpu), &chosen);
    pinned.cpus_.push_back(cpu);
  }
  std::ranges::sort(pinned.cpus_);
  if (::sched_setaffinity(0, sizeof(chosen), &chosen) != 0) {
    pinned.cpus_.clear();
    return pinned;
  }
  pinned.former_ = allowed;
  return pinned;
}

PinnedThreads::PinnedThreads(PinnedThreads&& other) noexcept
    : cpus_(std::move(other.cpus_)), former_(std::exchange(other.former_, std::nullopt)) {}

PinnedThreads::~PinnedThreads() {
  if (former_) ::sched_setaffinity(0, sizeof(*former_), &*former_);
}

}  // namespace cboard::benchmark
