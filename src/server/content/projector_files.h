// Finds runs with embeddings for the projector. Their files are stored beside the event files and
// are not part of the snapshot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/reader/projector_query.h"
#include "cboard/reader/snapshot.h"
#include "server/content/board_appearance.h"

namespace cboard::server {

// Returns the runs with a projector config that names a tensor file, sorted by name. "." is the log
// directory itself; it is listed even if it has no event files.
std::vector<std::string> ProjectorRuns(const reader::Snapshot& snapshot,
                                       const BoardAppearance& look);

// Returns nullopt if the run has no config, or if its config cannot be read.
std::optional<reader::Projector> ProjectorOf(const reader::Snapshot& snapshot,
                                             const BoardAppearance& look, const std::string& run);

// Returns the shape of the tensor from the config, or else from the file; empty if it cannot be
// read.
std::vector<std::uint64_t> ShapeOf(const reader::Projector& projector,
                                   const reader::EmbeddingInfo& embedding);

}  // namespace cboard::server
