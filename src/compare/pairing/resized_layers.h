// Layers that both files have in different sizes: channels were removed or added.
#pragma once

#include <optional>
#include <string>

#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// A sentence about layers whose name exists in the other file with another size: their number, and
// both sizes of the first one. Empty if there are none.
std::optional<std::string> ResizedLayersNote(const PairedModels& models);

}  // namespace cboard::compare
