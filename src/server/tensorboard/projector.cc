#include <bit>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "server/content/json_columns.h"
#include "server/content/projector_files.h"
#include "server/tensorboard/data_route.h"

namespace cboard::server::tensorboard {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are sent as they lie in memory");

constexpr std::size_t kMaxRows = std::size_t{1} << 40;

std::optional<reader::Projector> ProjectorOf(const DataCall& call, const std::string& run) {
  return cboard::server::ProjectorOf(*call.snapshot, call.look, run);
}

Result<HttpResponse> GetProjectorRuns(const DataCall& call) {
  JsonWriter json;
  json.BeginArray();
  for (const std::string& name : ProjectorRuns(*call.snapshot, call.look)) json.Value(name);
  json.EndArray();
  return JsonResponse(json.Take());
}

void WriteText(JsonWriter& json, std::string_view key, const std::string& text) {
  if (!text.empty()) json.Key(key).Value(text);
}

void WriteEmbedding(JsonWriter& json, const reader::Projector& projector,
                    const reader::EmbeddingInfo& embedding) {
  json.BeginObject();
  WriteText(json, "tensorName", embedding.tensor_name);
  WriteText(json, "metadataPath", embedding.metadata_path);
  WriteText(json, "bookmarksPath", embedding.bookmarks_path);
  const std::vector<std::uint64_t> shape = ShapeOf(projector, embedding);
  if (!shape.empty()) WriteValues(json, "tensorShape", shape);
  if (embedding.sprite) {
    json.Key("sprite").BeginObject();
    WriteText(json, "imagePath", embedding.sprite->image_path);
    if (!embedding.sprite->single_image_dim.empty()) {
      WriteValues(json, "singleImageDim", embedding.sprite->single_image_dim);
    }
    json.EndObject();
  }
  WriteText(json, "tensorPath", embedding.tensor_path);
  json.EndObject();
}

HttpResponse UnknownRun(const std::string& run) {
  return PlainResponse(400, "Unknown run: \"" + ToValidUtf8(run) + "\"");
}

Result<HttpResponse> GetProjectorInfo(const DataCall& call) {
  const std::optional<std::string> run = call.Find("run");
  if (!run) return PlainResponse(400, "query parameter \"run\" is required");
  const std::optional<reader::Projector> projector = ProjectorOf(call, *run);
  if (!projector) return UnknownRun(*run);
  const reader::ProjectorConfig& config = projector->config();
  JsonWriter json;
  json.BeginObject();
  WriteText(json, "modelCheckpointPath", config.model_checkpoint_path);
  WriteText(json, "modelCheckpointDir", config.model_checkpoint_dir);
  json.Key("embeddings").BeginArray();
  for (const reader::EmbeddingInfo& embedding : config.embeddings) {
    WriteEmbedding(json, *projector, embedding);
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

// Handles a request for one tensor of one run; every error has status 400, as in TensorBoard.
using MakeTensorResponse = Result<HttpResponse> (*)(const reader::Projector& projector,
                                                    const std::string& name, std::size_t rows);

Result<HttpResponse> TensorResponse(const DataCall& call, MakeTensorResponse make_response) {
  const std::optional<std::string> run = call.Find("run");
  if (!run) return PlainResponse(400, "query parameter \"run\" is required");
  const std::optional<std::string> name = call.Find("name");
  if (!name) return PlainResponse(400, "query parameter \"name\" is required");
  const Result<std::size_t> rows = call.target.NumberQuery("num_rows", 1, kMaxRows, 0);
  if (!rows) return PlainResponse(400, "query parameter num_rows must be integer > 0");
  const std::optional<reader::Projector> projector = ProjectorOf(call, *run);
  if (!projector) return UnknownRun(*run);
  Result<HttpResponse> response = make_response(*projector, *name, *rows);
  return response ? *std::move(response) : PlainResponse(400, response.error().message);
}

Result<HttpResponse> GetMetadata(const DataCall& call) {
  return TensorResponse(call,
                        [](const reader::Projector& projector, const std::string& name,
                           std::size_t rows) -> Result<HttpResponse> {
                          CBOARD_ASSIGN_OR_RETURN(std::string text,
                                                  projector.ReadMetadata(name, rows));
                          return BlobResponse("text/plain; charset=utf-8", std::move(text));
                        });
}

Result<HttpResponse> GetTensor(const DataCall& call) {
  return TensorResponse(call,
                        [](const reader::Projector& projector, const std::string& name,
                           std::size_t rows) -> Result<HttpResponse> {
                          CBOARD_ASSIGN_OR_RETURN(const reader::ProjectorTensor tensor,
                                                  projector.ReadTensor(name, rows));
                          std::string bytes(reinterpret_cast<const char*>(tensor.values.data()),
                                            tensor.values.size() * sizeof(float));
                          return BlobResponse("application/octet-stream", std::move(bytes));
                        });
}

Result<HttpResponse> GetBookmarks(const DataCall& call) {
  return TensorResponse(call,
                        [](const reader::Projector& projector, const std::string& name,
                           std::size_t) -> Result<HttpResponse> {
                          CBOARD_ASSIGN_OR_RETURN(std::string json, projector.ReadBookmarks(name));
                          return BlobResponse("application/json", std::move(json));
                        });
}

Result<HttpResponse> GetSpriteImage(const DataCall& call) {
  return TensorResponse(call,
                        [](const reader::Projector& projector, const std::string& name,
                           std::size_t) -> Result<HttpResponse> {
                          CBOARD_ASSIGN_OR_RETURN(std::string image, projector.ReadSprite(name));
                          const std::string type(reader::MimeTypeOf(reader::SniffMediaType(image)));
                          return BlobResponse(type, std::move(image));
                        });
}

}  // namespace

std::vector<DataRoute> ProjectorRoutes() {
  return {{"/plugin/projector/runs", GetProjectorRuns},
          {"/plugin/projector/info", GetProjectorInfo},
          {"/plugin/projector/metadata", GetMetadata},
          {"/plugin/projector/tensor", GetTensor},
          {"/plugin/projector/bookmarks", GetBookmarks},
          {"/plugin/projector/sprite_image", GetSpriteImage}};
}

}  // namespace cboard::server::tensorboard
