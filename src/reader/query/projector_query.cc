#include "cboard/reader/projector_query.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::reader {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfigName = "projector_config.pbtxt";
constexpr std::string_view kPluginAssets = "plugins/org_tensorflow_tensorboard_projector";

std::string_view WithoutOutput(std::string_view name) {
  return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name;
}

bool IsInside(const fs::path& directory, const fs::path& path) {
  const auto [end, _] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  return end == directory.end();
}

// Parses a number like Python's float(). Spaces around it are allowed.
bool ParseNumber(std::string_view text, double& number) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\r')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return !text.empty() && error == std::errc() && stop == end;
}

Result<ProjectorTensor> FromFloats(std::string_view bytes, const EmbeddingInfo& embedding) {
  const auto& shape = embedding.tensor_shape;
  if (shape.size() != 2 || std::uint64_t{shape[0]} * shape[1] != bytes.size() / sizeof(float) ||
      bytes.size() % sizeof(float) != 0) {
    return Fail(ErrorCode::kDataLoss, "the tensor file " + Quoted(embedding.tensor_path) + " of " +
                                          std::to_string(bytes.size()) +
                                          " bytes is neither a text file nor float32 values with "
                                          "the shape in projector_config.pbtxt");
  }
  ProjectorTensor tensor = {.rows = shape[0], .columns = shape[1], .values = {}};
  tensor.values.resize(bytes.size() / sizeof(float));
  if (!bytes.empty()) std::memcpy(tensor.values.data(), bytes.data(), bytes.size());
  return tensor;
}

}  // namespace

Result<ProjectorTensor> ParseTensorTsv(std::string_view text, std::size_t max_rows) {
  ProjectorTensor tensor;
  std::size_t line_number = 0;
  while (!text.empty() && (max_rows == 0 || tensor.rows < max_rows)) {
    const std::size_t newline = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(std::min(newline + 1, text.size()));
    ++line_number;
    if (line.empty()) continue;
    std::size_t columns = 0;
    for (bool more = true; more; ++columns) {
      const std::size_t tab = line.find('\t');
      more = tab != std::string_view::npos;
      double number = 0;
      if (!ParseNumber(line.substr(0, tab), number)) {
        return Fail(ErrorCode::kDataLoss, "line " + std::to_string(line_number) + ", column " +
                                              std::to_string(columns + 1) + ": " +
                                              Quoted(line.substr(0, tab), 40) + " is not a number");
      }
      tensor.values.push_back(static_cast<float>(number));
      if (more) line.remove_prefix(tab + 1);
    }
    if (tensor.rows > 0 && columns != tensor.columns) {
      return Fail(ErrorCode::kDataLoss,
                  "line " + std::to_string(line_number) + " has " + std::to_string(columns) +
                      " numbers, but the lines before it have " + std::to_string(tensor.columns));
    }
    tensor.columns = columns;
    ++tensor.rows;
  }
  return tensor;
}

Projector::Projector(ProjectorConfig config, fs::path directory, ProjectorLimits limits)
    : config_(std::move(config)), directory_(std::move(directory)), limits_(limits) {
  for (EmbeddingInfo& embedding : config_.embeddings) {
    if (embedding.tensor_name.empty() && !embedding.tensor_path.empty()) {
      embedding.tensor_name = fs::path(embedding.tensor_path).filename().string();
    }
    embedding.tensor_name = WithoutOutput(embedding.tensor_name);
  }
}

const EmbeddingInfo* Projector::Find(std::string_view tensor_name) const {
  const std::string_view name = WithoutOutput(tensor_name);
  const auto found = std::ranges::find(config_.embeddings, name, &EmbeddingInfo::tensor_name);
  return found == config_.embeddings.end() ? nullptr : &*found;
}

Result<const EmbeddingInfo*> Projector::Require(std::string_view tensor_name) const {
  const EmbeddingInfo* embedding = Find(tensor_name);
  if (embedding == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "projector_config.pbtxt lists no tensor with the name " + Quoted(tensor_name));
  }
  return embedding;
}

Result<fs::path> Projector::Resolve(std::string_view path) const {
  const auto refuse = [&](ErrorCode code, std::string_view why) {
    return Fail(code, "the file " + Quoted(path) + " of the projector " + std::string(why));
  };
  if (path.empty() || path.find('\0') != std::string_view::npos) {
    return refuse(ErrorCode::kNotFound, "has no path");
  }
  std::error_code error;
  const fs::path home = fs::canonical(directory_, error);
  if (error) return refuse(ErrorCode::kNotFound, "cannot be found: its directory was removed");
  // Resolves links before the path is checked, because a link may lead anywhere.
  const fs::path candidate = fs::weakly_canonical(home / fs::path(path), error);
  if (error || !IsInside(home, candidate)) {
    return refuse(ErrorCode::kPermissionDenied,
                  "is outside of the directory of projector_config.pbtxt");
  }
  if (!fs::is_regular_file(candidate, error)) {
    return refuse(ErrorCode::kNotFound, "is not a regular file");
  }
  return candidate;
}

Result<std::string> Projector::ReadInside(std::string_view path, std::uint64_t max_bytes) const {
  CBOARD_ASSIGN_OR_RETURN(const fs::path resolved, Resolve(path));
  return ReadFile(resolved, max_bytes);
}

Result<std::string> Projector::ReadAsset(std::string_view tensor_name, std::string_view what,
                                         std::string EmbeddingInfo::*path) const {
  CBOARD_ASSIGN_OR_RETURN(const EmbeddingInfo* embedding, Require(tensor_name));
  if ((embedding->*path).empty()) {
    return Fail(ErrorCode::kNotFound, "the projector's tensor " + Quoted(tensor_name) +
                                          " has no file with its " + std::string(what));
  }
  return ReadInside(embedding->*path, limits_.max_asset_bytes);
}

Result<ProjectorTensor> Projector::ReadTensor(std::string_view tensor_name,
                                              std::size_t max_rows) const {
  CBOARD_ASSIGN_OR_RETURN(const EmbeddingInfo* embedding, Require(tensor_name));
  if (embedding->tensor_path.empty()) {
    return Fail(
        ErrorCode::kNotFound,
        "the tensor " + Quoted(tensor_name) +
            " is in a TensorFlow checkpoint, which cannot be read; save it as a tensor file");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string bytes,
                          ReadInside(embedding->tensor_path, limits_.max_tensor_bytes));
  Result<ProjectorTensor> tensor =
      IsValidUtf8(bytes) ? ParseTensorTsv(bytes, max_rows) : FromFloats(bytes, *embedding);
  if (!tensor && IsValidUtf8(bytes)) {
    // Tries binary floats too: their bytes may be valid text by chance.
    if (auto floats = FromFloats(bytes, *embedding)) tensor = std::move(floats);
  }
  if (!tensor) return Fail(Annotate(tensor.error(), Quoted(embedding->tensor_path)));
  if (max_rows > 0 && tensor->rows > max_rows) {
    tensor->rows = max_rows;
    tensor->values.resize(max_rows * tensor->columns);
  }
  return tensor;
}

Result<std::string> Projector::ReadMetadata(std::string_view tensor_name,
                                            std::size_t max_rows) const {
  CBOARD_ASSIGN_OR_RETURN(std::string text,
                          ReadAsset(tensor_name, "metadata", &EmbeddingInfo::metadata_path));
  if (max_rows == 0) return text;
  const std::size_t first_end = std::min(text.find('\n'), text.size());
  const bool has_header =
      std::string_view(text).substr(0, first_end).find('\t') != std::string::npos;
  std::size_t end = 0;
  for (std::size_t lines = max_rows + (has_header ? 1 : 0); lines > 0 && end < text.size();
       --lines) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  text.resize(end);
  return text;
}

Result<std::string> Projector::ReadBookmarks(std::string_view tensor_name) const {
  return ReadAsset(tensor_name, "bookmarks", &EmbeddingInfo::bookmarks_path);
}

Result<std::string> Projector::ReadSprite(std::string_view tensor_name) const {
  CBOARD_ASSIGN_OR_RETURN(const EmbeddingInfo* embedding, Require(tensor_name));
  if (!embedding->sprite || embedding->sprite->image_path.empty()) {
    return Fail(ErrorCode::kNotFound,
                "the projector's tensor " + Quoted(tensor_name) + " has no images of its points");
  }
  return ReadInside(embedding->sprite->image_path, limits_.max_asset_bytes);
}

Result<std::optional<Projector>> FindProjector(const fs::path& run_directory,
                                               const ProjectorLimits& limits) {
  for (const fs::path& directory : {run_directory / kPluginAssets, run_directory}) {
    const fs::path path = directory / kConfigName;
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    CBOARD_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, limits.max_config_bytes));
    Result<ProjectorConfig> config = ParseProjectorConfig(text);
    if (!config) return Fail(Annotate(config.error(), path.string()));
    const auto has_file = [](const EmbeddingInfo& embedding) {
      return !embedding.tensor_path.empty();
    };
    if (std::ranges::none_of(config->embeddings, has_file)) continue;
    return Projector(*std::move(config), directory, limits);
  }
  return std::optional<Projector>();
}

}  // namespace cboard::reader
