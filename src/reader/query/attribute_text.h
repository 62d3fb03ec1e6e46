// AttrValues in words.
#pragma once

#include <string_view>

#include "cboard/reader/graph_query.h"

namespace cboard::reader {

// A serialized AttrValue as text of about `max_bytes` at most. Damage is said in the text: one bad
// attribute is no reason not to show a graph.
GraphAttribute AttributeText(std::string_view key, std::string_view value, std::size_t max_bytes);

// AttrValue.list.shape, as `_output_shapes` is stored; nullopt for an unknown rank.
std::vector<std::optional<proto::Shape>> ShapesOf(std::string_view value);

}  // namespace cboard::reader
