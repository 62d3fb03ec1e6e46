// Converts AttrValue messages (attributes of graph nodes) to text.
#pragma once

#include <string_view>

#include "cboard/reader/graph_query.h"

namespace cboard::reader {

// A serialized AttrValue as text of at most about `max_bytes`. Damage is described in the text, so
// that one damaged attribute does not hide the graph.
GraphAttribute AttributeText(std::string_view key, std::string_view value, std::size_t max_bytes);

// The shapes in AttrValue.list.shape, the format of `_output_shapes`; nullopt for an unknown rank.
std::vector<std::optional<proto::Shape>> ShapesOf(std::string_view value);

}  // namespace cboard::reader
