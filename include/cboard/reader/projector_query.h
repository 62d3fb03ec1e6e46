// Embeddings for the projector: projector_config.pbtxt of a run and the files that it names.
//
//   CBOARD_ASSIGN_OR_RETURN(const auto projector, FindProjector(run.directory));
//   if (!projector) return;  // The run has no embeddings.
//   CBOARD_ASSIGN_OR_RETURN(const auto tensor, projector->ReadTensor("default:00000"));
//
// The names in a config are untrusted: files are read only if they lie in the
// directory of the config, also after following links, and only up to a limit.
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
  std::vector<std::uint32_t> single_image_dim;  // Width and height of one picture.

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

// Reads protobuf's text form. Unknown fields are skipped. Fails with kDataLoss and the line.
Result<ProjectorConfig> ParseProjectorConfig(std::string_view text);

// Rows of equal length, one after the other.
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

// A config, and the directory that its paths start from. Names of tensors may leave out ":0".
class Projector {
 public:
  Projector(ProjectorConfig config, std::filesystem::path directory, ProjectorLimits limits = {});

  // With names filled in where there was only a path, and without ":0" at their ends.
  const ProjectorConfig& config() const { return config_; }
  const EmbeddingInfo* Find(std::string_view tensor_name) const;  // nullptr if there is none.

  // A file of tab-separated numbers or, if it is none, of floats in the shape that the config
  // gives. At most `max_rows` rows; 0: all. Fails with kNotFound when the config names no such
  // tensor or file, kPermissionDenied when the path leads outside, kDataLoss when the file is
  // neither.
  Result<ProjectorTensor> ReadTensor(std::string_view tensor_name, std::size_t max_rows = 0) const;

  // The first `max_rows` lines (0: all), not counting a header, which is there if the first line
  // has tabs.
  Result<std::string> ReadMetadata(std::string_view tensor_name, std::size_t max_rows = 0) const;

  Result<std::string> ReadBookmarks(std::string_view tensor_name) const;  // JSON, as it is.
  Result<std::string> ReadSprite(std::string_view tensor_name) const;     // See SniffMediaType.

  // Where an asset lies, if that is inside the directory.
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

// Numbers separated by tabs, a row per line; empty lines do not count. Fails with kDataLoss and the
// line. Stops after `max_rows` rows, unless that is 0.
Result<ProjectorTensor> ParseTensorTsv(std::string_view text, std::size_t max_rows = 0);

// The projector of a run: its config is in `run_directory`, or among its plugins' assets, which
// win. Nothing if there is no config, or one that names no tensor file.
Result<std::optional<Projector>> FindProjector(const std::filesystem::path& run_directory,
                                               const ProjectorLimits& limits = {});

}  // namespace cboard::reader
