// Finds layers that have different sizes in the two files, because channels were removed or added.
#pragma once

#include <optional>
#include <string>

#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Returns a note about layers that have the same name but different sizes: their number, and both
// sizes of the first one. nullopt if there are none.
std::optional<std::string> ResizedLayersNote(const PairedModels& models);

}  // namespace cboard::compare
