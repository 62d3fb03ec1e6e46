// Writes columns in JSON: {"steps":[1,2],"values":[0.5,null]}.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "cboard/base/json_writer.h"

namespace cboard::server {

// Writes a number as the shortest text that gives the same float. Most values were logged as
// floats, so this is the number that the user logged.
inline void WriteNumber(JsonWriter& json, double value) {
  const bool fits = std::abs(value) <= std::numeric_limits<float>::max();
  if (fits && static_cast<double>(static_cast<float>(value)) == value) {
    json.Value(static_cast<float>(value));
  } else {
    json.Value(value);
  }
}

// Writes a number; a missing value is null, and NaN and infinities are strings.
inline void WriteNumber(JsonWriter& json, const std::optional<double>& value) {
  if (value) {
    WriteNumber(json, *value);
  } else {
    json.Null();
  }
}

template <typename Range, typename Projection = std::identity>
void WriteNumbers(JsonWriter& json, std::string_view key, const Range& range,
                  Projection projection = {}) {
  json.Key(key).BeginArray();
  for (const auto& element : range) WriteNumber(json, std::invoke(projection, element));
  json.EndArray();
}

// Writes an array of texts, booleans or integers.
template <typename Range, typename Projection = std::identity>
void WriteValues(JsonWriter& json, std::string_view key, const Range& range,
                 Projection projection = {}) {
  json.Key(key).BeginArray();
  for (const auto& element : range) json.Value(std::invoke(projection, element));
  json.EndArray();
}

}  // namespace cboard::server
