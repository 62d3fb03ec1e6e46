#include "benchmark/machine/cpu_ticks.h"

#include <array>

#include "benchmark/machine/kernel_files.h"
#include "cboard/base/strings.h"

namespace cboard::benchmark {

std::map<int, CpuTimes> ReadCpuTimes(const std::filesystem::path& proc) {
  std::map<int, CpuTimes> times;
  const std::string text = ReadText(proc / "stat").value_or("");
  for (const std::string_view line : Split(text, '\n')) {
    if (!line.starts_with("cpu") || line.starts_with("cpu ")) continue;
    // Format of a line: cpu<i> user nice system idle iowait irq softirq steal guest guest_nice.
    // Guest times are included in user and nice.
    constexpr std::size_t kIdle = 3, kIoWait = 4, kSteal = 7, kFields = 8;
    const auto words = Split(line.substr(3), ' ');
    const auto cpu = NumberIn(words[0]);
    if (!cpu) continue;
    CpuTimes& time = times[static_cast<int>(*cpu)];
    for (std::size_t i = 0; i < kFields && i + 1 < words.size(); ++i) {
      const std::uint64_t ticks = NumberIn(words[i + 1]).value_or(0);
      time.total += ticks;
      if (i == kSteal) time.stolen = ticks;
      if (i != kIdle && i != kIoWait && i != kSteal) time.busy += ticks;
    }
  }
  return times;
}

}  // namespace cboard::benchmark
