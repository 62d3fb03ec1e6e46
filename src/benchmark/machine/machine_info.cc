#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "benchmark/machine/kernel_files.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/machine.h"

namespace cboard::benchmark {
namespace {

// An instruction set: its flag in /proc/cpuinfo and its name. The best one is last.
struct InstructionSet {
  std::string_view flag;
  std::string_view name;
  bool has_int8_dot = false;
};

constexpr auto kInstructionSets = std::to_array<InstructionSet>({
    {"sse4_2", "sse4.2"},
    {"asimd", "neon"},
    {"avx2", "avx2"},
    {"avx512bw", "avx512"},
    {"asimddp", "neon dotprod", true},
    {"avx_vnni", "avx_vnni", true},
    {"avx512_vnni", "avx512_vnni", true},
    {"i8mm", "neon i8mm", true},
    {"amx_int8", "amx_int8", true},
});

}  // namespace

MachineInfo DescribeMachine(const MachineRoots& roots) {
  MachineInfo info;
  info.cpu_count = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
  utsname names = {};
  if (::uname(&names) == 0) {
    info.architecture = names.machine;
    info.kernel = names.release;
  }
  info.governor =
      FirstLine(roots.sys / "devices/system/cpu/cpu0/cpufreq/scaling_governor").value_or("");
  std::set<std::string, std::less<>> flags;
  const std::string text = ReadText(roots.proc / "cpuinfo").value_or("");
  for (const std::string_view line : Split(text, '\n')) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view value = line.substr(std::min(colon + 2, line.size()));
    if (line.starts_with("model name") && info.cpu.empty()) info.cpu = value;
    if ((line.starts_with("flags") || line.starts_with("Features")) && flags.empty()) {
      for (const std::string_view flag : Split(value, ' ')) flags.emplace(flag);
    }
  }
  for (const InstructionSet& known : kInstructionSets) {
    if (!flags.contains(known.flag)) continue;
    info.instruction_set = known.name;
    info.has_int8_dot = info.has_int8_dot || known.has_int8_dot;
  }
  return info;
}

}  // namespace cboard::benchmark
