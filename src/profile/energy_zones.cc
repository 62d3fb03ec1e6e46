#include "profile/energy_zones.h"

#include "profile/kernel_text.h"

namespace cboard::profile {
namespace {

std::string ReadingOf(std::string_view zone_name) {
  if (zone_name.starts_with("package")) return "power/package_w";
  if (zone_name == "dram") return "power/dram_w";
  if (zone_name == "psys") return "power/platform_w";
  return {};  // Skips "core" and "uncore", which are parts of the package.
}

}  // namespace

std::optional<std::uint64_t> EnergyZone::Progress(std::uint64_t energy_uj) const {
  if (energy_uj >= *former_uj) return energy_uj - *former_uj;
  if (max_energy_uj < *former_uj) return std::nullopt;  // A reset, not an overflow.
  return max_energy_uj - *former_uj + energy_uj;
}

std::vector<EnergyZone> FindEnergyZones(const std::filesystem::path& sys) {
  std::vector<EnergyZone> registers, mapped;
  for (const std::filesystem::path& directory : SortedEntries(sys / "class" / "powercap")) {
    const std::optional<std::string> name_line = ReadKernelFile(directory / "name");
    if (!name_line) continue;
    const std::vector<std::string_view> words = Words(*name_line);
    const std::string reading = words.empty() ? "" : ReadingOf(words[0]);
    if (reading.empty()) continue;
    EnergyZone zone{
        .name = std::string(words[0]),
        .counter = directory / "energy_uj",
        .reading = reading,
        .max_energy_uj = ReadNumber<std::uint64_t>(directory / "max_energy_range_uj").value_or(0),
        .former_uj = {}};
    // Uses intel-rapl-mmio:0 only if there is nothing else: it is the same package as intel-rapl:0,
    // read through another interface.
    const bool is_mapped = directory.filename().native().find("mmio") != std::string::npos;
    (is_mapped ? mapped : registers).push_back(std::move(zone));
  }
  return registers.empty() ? mapped : registers;
}

}  // namespace cboard::profile
