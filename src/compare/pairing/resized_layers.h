// Finds layers that have different sizes in the two files, because channels were removed or added.
#pragma once

#include <optional>
#include <string>

#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// Returns a note about layers that have the same name but different sizes. The note contains the
// number of these layers, and both sizes of the first layer. nullopt if there are no such layers.
std::optional<std::string> ResizedLayersNote(const PairedModels& models);

}  // namespace cboard::compare
