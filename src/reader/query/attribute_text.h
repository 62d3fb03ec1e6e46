// Converts AttrValue messages (attributes of graph nodes) to text.
#pragma once

#include <string_view>

#include "cboard/reader/graph_query.h"

namespace cboard::reader {

// Returns the text of a serialized AttrValue, with about `max_bytes` at most. If the value is
// damaged, the text says so: one damaged attribute must not hide the whole graph.
GraphAttribute AttributeText(std::string_view key, std::string_view value, std::size_t max_bytes);

// Returns the shapes in AttrValue.list.shape, which is the format of `_output_shapes`. A shape of
// unknown rank is nullopt.
std::vector<std::optional<proto::Shape>> ShapesOf(std::string_view value);

}  // namespace cboard::reader
