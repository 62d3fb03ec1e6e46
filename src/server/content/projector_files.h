// Finds runs with embeddings for the projector. Their files are beside the event files and not part
// of the snapshot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cboard/reader/projector_query.h"
#include "cboard/reader/snapshot.h"
#include "server/content/board_appearance.h"

namespace cboard::server {

// The runs with a projector config that names a tensor file, by name; "." is the log directory
// itself, which need not hold events for that.
std::vector<std::string> ProjectorRuns(const reader::Snapshot& snapshot,
                                       const BoardAppearance& look);

// nullopt if the run has no config, or one that cannot be read.
std::optional<reader::Projector> ProjectorOf(const reader::Snapshot& snapshot,
                                             const BoardAppearance& look, const std::string& run);

// The shape from the config, else from the file; empty if it cannot be read.
std::vector<std::uint64_t> ShapeOf(const reader::Projector& projector,
                                   const reader::EmbeddingInfo& embedding);

}  // namespace cboard::server
