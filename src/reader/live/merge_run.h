// Merges the indexes of the files of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "cboard/reader/snapshot.h"
#include "reader/index/file_index.h"

namespace cboard::reader {

struct MergeOptions {
  bool purge = true;  // Whether points that a restart invalidated are left out, see purge.h.
  std::uint64_t version = 0;
};

// Merges the files of a run. `files` are sorted by name. The first file that contains a tag decides
// its kind; values of another kind in later files are counted as mismatched. Takes time in
// proportion to the number of tags; only for tags with a restart, in proportion to the number of
// points.
std::shared_ptr<const Run> MergeRun(std::string name, std::filesystem::path directory,
                                    std::span<const std::shared_ptr<const FileView>> files,
                                    const MergeOptions& options);

}  // namespace cboard::reader
