// Zones of the powercap framework: directories with `name`, `energy_uj`, a counter of microjoules,
// and `max_energy_range_uj`, behind which the counter starts again at 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cboard::profile {

struct EnergyZone {
  std::string name;  // "package-0"
  std::filesystem::path counter;
  std::string reading;  // "power/package_w"
  std::uint64_t max_energy_uj = 0;
  std::optional<std::uint64_t> former_uj;

  // Microjoules from `former_uj`, which must be there, to `energy_uj`; nothing after a reset.
  std::optional<std::uint64_t> Progress(std::uint64_t energy_uj) const;
};

// Packages, memory and platform below <sys>/class/powercap.
std::vector<EnergyZone> FindEnergyZones(const std::filesystem::path& sys);

}  // namespace cboard::profile
