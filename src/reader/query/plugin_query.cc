#include "cboard/reader/plugin_query.h"

#include <algorithm>
#include <map>

#include "cboard/base/strings.h"
#include "cboard/reader/run_query.h"
#include "reader/query/indexed_blobs.h"

namespace cboard::reader {
namespace {

// A bit for each content that a mesh may have: vertices, faces, colors.
constexpr std::uint32_t kAllComponents = 1 << 1 | 1 << 2 | 1 << 3;

}  // namespace

Result<std::vector<PrCurveStep>> ReadPrCurves(const Run& run, const Tag& tag,
                                              std::span<const std::size_t> indices) {
  std::vector<PrCurveStep> steps;
  CBOARD_RETURN_IF_ERROR(ForEachBlob(run, tag, indices, [&](const Blob& blob) -> Result<void> {
    CBOARD_ASSIGN_OR_RETURN(PrCurve curve, ParsePrCurveValue(blob.bytes));
    steps.push_back({blob.entry.step, blob.entry.wall_time_seconds, std::move(curve)});
    return {};
  }));
  return steps;
}

std::vector<Mesh> ListMeshes(const Run& run) {
  std::map<std::string, Mesh> by_name;
  for (const Tag* tag : TagsOfKind(run, TagKind::kMesh)) {
    auto data = proto::ParseMeshPluginData(tag->info->plugin_content);
    if (!data || data->shape.empty()) continue;
    if (data->components == 0) data->components = kAllComponents;
    Mesh& mesh = by_name[data->name];
    mesh.name = data->name;
    mesh.parts.push_back({tag, *std::move(data)});
  }
  std::vector<Mesh> meshes;
  for (auto& [name, mesh] : by_name) meshes.push_back(std::move(mesh));
  return meshes;
}

std::vector<MeshStep> ListMeshSteps(const Mesh& mesh) {
  std::vector<MeshStep> steps;
  for (const MeshPart& part : mesh.parts) {
    part.tag->blobs.ForEach([&](const BlobEntry& entry) {
      steps.push_back({.step = entry.step,
                       .wall_time_seconds = entry.wall_time_seconds,
                       .content_type = part.data.content_type,
                       .components = part.data.components,
                       .json_config = part.data.json_config,
                       .shape = part.data.shape});
    });
  }
  std::ranges::stable_sort(steps, {}, &MeshStep::step);
  return steps;
}

Result<std::string> ReadMeshData(const Run& run, const Mesh& mesh, proto::MeshContent content_type,
                                 std::int64_t step, std::int64_t sample) {
  std::string data;
  bool found = false;
  for (const MeshPart& part : mesh.parts) {
    if (part.data.content_type != content_type) continue;
    std::vector<std::size_t> indices;
    std::size_t index = 0;
    part.tag->blobs.ForEach([&](const BlobEntry& entry) {
      if (entry.step == step) indices.push_back(index);
      ++index;
    });
    found = found || !indices.empty();
    CBOARD_RETURN_IF_ERROR(
        ForEachBlob(run, *part.tag, indices, [&](const Blob& blob) -> Result<void> {
          CBOARD_ASSIGN_OR_RETURN(const std::string raw,
                                  ParseMeshValue(blob.bytes, content_type, sample));
          data += raw;
          return {};
        }));
  }
  if (!found) {
    return Fail(ErrorCode::kNotFound, "the mesh " + Quoted(mesh.name) +
                                          " has no data of content type " +
                                          std::to_string(static_cast<int>(content_type)) +
                                          " at step " + std::to_string(step));
  }
  return data;
}

std::vector<proto::LayoutCategory> ReadLayouts(const Snapshot& snapshot,
                                               std::vector<Error>& errors) {
  std::vector<std::vector<proto::LayoutCategory>> layouts;
  for (const auto& run : snapshot.runs) {
    const Tag* tag = run->Find(kCustomScalarsTag);
    if (tag == nullptr || tag->kind() != TagKind::kCustomScalars || tag->blobs.empty()) continue;
    const std::size_t newest = tag->blobs.size() - 1;
    const auto read =
        ForEachBlob(*run, *tag, std::span(&newest, 1), [&](const Blob& blob) -> Result<void> {
          CBOARD_ASSIGN_OR_RETURN(auto layout, ParseLayoutValue(blob.bytes));
          layouts.push_back(std::move(layout));
          return {};
        });
    if (!read) errors.push_back(read.error());
  }
  return MergeLayouts(layouts);
}

}  // namespace cboard::reader
