// JSON that `compare --logdir` stores beside the figures: one text per comparison, so that a second
// one replaces it as a whole. docs/formats/compression-tags.md has the fields.
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

// Empty text or nullopt if the member is missing or has another type.
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

// Fails if the text is not a JSON object of a known version. `what` names it in the message. The
// object lives as long as `parser`.
Result<JsonObject> ParseStored(std::string_view json, std::string_view what,
                               simdjson::dom::parser& parser);

// The tag <model><middle><variant> of our own writers, such as middle "/findings/"; null when the
// run has none.
const reader::Tag* FindStored(const reader::Run& run, std::string_view middle,
                              const LayerFilter& filter);

// The last value of the tag.
Result<std::string> ReadStored(const reader::Run& run, const reader::Tag& tag);

}  // namespace cboard::analysis
