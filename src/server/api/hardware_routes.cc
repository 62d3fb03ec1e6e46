// Routes for hardware metrics by run: statistics of the curves that `compression-board profile` and
// HardwareMonitor log.
#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/reader/media_query.h"
#include "server/api/entries.h"
#include "server/content/json_columns.h"

namespace cboard::server {
namespace {

constexpr std::string_view kPrefix = "hardware/";
constexpr std::string_view kSummary = "hardware/summary/";  // Repeats the same metrics.
constexpr std::string_view kDevices = "hardware/devices";
constexpr std::string_view kPhase = "hardware/phase";
// Maximum number of phases: a chart cannot show more, and a text that changes with every sample is
// not a phase.
constexpr std::size_t kMaxPhases = 1000;

// Returns the unit of a metric. The monitor writes the unit at the end of the metric's name.
std::string_view UnitOf(std::string_view name) {
  struct Unit {
    std::string_view suffix, unit;
  };
  constexpr auto kUnits = std::to_array<Unit>(
      {{"_mb_s", "MB/s"}, {"_mb", "MB"}, {"percent", "%"}, {"_w", "W"}, {"_j", "J"}, {"_c", "°C"}});
  const auto found =
      std::ranges::find_if(kUnits, [&](const Unit& unit) { return name.ends_with(unit.suffix); });
  return found == kUnits.end() ? std::string_view() : found->unit;
}

struct Curve {
  const reader::Run* run = nullptr;
  const reader::Tag* tag = nullptr;
  std::optional<double> mean, p95, max, last;  // Statistics of finite values.
  double seconds = 0;                          // From the first point to the last.
};

Curve Summarize(const reader::Run& run, const reader::Tag& tag) {
  Curve curve{.run = &run, .tag = &tag};
  std::vector<double> values;
  values.reserve(tag.scalars.size());
  double sum = 0;
  tag.scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
    for (const double value : block.values) {
      if (!std::isfinite(value)) continue;
      values.push_back(value);
      sum += value;
    }
  });
  if (values.empty()) return curve;
  curve.seconds = tag.scalars.back().wall_time_seconds - tag.scalars.front().wall_time_seconds;
  curve.last = values.back();
  curve.mean = sum / static_cast<double>(values.size());
  // The 95th percentile: the smallest value that 95 % of the values do not exceed. The monitor uses
  // the same definition.
  const std::size_t rank = (values.size() * 95 + 99) / 100 - 1;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(values, at);
  curve.p95 = *at;
  curve.max = *std::ranges::max_element(at, values.end());
  return curve;
}

std::vector<const reader::Tag*> HardwareTags(const reader::Run& run) {
  std::vector<const reader::Tag*> tags;
  auto at = std::ranges::lower_bound(run.tags, kPrefix, {}, &reader::Tag::name);
  for (; at != run.tags.end() && at->name().starts_with(kPrefix); ++at) {
    if (at->kind() == reader::TagKind::kScalar && !at->name().starts_with(kSummary))
      tags.push_back(&*at);
  }
  return tags;
}

struct Devices {
  std::string_view run;
  std::string text;
};

// Returns the description of processor, memory and accelerators: a text that the monitor logs once.
void CollectDevices(const reader::Run& run, std::vector<Devices>& devices) {
  auto at = std::ranges::lower_bound(run.tags, kDevices, {}, &reader::Tag::name);
  for (; at != run.tags.end() && at->name().starts_with(kDevices); ++at) {
    if (at->kind() != reader::TagKind::kText || at->blobs.empty()) continue;
    const auto text = reader::ReadText(run, *at, at->blobs.size() - 1);
    if (text && !text->value.texts.empty()) {
      devices.push_back({run.name, std::string(text->value.texts.front())});
    }
  }
}

struct Phase {
  std::string_view run;
  std::string name;
  double wall_time_seconds = 0;  // Start time; a phase lasts until the next one starts.
};

// Collects the phases of a program from the text hardware/phase. The text is logged at each change
// of the phase.
void CollectPhases(const reader::Run& run, std::vector<Phase>& phases) {
  auto at = std::ranges::lower_bound(run.tags, kPhase, {}, &reader::Tag::name);
  for (; at != run.tags.end() && at->name().starts_with(kPhase); ++at) {
    if (at->kind() != reader::TagKind::kText) continue;
    for (std::size_t i = 0; i < std::min(at->blobs.size(), kMaxPhases); ++i) {
      const auto text = reader::ReadText(run, *at, i);
      if (!text || text->value.texts.empty()) continue;
      phases.push_back({.run = run.name,
                        .name = std::string(text->value.texts.front()),
                        .wall_time_seconds = at->blobs.at(i).wall_time_seconds});
    }
  }
}

Result<HttpResponse> GetHardware(const ApiCall& call) {
  const std::string run_name = TextQuery(call.target, "run");
  if (!run_name.empty()) CBOARD_RETURN_IF_ERROR(FindRun(call, run_name));
  std::vector<Curve> curves;
  std::vector<Devices> devices;
  std::vector<Phase> phases;
  for (const auto& run : call.snapshot->runs) {
    if (!run_name.empty() && run->name != run_name) continue;
    for (const reader::Tag* const tag : HardwareTags(*run)) curves.push_back(Summarize(*run, *tag));
    CollectDevices(*run, devices);
    CollectPhases(*run, phases);
  }
  const auto name = [](const Curve& curve) {
    return std::string_view(curve.tag->name()).substr(kPrefix.size());
  };
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "runs", curves, [](const Curve& curve) { return curve.run->name; });
  WriteValues(json, "tags", curves, [](const Curve& curve) { return curve.tag->name(); });
  WriteValues(json, "names", curves, name);
  WriteValues(json, "units", curves, [&](const Curve& curve) { return UnitOf(name(curve)); });
  WriteValues(json, "counts", curves, [](const Curve& curve) { return curve.tag->size(); });
  WriteNumbers(json, "seconds", curves, &Curve::seconds);
  WriteNumbers(json, "means", curves, &Curve::mean);
  WriteNumbers(json, "p95s", curves, &Curve::p95);
  WriteNumbers(json, "maxima", curves, &Curve::max);
  WriteNumbers(json, "last", curves, &Curve::last);
  json.Key("devices").BeginObject();
  WriteValues(json, "runs", devices, &Devices::run);
  WriteValues(json, "texts", devices, &Devices::text);
  json.EndObject();
  json.Key("phases").BeginObject();
  WriteValues(json, "runs", phases, &Phase::run);
  WriteValues(json, "names", phases, &Phase::name);
  WriteNumbers(json, "wall_times", phases, &Phase::wall_time_seconds);
  json.EndObject().EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> HardwareRoutes() {
  return {{.method = "GET",
           .path = "/hardware",
           .summary = "Hardware metrics of each run: mean, 95th percentile, maximum.",
           .parameters = {{"run", ParameterType::kText, false, false, "Only this run."}},
           .handler = GetHardware}};
}

}  // namespace cboard::server
