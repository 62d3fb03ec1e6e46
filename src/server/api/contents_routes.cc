// Lists the pages that have data, so that the menu can hide the others.
#include <algorithm>

#include "cboard/analysis/graph_sources.h"
#include "cboard/analysis/layer_variants.h"
#include "cboard/analysis/snapshot_table.h"
#include "cboard/analysis/tuning.h"
#include "server/api/api_route.h"
#include "server/content/json_columns.h"
#include "server/content/projector_files.h"

namespace cboard::server {
namespace {

constexpr std::string_view kHardwarePrefix = "hardware/";

bool Has(const reader::Snapshot& snapshot, reader::TagKind kind) {
  return std::ranges::any_of(snapshot.runs, [&](const auto& run) { return run->Has(kind); });
}

// Tags are sorted by name.
bool HasHardware(const reader::Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.runs, [](const auto& run) {
    auto tag = std::ranges::lower_bound(
        run->tags, kHardwarePrefix, {},
        [](const reader::Tag& each) -> std::string_view { return each.name(); });
    for (; tag != run->tags.end() && tag->name().starts_with(kHardwarePrefix); ++tag) {
      if (tag->kind() == reader::TagKind::kScalar) return true;
    }
    return false;
  });
}

// Sizes alone do not show the cost of compression. A comparison of two files logs only sizes.
bool HasQuality(const analysis::ComparisonTable& table) {
  return std::ranges::any_of(table.metrics, [](const compression::MetricDescription& metric) {
    return metric.unit.empty() && metric.better != compression::Better::kUnknown;
  });
}

Result<HttpResponse> GetContents(const ApiCall& call) {
  const reader::Snapshot& snapshot = *call.snapshot;
  const analysis::ComparisonTable table = analysis::TableOf(snapshot);
  const bool has_models = !table.models.empty();
  std::vector<std::string_view> pages;
  const auto add = [&](std::string_view page, bool has_contents) {
    if (has_contents) pages.push_back(page);
  };
  add("overview", has_models && HasQuality(table));
  add("compare", has_models);
  add("layers", !analysis::FindVariantLayers(snapshot).empty());
  add("graph", !analysis::FindGraphs(snapshot).empty());
  add("tuning", !analysis::FindTuning(snapshot).empty());
  add("hardware", HasHardware(snapshot));
  add("report", has_models);
  add("scalars", Has(snapshot, reader::TagKind::kScalar));
  add("histograms", Has(snapshot, reader::TagKind::kHistogram));
  add("hparams", Has(snapshot, reader::TagKind::kHParams));
  add("images", Has(snapshot, reader::TagKind::kImage));
  add("text", Has(snapshot, reader::TagKind::kText));
  add("pr", Has(snapshot, reader::TagKind::kPrCurve));
  add("custom", Has(snapshot, reader::TagKind::kCustomScalars));
  // Looks for files beside the events. A file that appears without new events is listed with the
  // next snapshot.
  add("projector", !ProjectorRuns(snapshot, call.look).empty());
  add("audio", Has(snapshot, reader::TagKind::kAudio));
  add("mesh", Has(snapshot, reader::TagKind::kMesh));
  add("files", !snapshot.runs.empty());
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(snapshot.version);
  WriteValues(json, "pages", pages);
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<ApiRoute> ContentsRoutes() {
  return {{.method = "GET",
           .path = "/contents",
           .summary = "The pages that have something to show.",
           .handler = GetContents}};
}

}  // namespace cboard::server
