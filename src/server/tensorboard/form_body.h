// Parses the fields of an HTML form in the body of a request, encoded as a query
// (application/x-www-form-urlencoded) or as parts (multipart/form-data).
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::server::tensorboard {

using FormFields = std::vector<std::pair<std::string, std::string>>;

inline constexpr std::size_t kMaxFormFields = 100'000;

// Returns the fields in the order of the body; none if the body has another type. Fails with
// kInvalidArgument on damaged escapes, parts without an end, and more than kMaxFormFields fields.
Result<FormFields> ParseForm(std::string_view content_type, std::string_view body);

// Returns all values of the field with this name.
std::vector<std::string> FieldsNamed(const FormFields& fields, std::string_view name);

}  // namespace cboard::server::tensorboard
