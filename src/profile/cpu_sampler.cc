#include <algorithm>
#include <cstdint>
#include <map>

#include "cboard/base/strings.h"
#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

struct CpuTimes {
  std::uint64_t total = 0;
  std::uint64_t idle = 0;
};

// Parses a line of /proc/stat, which has the columns cpu<i> user nice system idle iowait irq
// softirq steal guest guest_nice. Guest times are already included in user and nice. On old
// kernels, the line ends after idle.
std::optional<CpuTimes> ParseTimes(const std::vector<std::string_view>& words) {
  constexpr std::size_t kFirst = 1, kIdle = 4, kIoWait = 5, kSteal = 8;
  if (words.size() <= kIdle) return std::nullopt;
  CpuTimes times;
  for (std::size_t i = kFirst; i < words.size() && i <= kSteal; ++i) {
    const auto ticks = ToNumber<std::uint64_t>(words[i]);
    if (!ticks) return std::nullopt;
    times.total += *ticks;
    if (i == kIdle || i == kIoWait) times.idle += *ticks;
  }
  return times;
}

class CpuSampler final : public Sampler {
 public:
  explicit CpuSampler(std::filesystem::path proc) : stat_(std::move(proc) / "stat") {}

  void Sample(double, std::vector<Reading>& readings) override {
    const std::optional<std::string> text = ReadKernelFile(stat_);
    if (!text) return;
    std::map<std::string, CpuTimes, std::less<>> current;
    for (const std::string_view line : Split(*text, '\n')) {
      if (!line.starts_with("cpu")) continue;
      const std::vector<std::string_view> words = Words(line);
      const std::string_view core = words[0].substr(3);
      if (!core.empty() && !ToNumber<unsigned>(core)) continue;
      const std::optional<CpuTimes> times = ParseTimes(words);
      if (!times) continue;
      current.emplace(core, *times);
      // A core that was offline has no previous times, and gives no value now.
      const auto former = former_.find(core);
      if (former == former_.end() || times->total <= former->second.total) continue;
      readings.push_back(
          {core.empty() ? "cpu/percent" : "cpu/core_" + std::string(core) + "_percent",
           BusyPercent(former->second, *times)});
    }
    former_ = std::move(current);
  }

 private:
  static double BusyPercent(const CpuTimes& former, const CpuTimes& current) {
    // In some kernels, iowait sometimes decreases. The idle time is then treated as 0.
    const double idle =
        current.idle > former.idle ? static_cast<double>(current.idle - former.idle) : 0;
    const double total = static_cast<double>(current.total - former.total);
    return std::clamp(100 * (1 - idle / total), 0.0, 100.0);
  }

  std::filesystem::path stat_;
  std::map<std::string, CpuTimes, std::less<>> former_;  // By core; "" is the sum of all cores.
};

}  // namespace

std::unique_ptr<Sampler> MakeCpuSampler(std::filesystem::path proc) {
  return std::make_unique<CpuSampler>(std::move(proc));
}

}  // namespace cboard::profile
