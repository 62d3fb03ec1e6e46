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
  bool purge = true;  // Leave out what restarts have made void, see purge.h.
  std::uint64_t version = 0;
};

// `files` are in the order of their names. The first file that has a tag decides what the tag is;
// values of another kind in later files are counted as mismatched. Takes time in proportion to the
// number of tags, and of points only where a restart has made some of them void.
std::shared_ptr<const Run> MergeRun(std::string name, std::filesystem::path directory,
                                    std::span<const std::shared_ptr<const FileView>> files,
                                    const MergeOptions& options);

}  // namespace cboard::reader
