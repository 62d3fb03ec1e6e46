#include <algorithm>

#include "cboard/reader/plugin_query.h"
#include "server/content/json_columns.h"
#include "server/tensorboard/tag_listing.h"

namespace cboard::server::tensorboard {
namespace {

Result<HttpResponse> GetMeshTags(const DataCall& call) {
  JsonWriter json;
  json.BeginObject();
  for (const reader::RunPointer& run : call.snapshot->runs) {
    const std::vector<reader::Mesh> meshes = reader::ListMeshes(*run);
    if (meshes.empty()) continue;
    json.Key(run->name).BeginObject();
    for (const reader::Mesh& mesh : meshes) {
      json.Key(mesh.name).BeginObject().Key("samples").Value(mesh.samples()).EndObject();
    }
    json.EndObject();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

struct FoundMesh {
  const reader::Run* run = nullptr;
  reader::Mesh mesh;
};

std::optional<FoundMesh> FindMesh(const DataCall& call) {
  const reader::Run* const run = call.snapshot->FindRun(call.Find("run").value_or(""));
  if (run == nullptr) return std::nullopt;
  const std::optional<std::string> name = call.Find("tag");
  for (reader::Mesh& mesh : reader::ListMeshes(*run)) {
    if (mesh.name == name) return FoundMesh{run, std::move(mesh)};
  }
  return std::nullopt;
}

Result<HttpResponse> GetMeshes(const DataCall& call) {
  const std::optional<FoundMesh> found = FindMesh(call);
  JsonWriter json;
  json.BeginArray();
  for (const reader::MeshStep& step :
       found ? reader::ListMeshSteps(found->mesh) : std::vector<reader::MeshStep>()) {
    json.BeginObject().Key("wall_time").Value(step.wall_time_seconds);
    json.Key("step").Value(step.step);
    json.Key("content_type").Value(static_cast<int>(step.content_type));
    json.Key("components").Value(step.components).Key("config").Value(step.json_config);
    WriteValues(json, "data_shape", step.shape);
    json.EndObject();
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

std::optional<proto::MeshContent> ContentOf(const std::optional<std::string>& name) {
  if (name == "VERTEX") return proto::MeshContent::kVertex;
  if (name == "FACE") return proto::MeshContent::kFace;
  if (name == "COLOR") return proto::MeshContent::kColor;
  return std::nullopt;
}

Result<HttpResponse> GetData(const DataCall& call) {
  const std::optional<proto::MeshContent> content = ContentOf(call.Find("content_type"));
  if (!content) return PlainResponse(400, "Bad content_type");
  constexpr std::size_t kMaxIndex = std::size_t{1} << 62;
  CBOARD_ASSIGN_OR_RETURN(const std::size_t step, call.target.NumberQuery("step", 0, kMaxIndex, 0));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t sample,
                          call.target.NumberQuery("sample", 0, kMaxIndex, 0));
  HttpResponse response = BlobResponse("application/octet-stream", std::string());
  if (const std::optional<FoundMesh> found = FindMesh(call)) {
    Result<std::string> data =
        reader::ReadMeshData(*found->run, found->mesh, *content, static_cast<std::int64_t>(step),
                             static_cast<std::int64_t>(sample));
    // For a missing value, responds with an empty body and status 200, like TensorBoard.
    if (!data && data.error().code != ErrorCode::kNotFound) return Fail(data.error());
    if (data) response.body = *std::move(data);
  }
  return response;
}

}  // namespace

std::vector<DataRoute> MeshRoutes() {
  return {{"/plugin/mesh/tags", GetMeshTags},
          {"/plugin/mesh/meshes", GetMeshes},
          {"/plugin/mesh/data", GetData}};
}

}  // namespace cboard::server::tensorboard
