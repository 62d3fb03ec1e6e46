// Which pages have something to show, so that the others can be folded away.
#include <algorithm>
#include <array>

#include "cboard/analysis/graph_sources.h"
#include "cboard/analysis/layer_sides.h"
#include "cboard/analysis/snapshot_table.h"
#include "cboard/analysis/tuning.h"
#include "server/api/api_route.h"
#include "server/json_columns.h"
#include "server/projector_files.h"

namespace cboard::server {
namespace {

constexpr std::string_view kHardwarePrefix = "hardware/";

struct Kinds {
  std::array<bool, 32> present = {};
  bool hardware = false;

  bool Has(TagKind kind) const { return present[static_cast<std::size_t>(kind)]; }
};

Kinds KindsOf(const Snapshot& snapshot) {
  Kinds kinds;
  for (const auto& run : snapshot.runs) {
    for (const Tag& tag : run->tags) {
      kinds.present[static_cast<std::size_t>(tag.kind())] = true;
      if (!kinds.hardware && tag.kind() == TagKind::kScalar) {
        kinds.hardware = tag.name().starts_with(kHardwarePrefix);
      }
    }
  }
  return kinds;
}

Result<HttpResponse> GetContents(const ApiCall& call) {
  const Snapshot& snapshot = *call.snapshot;
  const Kinds kinds = KindsOf(snapshot);
  const bool has_models = !analysis::TableOf(snapshot).models.empty();
  std::vector<std::string_view> pages;
  const auto add = [&](std::string_view page, bool has_contents) {
    if (has_contents) pages.push_back(page);
  };
  add("overview", has_models);
  add("compare", has_models);
  add("layers", !analysis::FindLayerSides(snapshot).empty());
  add("graph", !analysis::FindGraphs(snapshot).empty());
  add("tuning", !analysis::FindTuning(snapshot).empty());
  add("hardware", kinds.hardware);
  add("report", has_models);
  add("scalars", kinds.Has(TagKind::kScalar));
  add("histograms", kinds.Has(TagKind::kHistogram));
  add("hparams", kinds.Has(TagKind::kHParams));
  add("images", kinds.Has(TagKind::kImage));
  add("text", kinds.Has(TagKind::kText));
  add("pr", kinds.Has(TagKind::kPrCurve));
  add("custom", kinds.Has(TagKind::kCustomScalars));
  // Files beside the events: what comes without one is seen with the next snapshot.
  add("projector", !ProjectorRuns(snapshot, call.look).empty());
  add("audio", kinds.Has(TagKind::kAudio));
  add("mesh", kinds.Has(TagKind::kMesh));
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
