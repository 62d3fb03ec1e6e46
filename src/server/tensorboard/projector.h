// Which runs have embeddings for the projector.
#pragma once

#include <string>
#include <vector>

#include "server/tensorboard/data_route.h"

namespace cboard::tensorboard {

// The runs with a projector config that names a tensor file, by name; "." is the log directory
// itself, which need not hold events for that.
std::vector<std::string> ProjectorRuns(const DataCall& call);

}  // namespace cboard::tensorboard
