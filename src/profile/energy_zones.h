// Energy zones of the Linux powercap framework. A zone is a directory with the files `name`,
// `energy_uj` (a counter of microjoules) and `max_energy_range_uj` (the value after which the
// counter restarts at 0).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace cboard::profile {

struct EnergyZone {
  std::string name;  // For example "package-0".
  std::filesystem::path counter;
  std::string reading;  // For example "power/package_w".
  std::uint64_t max_energy_uj = 0;
  std::optional<std::uint64_t> former_uj;

  // Returns the microjoules between `former_uj` and `energy_uj`. `former_uj` must be set. Returns
  // nullopt if the counter was reset.
  std::optional<std::uint64_t> Progress(std::uint64_t energy_uj) const;
};

// Finds the zones of packages, memory and platform below <sys>/class/powercap.
std::vector<EnergyZone> FindEnergyZones(const std::filesystem::path& sys);

}  // namespace cboard::profile
