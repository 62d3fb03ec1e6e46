#include "cboard/reader/run_query.h"

#include <algorithm>
#include <set>

namespace cboard::reader {
namespace {

template <typename Accept>
std::vector<const Tag*> TagsWhere(const Run& run, const Accept& accept) {
  std::vector<const Tag*> tags;
  for (const Tag& tag : run.tags) {
    if (accept(tag)) tags.push_back(&tag);
  }
  return tags;
}

}  // namespace

std::vector<RunPointer> RunsByStartTime(const Snapshot& snapshot) {
  // The runs are already sorted by name, and the stable sort keeps this order.
  std::vector<RunPointer> runs = snapshot.runs;
  std::ranges::stable_sort(runs, {}, [](const RunPointer& run) {
    const double start = run->first_wall_time_seconds;
    // NaN has no order, so it is replaced by infinity.
    return start == start ? start : std::numeric_limits<double>::infinity();
  });
  return runs;
}

std::vector<const Tag*> TagsOfKind(const Run& run, TagKind kind) {
  return TagsWhere(run, [&](const Tag& tag) { return tag.kind() == kind; });
}

std::vector<const Tag*> TagsMatching(const Run& run, TagKind kind, const TextPattern& pattern) {
  return TagsWhere(run, [&](const Tag& tag) {
    return tag.kind() == kind && pattern.MatchesStartOf(tag.name());
  });
}

std::string_view PluginOf(const TagInfo& info) {
  // The kind of the tag has priority: a histogram with the metadata of another plugin is shown as a
  // histogram.
  switch (info.kind) {
    case TagKind::kScalar:
      return "scalars";
    case TagKind::kHistogram:
      return "histograms";
    case TagKind::kImage:
      return "images";
    case TagKind::kAudio:
      return "audio";
    case TagKind::kText:
      return "text";
    case TagKind::kHParams:
      return "hparams";
    case TagKind::kPrCurve:
      return "pr_curves";
    case TagKind::kMesh:
      return "mesh";
    case TagKind::kCustomScalars:
      return "custom_scalars";
    case TagKind::kGraph:
      return info.plugin_name.empty() ? std::string_view("graphs") : info.plugin_name;
    case TagKind::kRunMetadata:
      return info.plugin_name.empty() ? std::string_view("graph_tagged_run_metadata")
                                      : info.plugin_name;
    case TagKind::kTensor:
      break;
  }
  return info.plugin_name;
}

std::vector<std::string> ActivePlugins(const Snapshot& snapshot) {
  std::set<std::string, std::less<>> plugins;
  for (const RunPointer& run : snapshot.runs) {
    for (const Tag& tag : run->tags) {
      const std::string_view plugin = PluginOf(*tag.info);
      if (!plugin.empty() && !plugins.contains(plugin)) plugins.emplace(plugin);
    }
  }
  return {plugins.begin(), plugins.end()};
}

}  // namespace cboard::reader
