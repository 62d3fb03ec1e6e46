#include "model/graph/external_data.h"

#include <algorithm>
#include <filesystem>

#include "cboard/base/strings.h"

namespace cboard::model {
namespace fs = std::filesystem;
namespace {

tl::unexpected<Error> Refused(std::string_view location, const std::string& why) {
  return Fail(ErrorCode::kPermissionDenied, "the model refers to weights in " +
                                                Quoted(location, 300) + ", which " + why +
                                                "; weights must be in the model's folder");
}

// True if `path` is `folder` or is below it. Symbolic links must be resolved in both.
bool IsInside(const fs::path& folder, const fs::path& path) {
  const auto [end_of_folder, rest] = std::ranges::mismatch(folder, path);
  return end_of_folder == folder.end() && rest != path.end();
}

}  // namespace

Result<ByteSpan> ExternalData::Map(std::string_view location) {
  if (const auto found = mapped_.find(std::string(location)); found != mapped_.end()) {
    return found->second;
  }
  // Rejects a NUL character: the system would end the path there, after the check of the whole
  // path.
  if (location.empty() || location.find('\0') != std::string_view::npos) {
    return Refused(location, "is not a file name");
  }
  const fs::path relative(location);
  if (relative.is_absolute()) return Refused(location, "is an absolute path");
  if (std::ranges::find(relative, fs::path("..")) != relative.end()) {
    return Refused(location, "is outside of its folder");
  }
  const fs::path parent = graph_.file().path().parent_path();
  std::error_code error;
  const fs::path folder = fs::canonical(parent.empty() ? fs::path(".") : parent, error);
  const fs::path path = error ? fs::path() : fs::canonical(folder / relative, error);
  if (error) {
    return Fail(ErrorCode::kNotFound, "the model's weights are in " + Quoted(location, 300) +
                                          ", which does not exist; put the file next to the model");
  }
  if (!IsInside(folder, path))
    return Refused(location, "is a link to a place outside of its folder");
  // "w", "./w" and ".//w" are the same file, whose size counts once.
  if (const auto found = mapped_paths_.find(path.string()); found != mapped_paths_.end()) {
    return mapped_[std::string(location)] = found->second;
  }
  CBOARD_ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  Provide(location, file);
  mapped_paths_[path.string()] = file->bytes();
  return file->bytes();
}

void ExternalData::Provide(std::string_view location, std::shared_ptr<const MappedFile> file) {
  mapped_[std::string(location)] = file->bytes();
  graph_.AddFile(std::move(file));
}

}  // namespace cboard::model
