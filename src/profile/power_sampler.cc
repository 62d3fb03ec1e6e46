#include <algorithm>
#include <cstdint>
#include <map>

#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

// A zone of the powercap framework: a directory with `name`, `energy_uj`, a counter of
// microjoules, and `max_energy_range_uj`, behind which the counter starts again at 0.
struct Zone {
  std::filesystem::path counter;
  std::string reading;
  std::uint64_t max_energy_uj = 0;
  std::optional<std::uint64_t> former_uj;
};

std::string ReadingOf(std::string_view zone_name) {
  if (zone_name.starts_with("package")) return "power/package_w";
  if (zone_name == "dram") return "power/dram_w";
  if (zone_name == "psys") return "power/platform_w";
  return {};  // "core" and "uncore" are parts of the package.
}

std::vector<Zone> FindZones(const std::filesystem::path& sys) {
  std::vector<Zone> registers, mapped;
  for (const std::filesystem::path& directory : SortedEntries(sys / "class" / "powercap")) {
    const std::optional<std::string> name_line = ReadKernelFile(directory / "name");
    if (!name_line) continue;
    const std::vector<std::string_view> words = Words(*name_line);
    const std::string reading = words.empty() ? "" : ReadingOf(words[0]);
    if (reading.empty()) continue;
    Zone zone{
        .counter = directory / "energy_uj",
        .reading = reading,
        .max_energy_uj = ReadNumber<std::uint64_t>(directory / "max_energy_range_uj").value_or(0),
        .former_uj = {}};
    // intel-rapl-mmio:0 is the package of intel-rapl:0 seen through another interface.
    const bool is_mapped = directory.filename().native().find("mmio") != std::string::npos;
    (is_mapped ? mapped : registers).push_back(std::move(zone));
  }
  return registers.empty() ? mapped : registers;
}

class PowerSampler final : public Sampler {
 public:
  explicit PowerSampler(const std::filesystem::path& sys) : zones_(FindZones(sys)) {}

  void Sample(double now_seconds, std::vector<Reading>& readings) override {
    std::map<std::string, double> joules;
    for (Zone& zone : zones_) {
      const auto energy_uj = ReadNumber<std::uint64_t>(zone.counter);  // Often for root only.
      if (energy_uj && zone.former_uj) {
        if (const auto used = Progress(zone, *energy_uj)) {
          joules[zone.reading] += static_cast<double>(*used) * 1e-6;
        }
      }
      zone.former_uj = energy_uj;
    }
    if (former_seconds_ && now_seconds > *former_seconds_) {
      for (const auto& [name, energy] : joules) {
        readings.push_back({name, energy / (now_seconds - *former_seconds_)});
      }
    }
    former_seconds_ = now_seconds;
  }

 private:
  static std::optional<std::uint64_t> Progress(const Zone& zone, std::uint64_t energy_uj) {
    if (energy_uj >= *zone.former_uj) return energy_uj - *zone.former_uj;
    if (zone.max_energy_uj < *zone.former_uj) return std::nullopt;  // A reset, not the end.
    return zone.max_energy_uj - *zone.former_uj + energy_uj;
  }

  std::vector<Zone> zones_;
  std::optional<double> former_seconds_;
};

}  // namespace

std::unique_ptr<Sampler> MakePowerSampler(std::filesystem::path sys) {
  return std::make_unique<PowerSampler>(sys);
}

}  // namespace cboard::profile
