// Reads embeddings for the projector: projector_config.pbtxt of a run and the files that it names.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto projector, FindProjector(run.directory));
//   if (!projector) return;  // The run has no embeddings.
//   CBOARD_ASSIGN_OR_RETURN(const auto tensor, projector->ReadTensor("default:00000"));
//
// The paths in a config are not trusted. A file is read only if it is inside the directory of the
// config, also after symbolic links are resolved, and only up to a size limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/media_query.h"

namespace cboard::reader {

struct SpriteInfo {
  std::string image_path;
  std::vector<std::uint32_t> single_image_dim;  // Width and height of one image in the sprite.

  friend bool operator==(const SpriteInfo&, const SpriteInfo&) = default;
};

struct EmbeddingInfo {
  std::string tensor_name;
  std::string metadata_path;
  std::string bookmarks_path;
  std::vector<std::uint32_t> tensor_shape;
  std::optional<SpriteInfo> sprite;
  std::string tensor_path;

  friend bool operator==(const EmbeddingInfo&, const EmbeddingInfo&) = default;
};

struct ProjectorConfig {
  std::string model_checkpoint_path;
  std::string model_checkpoint_dir;
  std::vector<EmbeddingInfo> embeddings;

  friend bool operator==(const ProjectorConfig&, const ProjectorConfig&) = default;
};

// Parses a config in protobuf's text form. Unknown fields are skipped. Fails with kDataLoss; the
// error names the line.
Result<ProjectorConfig> ParseProjectorConfig(std::string_view text);

// A matrix of embeddings, stored row by row.
struct ProjectorTensor {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<float> values;
};

struct ProjectorLimits {
  std::uint64_t max_config_bytes = std::uint64_t{16} << 20;
  std::uint64_t max_tensor_bytes = std::uint64_t{1} << 30;
  std::uint64_t max_asset_bytes = std::uint64_t{256} << 20;
};

// A projector config, and the directory that its paths are relative to. Names of tensors may omit
// ":0".
class Projector {
 public:
  Projector(ProjectorConfig config, std::filesystem::path directory, ProjectorLimits limits = {});

  // Returns the parsed config. A missing tensor name is taken from the path, and the suffix ":0" of
  // names is removed.
  const ProjectorConfig& config() const { return config_; }
  const EmbeddingInfo* Find(std::string_view tensor_name) const;  // nullptr if there is none.

  // Reads a tensor: a file of tab-separated numbers, or a binary file of floats whose shape is in
  // the config. Reads at most `max_rows` rows; 0 means all. Fails with kNotFound if the config has
  // no such tensor or the file does not exist, with kPermissionDenied if the path leads out of the
  // directory, and with kDataLoss if the file has neither format.
  Result<ProjectorTensor> ReadTensor(std::string_view tensor_name, std::size_t max_rows = 0) const;

  // Reads the first `max_rows` lines of the labels; 0 means all. If there is a header line, reads
  // it in addition. The first line is a header if it contains tabs.
  Result<std::string> ReadMetadata(std::string_view tensor_name, std::size_t max_rows = 0) const;

  Result<std::string> ReadBookmarks(std::string_view tensor_name) const;  // JSON, unchanged.
  // Returns the bytes of the sprite image. SniffMediaType detects their format.
  Result<std::string> ReadSprite(std::string_view tensor_name) const;

  // Returns the full path of an asset. Fails if it is not inside the directory.
  Result<std::filesystem::path> Resolve(std::string_view path) const;

 private:
  Result<std::string> ReadAsset(std::string_view tensor_name, std::string_view what,
                                std::string EmbeddingInfo::*path) const;
  Result<std::string> ReadInside(std::string_view path, std::uint64_t max_bytes) const;
  Result<const EmbeddingInfo*> Require(std::string_view tensor_name) const;

  ProjectorConfig config_;
  std::filesystem::path directory_;
  ProjectorLimits limits_;
};

// Parses tab-separated numbers, one row per line. Empty lines are ignored. Stops after `max_rows`
// rows; 0 means all. Fails with kDataLoss; the error names the line.
Result<ProjectorTensor> ParseTensorTsv(std::string_view text, std::size_t max_rows = 0);

// Finds the projector of a run. Its config is in `run_directory`, or among the assets of its
// plugins; the assets are preferred. Returns nullopt if there is no config, or if the config names
// no tensor file.
Result<std::optional<Projector>> FindProjector(const std::filesystem::path& run_directory,
                                               const ProjectorLimits& limits = {});

}  // namespace cboard::reader
