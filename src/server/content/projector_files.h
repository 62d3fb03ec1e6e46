// Which runs have embeddings for the projector. They lie beside the event files and are no part of
// the snapshot.
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

// Nothing when the run has none, or one that cannot be read.
std::optional<reader::Projector> ProjectorOf(const reader::Snapshot& snapshot,
                                             const BoardAppearance& look, const std::string& run);

// As the config says or, where it does not, as the file has it; empty when that cannot be read.
std::vector<std::uint64_t> ShapeOf(const reader::Projector& projector,
                                   const reader::EmbeddingInfo& embedding);

}  // namespace cboard::server
