#include <cstdint>
#include <map>

#include "profile/energy_zones.h"
#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

class PowerSampler final : public Sampler {
 public:
  explicit PowerSampler(const std::filesystem::path& sys) : zones_(FindEnergyZones(sys)) {}

  void Sample(double now_seconds, std::vector<Reading>& readings) override {
    std::map<std::string, double> joules;
    for (EnergyZone& zone : zones_) {
      // Reading fails if the user has no permission; often only root may read the counter.
      const auto energy_uj = ReadNumber<std::uint64_t>(zone.counter);
      if (energy_uj && zone.former_uj) {
        if (const auto used = zone.Progress(*energy_uj)) {
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
  std::vector<EnergyZone> zones_;
  std::optional<double> former_seconds_;
};

}  // namespace

std::unique_ptr<Sampler> MakePowerSampler(std::filesystem::path sys) {
  return std::make_unique<PowerSampler>(sys);
}

}  // namespace cboard::profile
