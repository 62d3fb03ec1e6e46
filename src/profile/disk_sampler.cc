#include <algorithm>

#include "cboard/base/strings.h"
#include "profile/byte_rates.h"
#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

constexpr std::size_t kMaxDisks = 4096;

bool IsDigits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// True if `name` is a partition of `disk`: sda1, sda2, …; or nvme0n1p1, nvme0n1p2, … if the name of
// the disk ends with a digit.
bool IsPartitionOf(std::string_view name, std::string_view disk) {
  if (disk.empty() || name.size() <= disk.size() || !name.starts_with(disk)) return false;
  std::string_view rest = name.substr(disk.size());
  if (IsDigits(disk.substr(disk.size() - 1))) {
    if (rest[0] != 'p') return false;
    rest.remove_prefix(1);
  }
  return IsDigits(rest);
}

// True for devices that only pass data to other devices. The data would otherwise be counted twice.
bool IsStacked(std::string_view name) {
  for (const std::string_view prefix : {"loop", "ram", "zram", "dm-", "md"}) {
    if (name.starts_with(prefix)) return true;
  }
  return false;
}

class DiskSampler final : public Sampler {
 public:
  explicit DiskSampler(std::filesystem::path proc) : diskstats_(std::move(proc) / "diskstats") {}

  void Sample(double now_seconds, std::vector<Reading>& readings) override {
    const std::optional<std::string> text = ReadKernelFile(diskstats_);
    if (!text) return;
    std::map<std::string, ByteCounters> devices;
    for (const std::string_view line : Split(*text, '\n')) {
      // The columns of a line are: major minor name reads merged sectors_read ms writes merged
      // sectors_written …
      const std::vector<std::string_view> words = Words(line);
      if (words.size() < 10 || IsStacked(words[2]) || devices.size() == kMaxDisks) continue;
      const auto read = ToNumber<std::uint64_t>(words[5]);
      const auto written = ToNumber<std::uint64_t>(words[9]);
      if (!read || !written) continue;
      // The kernel counts in units of 512 bytes, whatever the sector size of the disk is.
      constexpr std::uint64_t kSectorBytes = 512;
      devices[std::string(words[2])] = {*read * kSectorBytes, *written * kSectorBytes};
    }
    DropPartitions(devices);
    if (devices.empty()) return;
    if (const auto rates = rates_.Update(now_seconds, std::move(devices))) {
      readings.push_back({"disk/read_mb_s", rates->in_mb_s});
      readings.push_back({"disk/write_mb_s", rates->out_mb_s});
    }
  }

 private:
  static void DropPartitions(std::map<std::string, ByteCounters>& devices) {
    std::vector<std::string> names;
    for (const auto& [name, counters] : devices) names.push_back(name);
    std::erase_if(devices, [&](const auto& device) {
      return std::ranges::any_of(
          names, [&](const std::string& disk) { return IsPartitionOf(device.first, disk); });
    });
  }

  std::filesystem::path diskstats_;
  ByteRates rates_;
};

}  // namespace

std::unique_ptr<Sampler> MakeDiskSampler(std::filesystem::path proc) {
  return std::make_unique<DiskSampler>(std::move(proc));
}

}  // namespace cboard::profile
