// Layers that both files have, but not in one size: channels were removed, or added.
#pragma once

#include <optional>
#include <string>

#include "compare/pairing/paired_models.h"

namespace cboard::compare {

// A sentence about those that have no partner but one of their name: how many, and what became of
// the first of them. Nothing when there are none.
std::optional<std::string> ResizedLayersNote(const PairedModels& models);

}  // namespace cboard::compare
