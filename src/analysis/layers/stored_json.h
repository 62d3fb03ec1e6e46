// Reads the JSON that `compare --logdir` stores beside the metrics: one text per comparison, so
// that a repeated comparison replaces the whole text. docs/formats/compression-tags.md lists the
// fields.
#pragma once

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>

#include "cboard/analysis/layers.h"
#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"

namespace cboard::analysis {

using JsonObject = simdjson::dom::object;

// Return a member of the object; an empty text or nullopt if it is missing or has another type.
std::string TextIn(const JsonObject& object, std::string_view key);
std::optional<double> NumberIn(const JsonObject& object, std::string_view key);

// Calls `visit` for each element of this type and skips others.
template <typename Element, typename Visit>
void ForEachIn(const JsonObject& object, std::string_view key, const Visit& visit) {
  simdjson::dom::array elements;
  if (object[key].get(elements) != simdjson::SUCCESS) return;
  for (const simdjson::dom::element element : elements) {
    Element value;
    if (element.get(value) == simdjson::SUCCESS) visit(value);
  }
}

// Parses a stored text. Fails if it is not a JSON object of a known version; the message names the
// text by `what`. The object is valid as long as `parser`.
Result<JsonObject> ParseStored(std::string_view json, std::string_view what,
                               simdjson::dom::parser& parser);

// Returns the tag <model><middle><variant> of our own writers, such as middle "/findings/"; nullptr
// if the run has none.
const reader::Tag* FindStored(const reader::Run& run, std::string_view middle,
                              const LayerFilter& filter);

// Returns the last value of the tag.
Result<std::string> ReadStored(const reader::Run& run, const reader::Tag& tag);

}  // namespace cboard::analysis
