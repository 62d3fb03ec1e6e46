// Routes for the projector: the list of embeddings, and the files that their configs name.
#include <bit>

#include "cboard/base/strings.h"
#include "server/api/entries.h"
#include "server/content/json_columns.h"
#include "server/content/projector_files.h"

namespace cboard::server {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are sent as they lie in memory");

Result<HttpResponse> GetEmbeddings(const ApiCall& call) {
  struct Row {
    std::string run;
    reader::EmbeddingInfo info;
    std::vector<std::uint64_t> shape;
  };
  std::vector<Row> rows;
  for (const std::string& run : ProjectorRuns(*call.snapshot, call.look)) {
    const std::optional<reader::Projector> projector = ProjectorOf(*call.snapshot, call.look, run);
    if (!projector) continue;  // Deleted since the runs were listed.
    for (const reader::EmbeddingInfo& info : projector->config().embeddings) {
      rows.push_back({run, info, ShapeOf(*projector, info)});
    }
  }
  JsonWriter json;
  json.BeginObject().Key("snapshot").Value(call.snapshot->version);
  WriteValues(json, "runs", rows, &Row::run);
  WriteValues(json, "names", rows, [](const Row& row) { return row.info.tensor_name; });
  json.Key("shapes").BeginArray();
  for (const Row& row : rows) {
    json.BeginArray();
    for (const std::uint64_t size : row.shape) json.Value(size);
    json.EndArray();
  }
  json.EndArray();
  WriteValues(json, "have_metadata", rows,
              [](const Row& row) { return !row.info.metadata_path.empty(); });
  WriteValues(json, "have_bookmarks", rows,
              [](const Row& row) { return !row.info.bookmarks_path.empty(); });
  json.Key("sprites").BeginArray();
  for (const Row& row : rows) {
    if (!row.info.sprite) {
      json.Null();
      continue;
    }
    json.BeginArray();
    for (const std::uint32_t size : row.info.sprite->single_image_dim) json.Value(size);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return JsonResponse(json.Take());
}

struct Queried {
  reader::Projector projector;
  std::string name;
  std::size_t rows = 0;
};

Result<Queried> QueriedTensor(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run, call.target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(std::string name, call.target.Query("name"));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t rows,
                          call.target.NumberQuery("rows", 1, std::size_t{1} << 40, 0));
  std::optional<reader::Projector> projector = ProjectorOf(*call.snapshot, call.look, run);
  if (!projector) {
    return Fail(ErrorCode::kNotFound, "run " + Quoted(run) + " has no embeddings");
  }
  return Queried{*std::move(projector), std::move(name), rows};
}

Result<HttpResponse> GetTensor(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Queried queried, QueriedTensor(call));
  CBOARD_ASSIGN_OR_RETURN(const reader::ProjectorTensor tensor,
                          queried.projector.ReadTensor(queried.name, queried.rows));
  std::string bytes(reinterpret_cast<const char*>(tensor.values.data()),
                    tensor.values.size() * sizeof(float));
  return BlobResponse("application/octet-stream", std::move(bytes));
}

Result<HttpResponse> GetMetadata(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Queried queried, QueriedTensor(call));
  CBOARD_ASSIGN_OR_RETURN(std::string text,
                          queried.projector.ReadMetadata(queried.name, queried.rows));
  return BlobResponse("text/plain; charset=utf-8", std::move(text));
}

Result<HttpResponse> GetBookmarks(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Queried queried, QueriedTensor(call));
  CBOARD_ASSIGN_OR_RETURN(std::string text, queried.projector.ReadBookmarks(queried.name));
  return BlobResponse("application/json", std::move(text));
}

Result<HttpResponse> GetSprite(const ApiCall& call) {
  CBOARD_ASSIGN_OR_RETURN(const Queried queried, QueriedTensor(call));
  CBOARD_ASSIGN_OR_RETURN(std::string image, queried.projector.ReadSprite(queried.name));
  const std::string type(reader::MimeTypeOf(reader::SniffMediaType(image)));
  return BlobResponse(type, std::move(image));
}

}  // namespace

std::vector<ApiRoute> ProjectorRoutes() {
  const Parameter run = RunParameter();
  const Parameter name = {"name", ParameterType::kText, true, false, "The embedding's name."};
  const Parameter rows = {"rows", ParameterType::kWhole, false, false,
                          "At most so many rows; all if not given."};
  return {
      {.method = "GET",
       .path = "/embeddings",
       .summary = "The embeddings of all runs, without their numbers.",
       .in_snapshot = false,
       .handler = GetEmbeddings},
      {.method = "GET",
       .path = "/embeddings/tensor",
       .summary = "The numbers of an embedding, row by row: float32, little-endian.",
       .parameters = {run, name, rows},
       .response_type = "application/octet-stream",
       .in_snapshot = false,
       .handler = GetTensor},
      {.method = "GET",
       .path = "/embeddings/metadata",
       .summary = "Labels of an embedding's rows: tab-separated, as logged.",
       .parameters = {run, name, rows},
       .response_type = "text/plain",
       .in_snapshot = false,
       .handler = GetMetadata},
      {.method = "GET",
       .path = "/embeddings/bookmarks",
       .summary = "The projector's bookmarks of an embedding, as logged.",
       .parameters = {run, name},
       .in_snapshot = false,
       .handler = GetBookmarks},
      {.method = "GET",
       .path = "/embeddings/sprite",
       .summary = "One image with the pictures of all rows of an embedding.",
       .parameters = {run, name},
       .response_type = "image/png",
       .in_snapshot = false,
       .handler = GetSprite},
  };
}

}  // namespace cboard::server
