#include "server/content/projector_files.h"

namespace cboard::server {
namespace {

// Returns the directory of a projector config that applies to all runs: the log directory, if there
// is only one.
std::optional<std::filesystem::path> RootDirectory(const BoardAppearance& look) {
  if (look.logdirs.size() != 1 || !look.logdirs.front().name.empty()) return std::nullopt;
  return look.logdirs.front().path;
}

std::optional<reader::Projector> ProjectorIn(const std::filesystem::path& directory) {
  Result<std::optional<reader::Projector>> projector = reader::FindProjector(directory);
  return projector ? *std::move(projector) : std::nullopt;
}

}  // namespace

std::vector<std::string> ProjectorRuns(const reader::Snapshot& snapshot,
                                       const BoardAppearance& look) {
  std::vector<std::string> names;
  for (const auto& run : snapshot.runs) {
    if (ProjectorIn(run->directory)) names.push_back(run->name);
  }
  const auto root = RootDirectory(look);
  if (root && snapshot.FindRun(".") == nullptr && ProjectorIn(*root)) {
    names.insert(names.begin(), ".");
  }
  return names;
}

std::optional<reader::Projector> ProjectorOf(const reader::Snapshot& snapshot,
                                             const BoardAppearance& look, const std::string& run) {
  if (const reader::Run* const found = snapshot.FindRun(run)) return ProjectorIn(found->directory);
  const auto root = RootDirectory(look);
  return run == "." && root ? ProjectorIn(*root) : std::nullopt;
}

std::vector<std::uint64_t> ShapeOf(const reader::Projector& projector,
                                   const reader::EmbeddingInfo& embedding) {
  if (!embedding.tensor_shape.empty()) {
    return {embedding.tensor_shape.begin(), embedding.tensor_shape.end()};
  }
  if (embedding.tensor_path.empty()) return {};
  const auto tensor = projector.ReadTensor(embedding.tensor_name);
  if (!tensor) return {};
  return {tensor->rows, tensor->columns};
}

}  // namespace cboard::server
