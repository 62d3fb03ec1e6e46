#include "cboard/profile/energy_counter.h"

#include <algorithm>

#include "cboard/base/strings.h"
#include "profile/energy_zones.h"
#include "profile/kernel_text.h"

namespace cboard::profile {

struct EnergyCounter::State {
  std::vector<EnergyZone> zones;
  std::string source;
  std::string why_not;
  double joules = 0;
  bool is_lost = false;  // A counter was reset, so the sum is invalid.
};

EnergyCounter::EnergyCounter(const std::filesystem::path& sys) : state_(std::make_unique<State>()) {
  std::vector<EnergyZone>& zones = state_->zones;
  zones = FindEnergyZones(sys);
  if (zones.empty()) {
    state_->why_not = "this machine has no energy counters (" + (sys / "class/powercap").string() +
                      " has no package)";
    return;
  }
  // Drops the zone of the whole platform if there are others, because it includes the packages and
  // their memory.
  const auto is_platform = [](const EnergyZone& zone) {
    return zone.reading == "power/platform_w";
  };
  if (!std::ranges::all_of(zones, is_platform)) std::erase_if(zones, is_platform);
  for (EnergyZone& zone : zones) {
    zone.former_uj = ReadNumber<std::uint64_t>(zone.counter);
    if (!zone.former_uj) {
      state_->why_not = "cannot read " + Quoted(zone.counter.string(), 1000) +
                        "; run as root, or let this user read it with chmod a+r";
      zones.clear();
      return;
    }
    state_->source += (state_->source.empty() ? "" : ", ") + zone.name;
  }
}

EnergyCounter::~EnergyCounter() = default;
EnergyCounter::EnergyCounter(EnergyCounter&&) noexcept = default;
EnergyCounter& EnergyCounter::operator=(EnergyCounter&&) noexcept = default;

std::optional<double> EnergyCounter::Joules() {
  if (state_->zones.empty() || state_->is_lost) return std::nullopt;
  for (EnergyZone& zone : state_->zones) {
    const auto now_uj = ReadNumber<std::uint64_t>(zone.counter);
    const auto used_uj = now_uj ? zone.Progress(*now_uj) : std::nullopt;
    if (!used_uj) {
      state_->is_lost = true;
      return std::nullopt;
    }
    state_->joules += static_cast<double>(*used_uj) * 1e-6;
    zone.former_uj = now_uj;
  }
  return state_->joules;
}

const std::string& EnergyCounter::source() const { return state_->source; }
const std::string& EnergyCounter::why_not() const { return state_->why_not; }

}  // namespace cboard::profile
