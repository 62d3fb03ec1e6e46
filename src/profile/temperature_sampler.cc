#include <algorithm>
#include <cstdint>
#include <map>

#include "profile/kernel_text.h"
#include "profile/sampler.h"

namespace cboard::profile {
namespace {

constexpr std::size_t kMaxSensors = 64;

struct Sensor {
  std::filesystem::path file;  // Contains thousandths of a degree Celsius.
  std::string reading;
};

std::string FirstWord(const std::filesystem::path& file) {
  const std::optional<std::string> text = ReadKernelFile(file);
  const std::vector<std::string_view> words = Words(text ? *text : std::string_view());
  return words.empty() ? "" : TagPart(words[0].substr(0, 64));
}

// Returns a unique name: two sensors called "acpitz" become acpitz and acpitz_2.
std::string UniqueReading(const std::string& name, std::map<std::string, int>& uses) {
  const int use = ++uses[name];
  return "temperature/" + name + (use > 1 ? "_" + std::to_string(use) : "") + "_c";
}

std::vector<Sensor> FindSensors(const std::filesystem::path& sys) {
  std::vector<Sensor> sensors;
  std::map<std::string, int> uses;
  for (const std::filesystem::path& zone : SortedEntries(sys / "class" / "thermal")) {
    const std::string type = FirstWord(zone / "type");
    if (!zone.filename().native().starts_with("thermal_zone") || type.empty()) continue;
    sensors.push_back({zone / "temp", UniqueReading(type, uses)});
  }
  if (sensors.empty()) {
    for (const std::filesystem::path& chip : SortedEntries(sys / "class" / "hwmon")) {
      const std::string name = FirstWord(chip / "name");
      if (name.empty()) continue;
      for (const std::filesystem::path& file : SortedEntries(chip)) {
        const std::string stem = file.filename().string();
        if (!stem.starts_with("temp") || !stem.ends_with("_input")) continue;
        sensors.push_back({file, UniqueReading(name, uses)});
      }
    }
  }
  if (sensors.size() > kMaxSensors) sensors.resize(kMaxSensors);
  return sensors;
}

class TemperatureSampler final : public Sampler {
 public:
  explicit TemperatureSampler(const std::filesystem::path& sys) : sensors_(FindSensors(sys)) {}

  void Sample(double, std::vector<Reading>& readings) override {
    for (const Sensor& sensor : sensors_) {
      const auto millidegrees = ReadNumber<std::int64_t>(sensor.file);
      // Skips impossible values. Interfaces without a connected sensor report them.
      if (!millidegrees || *millidegrees <= -100'000 || *millidegrees >= 250'000) continue;
      readings.push_back({sensor.reading, static_cast<double>(*millidegrees) / 1000});
    }
  }

 private:
  std::vector<Sensor> sensors_;
};

}  // namespace

std::unique_ptr<Sampler> MakeTemperatureSampler(std::filesystem::path sys) {
  return std::make_unique<TemperatureSampler>(sys);
}

}  // namespace cboard::profile
