#include "cboard/analysis/variant_config.h"

#include <algorithm>
#include <array>

#include "analysis/runs/run_path.h"

namespace cboard::analysis {
namespace {

constexpr const char* kModelKey = "model_name";
constexpr const char* kVariantKey = "variant";
// Hyperparameters that identify the model or the row, and are not settings.
constexpr auto kNoSettings =
    std::to_array<const char*>({kModelKey, kVariantKey, "library", "category"});

bool Says(const Config& config, const char* key, std::string_view text) {
  const auto found = config.find(key);
  if (found == config.end()) return false;
  const std::string* const value = std::get_if<std::string>(&found->second);
  return value != nullptr && *value == text;
}

// Returns true if a run is below a place: "published/alexnet/int8/1763000000.5" is below
// "alexnet/int8".
bool LiesBelow(std::string_view run, const std::string& place) {
  return ("/" + std::string(WithoutDot(run)) + "/").find("/" + place + "/") != std::string::npos;
}

// Hyperparameters are often in a separate run below the trial's run.
const RunOwner* OwnerAtOrAbove(const RunOwners& owners, std::string_view run) {
  for (;; run = ParentOf(run)) {
    if (const RunOwner* const owner = OwnerOf(owners, run)) return owner;
    if (run == ".") return nullptr;
  }
}

}  // namespace

Config ConfigOf(const reader::Run& run) {
  Config config;
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kHParams) continue;
    const auto data = proto::ParseHParamsPluginData(tag.info->plugin_content);
    if (!data) continue;
    if (const auto* start = std::get_if<proto::HParamsSessionStart>(&*data)) {
      config.insert(start->hparams.begin(), start->hparams.end());
    }
  }
  return config;
}

Config FindConfig(const reader::Snapshot& snapshot, std::string_view model,
                  std::string_view variant) {
  const RunOwners owners = FindRunOwners(snapshot);
  const std::string place = std::string(model) + "/" + std::string(variant);
  Config found;
  for (const auto& run : snapshot.runs) {
    const Config& logged = run->notes.Get<Config>([&] { return ConfigOf(*run); });
    if (logged.empty()) continue;
    const RunOwner* const owner = OwnerAtOrAbove(owners, run->name);
    const bool is_named = logged.contains(kModelKey) && logged.contains(kVariantKey);
    const bool belongs = is_named
                             ? Says(logged, kModelKey, model) && Says(logged, kVariantKey, variant)
                         : owner != nullptr ? owner->model == model && owner->variant == variant
                                            : LiesBelow(run->name, place);
    if (!belongs) continue;
    Config config = logged;
    if (is_named) {
      for (const char* key : kNoSettings) config.erase(key);
    }
    for (auto& [name, value] : config) found.insert_or_assign(name, std::move(value));
  }
  return found;
}

std::vector<ConfigLine> CompareConfigs(const Config& a, const Config& b) {
  std::map<std::string_view, ConfigLine> by_name;
  for (const auto& [name, value] : a) by_name[name].a = value;
  for (const auto& [name, value] : b) by_name[name].b = value;
  std::vector<ConfigLine> lines;
  for (auto& [name, line] : by_name) {
    line.name = name;
    lines.push_back(std::move(line));
  }
  std::ranges::stable_partition(lines, &ConfigLine::differs);
  return lines;
}

}  // namespace cboard::analysis
