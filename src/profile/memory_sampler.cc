#include <cstdint>

#include "cboard/base/strings.h"
#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

class MemorySampler final : public Sampler {
 public:
  explicit MemorySampler(std::filesystem::path proc) : meminfo_(std::move(proc) / "meminfo") {}

  void Sample(double, std::vector<Reading>& readings) override {
    const std::optional<std::string> text = ReadKernelFile(meminfo_);
    if (!text) return;
    std::optional<double> total, available, swap_total, swap_free;
    for (const std::string_view line : Split(*text, '\n')) {
      // Lines have the format "MemTotal:       16303428 kB".
      const std::vector<std::string_view> words = Words(line);
      if (words.size() < 2) continue;
      const auto kilobytes = ToNumber<std::uint64_t>(words[1]);
      if (!kilobytes) continue;
      const double mb = static_cast<double>(*kilobytes) / 1024;
      if (words[0] == "MemTotal:") total = mb;
      if (words[0] == "MemAvailable:") available = mb;
      if (words[0] == "SwapTotal:") swap_total = mb;
      if (words[0] == "SwapFree:") swap_free = mb;
    }
    if (total && available && *available <= *total) {
      readings.push_back({"memory/system_used_mb", *total - *available});
      readings.push_back({"memory/system_available_mb", *available});
    }
    if (swap_total && swap_free && *swap_total > 0 && *swap_free <= *swap_total) {
      readings.push_back({"memory/swap_used_mb", *swap_total - *swap_free});
    }
  }

 private:
  std::filesystem::path meminfo_;
};

}  // namespace

std::unique_ptr<Sampler> MakeMemorySampler(std::filesystem::path proc) {
  return std::make_unique<MemorySampler>(std::move(proc));
}

}  // namespace cboard::profile
