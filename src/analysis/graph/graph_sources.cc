#include "cboard/analysis/graph_sources.h"

#include <algorithm>
#include <optional>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/parsed_tag.h"
#include "cboard/base/strings.h"
#include "cboard/compression/tags.h"
#include "cboard/reader/media_query.h"
#include "cboard/reader/read_blob.h"
#include "cboard/reader/run_query.h"

namespace cboard::analysis {
namespace {

std::optional<GraphKind> KindOf(const reader::Tag& tag) {
  if (tag.size() == 0) return std::nullopt;
  if (tag.kind() == reader::TagKind::kGraph) {
    if (reader::PluginOf(*tag.info) == "graph_keras_model") return GraphKind::kKeras;
    return tag.name() == reader::kMetaGraphTag ? GraphKind::kMeta : GraphKind::kRun;
  }
  const std::string_view plugin =
      tag.kind() == reader::TagKind::kRunMetadata ? reader::PluginOf(*tag.info) : "";
  const bool has_graph = plugin == "graph_run_metadata" || plugin == "graph_run_metadata_graph";
  return has_graph ? std::optional(GraphKind::kFunctions) : std::nullopt;
}

bool IsProfile(const reader::Tag& tag) {
  return tag.kind() == reader::TagKind::kRunMetadata && tag.size() > 0 &&
         reader::PluginOf(*tag.info) != "graph_run_metadata_graph";
}

// Reads model and variant from the tag M/graph/V that `compare` logs beside the graph.
bool ReadOwner(const reader::Run& run, GraphSource& source) {
  constexpr std::string_view kOwnerTag = "/graph/";
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kTensor ||
        tag.info->plugin_name != compression::kCompressionPluginName)
      continue;
    const std::string_view name = tag.name();
    const std::size_t split = name.rfind('/');
    if (split == std::string_view::npos || !name.substr(0, split + 1).ends_with(kOwnerTag))
      continue;
    source.model = ModelOfStored(tag.info->plugin_content);
    source.variant = name.substr(split + 1);
    return true;
  }
  return false;
}

// Reads model and variant from run names such as "resnet18/int8" and "resnet18_int8".
void ReadRunName(std::string_view run, GraphSource& source) {
  const std::string_view name = LastPart(WithoutDot(run));
  if (IsKnownVariant(name)) {
    source.variant = name;
    const std::string_view parent = ParentOf(WithoutDot(run));
    if (parent != ".") source.model = LastPart(parent);
    return;
  }
  const std::size_t split = name.find_last_of("_-");
  if (split == std::string_view::npos || !IsKnownVariant(name.substr(split + 1))) return;
  source.model = name.substr(0, split);
  source.variant = name.substr(split + 1);
}

Result<std::string> GraphDefOf(GraphKind kind, std::string bytes) {
  switch (kind) {
    case GraphKind::kRun:
      return bytes;
    case GraphKind::kMeta:
      return reader::GraphDefOfMetaGraph(bytes);
    case GraphKind::kFunctions:
      return reader::GraphDefOfFunctionGraphs(bytes);
    case GraphKind::kKeras:
      return reader::GraphDefOfKerasModel(bytes);
  }
  return bytes;
}

void KeepLarger(const reader::GraphProfile& more, reader::GraphProfile& most) {
  if (most.costs.empty()) {
    most.costs = more.costs;
    return;
  }
  for (std::size_t i = 0; i < most.costs.size(); ++i) {
    if (!more.costs[i]) continue;
    if (!most.costs[i]) {
      most.costs[i] = more.costs[i];
      continue;
    }
    // If a node was measured in several steps, uses the largest value.
    reader::NodeCost& cost = *most.costs[i];
    cost.memory_bytes = std::max(cost.memory_bytes, more.costs[i]->memory_bytes);
    cost.compute_micros = std::max(cost.compute_micros, more.costs[i]->compute_micros);
  }
}

}  // namespace

std::string_view NameOf(GraphKind kind) {
  switch (kind) {
    case GraphKind::kRun:
      return "run";
    case GraphKind::kMeta:
      return "meta";
    case GraphKind::kFunctions:
      return "functions";
    case GraphKind::kKeras:
      return "keras";
  }
  return "run";
}

std::vector<GraphSource> FindGraphs(const reader::Snapshot& snapshot) {
  const RunOwners owners = FindRunOwners(snapshot);
  std::vector<GraphSource> sources;
  for (const auto& run : snapshot.runs) {
    if (!run->Has(reader::TagKind::kGraph) && !run->Has(reader::TagKind::kRunMetadata)) continue;
    const std::size_t first = sources.size();
    std::vector<std::string> profiles;
    for (const reader::Tag& tag : run->tags) {
      if (IsProfile(tag)) profiles.push_back(tag.name());
      const std::optional<GraphKind> kind = KindOf(tag);
      if (!kind) continue;
      const reader::BlobEntry newest = tag.blobs.back();
      GraphSource& source = sources.emplace_back(GraphSource{
          .run = run->name,
          .tag = tag.name(),
          .kind = *kind,
          .wall_time_seconds = newest.wall_time_seconds,
          .version = std::to_string(newest.file) + "-" + std::to_string(newest.record_offset)});
      if (const RunOwner* const owner = OwnerOf(owners, run->name)) {
        source.model = owner->model;
        source.variant = owner->variant;
      } else if (!ReadOwner(*run, source)) {
        ReadRunName(run->name, source);
      }
    }
    const auto begin = sources.begin() + static_cast<std::ptrdiff_t>(first);
    std::stable_sort(begin, sources.end(),
                     [](const auto& a, const auto& b) { return a.kind < b.kind; });
    for (auto source = begin; source != sources.end(); ++source) source->profiles = profiles;
  }
  return sources;
}

Result<std::string> ReadNewestBytes(const reader::Run& run, const reader::Tag& tag) {
  if (tag.blobs.empty()) {
    return Fail(ErrorCode::kNotFound, "tag " + Quoted(tag.name()) + " has no logged value");
  }
  CBOARD_ASSIGN_OR_RETURN(reader::Blob blob, reader::ReadBlob(run, tag.blobs.back()));
  if (tag.info->plugin_name.empty()) return std::move(blob.bytes);
  CBOARD_ASSIGN_OR_RETURN(const reader::TextValue value, reader::ParseTextValue(blob.bytes));
  if (value.texts.empty()) {
    return Fail(ErrorCode::kDataLoss, "tag " + Quoted(tag.name()) + " of run " + Quoted(run.name) +
                                          " contains an empty tensor instead of a graph");
  }
  return std::string(value.texts.front());
}

Result<MeasuredGraph> ReadGraph(const reader::Snapshot& snapshot, const GraphSource& source,
                                std::vector<Error>& problems) {
  const reader::Run* const run = snapshot.FindRun(source.run);
  const reader::Tag* const tag = run == nullptr ? nullptr : run->Find(source.tag);
  if (tag == nullptr) {
    return Fail(ErrorCode::kNotFound, "run " + Quoted(source.run) + " has no graph " +
                                          Quoted(source.tag) + " any more; reload the page");
  }
  const auto where = [&](Error error) {
    return Annotate(std::move(error),
                    "graph " + Quoted(source.tag) + " of run " + Quoted(source.run));
  };
  Result<std::string> bytes = ReadNewestBytes(*run, *tag);
  if (!bytes) return Fail(where(bytes.error()));
  Result<std::string> graph_def = GraphDefOf(source.kind, *std::move(bytes));
  if (!graph_def) return Fail(where(graph_def.error()));
  Result<reader::Graph> graph = reader::ParseGraph(*graph_def);
  if (!graph) return Fail(where(graph.error()));
  reader::GraphProfile most;
  for (const std::string& name : source.profiles) {
    const reader::Tag* const profile_tag = run->Find(name);
    if (profile_tag == nullptr) continue;
    const Result<std::string> metadata = ReadNewestBytes(*run, *profile_tag);
    const Result<reader::GraphProfile> profile =
        metadata ? reader::JoinRunMetadata(*graph, *metadata) : Fail(metadata.error());
    if (!profile) {
      problems.push_back(Annotate(profile.error(), "run metadata " + Quoted(name)));
      continue;
    }
    KeepLarger(*profile, most);
  }
  return MeasureGraph(*std::move(graph), most.costs.empty() ? nullptr : &most);
}

}  // namespace cboard::analysis
