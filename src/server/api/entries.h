// Selects evenly spaced values of a tag that is not a scalar, and writes the columns with which
// every response about such values begins.
//
//   CBOARD_ASSIGN_OR_RETURN(const Entries entries, QueriedEntries(call, TagKind::kImage));
//   WriteHead(json, call, entries);  // {"snapshot":12,"indices":[0],"steps":[…],"wall_times":[…]
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/proto/plugins.h"
#include "server/api/api_route.h"
#include "server/content/json_columns.h"

namespace cboard::server {

struct Entries {
  std::vector<std::size_t> indices;
  const reader::Run* run = nullptr;
  const reader::Tag* tag = nullptr;
};

// Selects the values of ?run=&tag=[&limit=]. `limit` is at most 10,000 values.
Result<Entries> QueriedEntries(const ApiCall& call, reader::TagKind kind);

// Begins the JSON object of the response; the caller ends it.
void WriteHead(JsonWriter& json, const ApiCall& call, const Entries& entries);

// Parameters that several routes share.
Parameter RunParameter();
Parameter TagParameter();
Parameter LimitParameter();

// Writes a hyperparameter as JSON: a number, a text, true or false; null if it is missing.

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
