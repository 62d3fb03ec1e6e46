// Detects the format of a model from its content. Names are ambiguous: TensorFlow and ONNX both use
// .pb, and many programs use .bin.
#include "cboard/base/strings.h"
#include "model/graph/formats.h"
#include "proto/wire_reader.h"

namespace cboard::model {
namespace {

// Distinguishes ONNX, GraphDef and SavedModel by their fields: protobuf messages have no signature
// at the start of the file.
std::optional<ModelFormat> SniffProtobuf(std::string_view bytes) {
  bool has_nodes = false, has_version = false, has_onnx_graph = false, has_meta_graphs = false;
  const auto walked = proto::ReadMessage<int>("model", bytes, [&](proto::pbf_reader fields, int&) {
    while (fields.next()) {
      has_nodes |= fields.tag_and_type() == proto::Length(1);
      has_version |= fields.tag_and_type() == proto::Varint(1);
      has_meta_graphs |= fields.tag_and_type() == proto::Length(2);
      has_onnx_graph |= fields.tag_and_type() == proto::Length(7);
      fields.skip();
    }
  });
  // If a part of the file is damaged, the undamaged part decides the format; its reader then
  // reports the damage.
  if (has_nodes) return ModelFormat::kTensorFlowGraph;
  if (has_onnx_graph) return ModelFormat::kOnnx;
  if (has_version && has_meta_graphs) return ModelFormat::kSavedModel;
  if (walked || !has_version) return std::nullopt;
  return ModelFormat::kOnnx;
}

struct Signature {
  std::string_view bytes;
  std::string_view what;
};
constexpr Signature kOthers[] = {
    {"PK\x03\x04", "a zip archive, such as PyTorch and Keras write"},
    {"\x80\x02", "a Python pickle"},
    {"\x80\x04", "a Python pickle"},
    {"\x89HDF", "an HDF5 file, such as older Keras writes"},
    {"\x93NUMPY", "a numpy array"},
    {"version https://git-lfs", "a Git LFS pointer, not the model itself"},
};

}  // namespace

Result<std::optional<ModelFormat>> SniffFormat(std::string_view bytes) {
  if (bytes.starts_with("GGUF")) return ModelFormat::kGguf;
  if (bytes.size() >= 8 && bytes.substr(4, 4) == "TFL3") return ModelFormat::kTflite;
  for (const Signature& other : kOthers) {
    if (!bytes.starts_with(other.bytes)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "this is " + std::string(other.what) +
                    "; export the model to ONNX, safetensors, GGUF, TFLite, OpenVINO IR or a "
                    "TensorFlow graph");
  }
  std::string_view text = bytes;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with("<?xml") || text.starts_with("<net")) return ModelFormat::kOpenVino;
  if (text.starts_with('{')) return ModelFormat::kSafetensors;
  if (bytes.size() >= 9 && bytes[8] == '{' &&
      LoadLittleEndian<std::uint64_t>(AsBytes(bytes)) <= bytes.size()) {
    return ModelFormat::kSafetensors;
  }
  return SniffProtobuf(bytes);
}

Result<ModelGraph> ReadModel(ModelFormat format, std::shared_ptr<const MappedFile> file,
                             const InputShapes& shapes) {
  const bool infers_shapes = format == ModelFormat::kOnnx ||
                             format == ModelFormat::kTensorFlowGraph ||
                             format == ModelFormat::kSavedModel;
  if (!shapes.empty() && !infers_shapes) {
    return Fail(ErrorCode::kInvalidArgument,
                "shapes can be given only for ONNX and TensorFlow models; a " +
                    std::string(NameOf(format)) +
                    " file has fixed shapes, which you can change when you export the model");
  }
  switch (format) {
    case ModelFormat::kOnnx:
      return ReadOnnx(std::move(file), shapes);
    case ModelFormat::kSafetensors:
      return file->text().size() >= 9 && file->text()[8] == '{' && !file->text().starts_with('{')
                 ? ReadSafetensors(std::move(file))
                 : ReadSafetensorsIndex(std::move(file));
    case ModelFormat::kGguf:
      return ReadGguf(std::move(file));
    case ModelFormat::kTensorFlowGraph:
      return ReadTensorFlowGraph(std::move(file), shapes);
    case ModelFormat::kSavedModel:
      return ReadSavedModel(std::move(file), shapes);
    case ModelFormat::kTflite:
      return ReadTflite(std::move(file));
    case ModelFormat::kOpenVino:
      return ReadOpenVino(std::move(file));
  }
  return Fail(ErrorCode::kInvalidArgument, "the model format is unknown");
}

namespace {

// Finds the model file in a directory that TensorFlow or a Hugging Face library has written.
Result<std::filesystem::path> ModelIn(const std::filesystem::path& directory) {
  std::string names;
  for (const char* name :
       {"saved_model.pb", "model.safetensors.index.json", "model.safetensors", "model.onnx"}) {
    std::error_code error;
    if (std::filesystem::exists(directory / name, error)) return directory / name;
    names += (names.empty() ? "" : ", ") + std::string(name);
  }
  return Fail(ErrorCode::kInvalidArgument, Quoted(directory.string(), 1000) +
                                               " is a directory without a model file (" + names +
                                               "); give the path of the model file");
}

}  // namespace

Result<ModelGraph> OpenModel(const std::filesystem::path& path, const InputShapes& shapes) {
  std::filesystem::path model = path;
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    CBOARD_ASSIGN_OR_RETURN(model, ModelIn(path));
  }
  CBOARD_ASSIGN_OR_RETURN(auto file, MappedFile::Open(model));
  const auto read = [&]() -> Result<ModelGraph> {
    if (file->text().empty())
      return Fail(ErrorCode::kDataLoss, "the model file is empty; export the model again");
    CBOARD_ASSIGN_OR_RETURN(const std::optional<ModelFormat> format, SniffFormat(file->text()));
    if (!format) {
      return Fail(ErrorCode::kInvalidArgument,
                  "this is not a model file of a known format; give ONNX, safetensors, GGUF, "
                  "TensorFlow, TFLite or OpenVINO IR");
    }
    return ReadModel(*format, file, shapes);
  };
  Result<ModelGraph> graph = read();
  // If the file has changed while it was read, reports this, because it explains any other error.
  CBOARD_RETURN_IF_ERROR(graph ? graph->CheckUnchanged() : file->CheckUnchanged());
  if (!graph) return Fail(Annotate(std::move(graph).error(), Quoted(model.string(), 1000)));
  return graph;
}

}  // namespace cboard::model
