// A hyperparameter as JSON: a number, a text, true or false; null where there is none.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "cboard/proto/plugins.h"
#include "server/content/json_columns.h"

namespace cboard::server {

inline void WriteSetting(JsonWriter& json, const std::optional<proto::HParamValue>& value) {
  if (!value) {
    json.Null();
  } else if (const double* number = std::get_if<double>(&*value)) {
    WriteNumber(json, *number);
  } else if (const bool* truth = std::get_if<bool>(&*value)) {
    json.Value(*truth);
  } else {
    json.Value(std::get<std::string>(*value));
  }
}

}  // namespace cboard::server
