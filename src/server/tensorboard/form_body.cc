#include "server/tensorboard/form_body.h"

#include <algorithm>

#include "server/http/url.h"

namespace cboard::server::tensorboard {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

Result<FormFields> TooMany() {
  return Fail(ErrorCode::kInvalidArgument, "the form of the request has more than " +
                                               std::to_string(kMaxFormFields) + " fields");
}

Result<FormFields> ParseUrlEncoded(std::string_view body) {
  FormFields fields;
  while (!body.empty()) {
    const std::string_view pair = body.substr(0, body.find('&'));
    body.remove_prefix(std::min(body.size(), pair.size() + 1));
    if (pair.empty()) continue;
    if (fields.size() == kMaxFormFields) return TooMany();
    const std::size_t equals = std::min(pair.find('='), pair.size());
    CBOARD_ASSIGN_OR_RETURN(std::string name, DecodeQueryText(pair.substr(0, equals)));
    CBOARD_ASSIGN_OR_RETURN(std::string value,
                            DecodeQueryText(pair.substr(std::min(pair.size(), equals + 1))));
    fields.emplace_back(std::move(name), std::move(value));
  }
  return fields;
}

// Returns the value of parameter `key` in a header such as: form-data; name="requests".
std::string ParameterOf(std::string_view header, std::string_view key) {
  const std::string lower = Lower(header);
  for (std::size_t at = lower.find(';'); at != std::string::npos; at = lower.find(';', at + 1)) {
    std::size_t begin = lower.find_first_not_of(" \t", at + 1);
    if (begin == std::string::npos) break;
    if (lower.compare(begin, key.size(), key) != 0) continue;
    begin += key.size();
    if (begin >= lower.size() || lower[begin] != '=') continue;
    const std::string_view value = header.substr(begin + 1);
    if (value.starts_with('"')) return std::string(value.substr(1, value.find('"', 1) - 1));
    return std::string(value.substr(0, value.find_first_of("; \t\r\n")));
  }
  return {};
}

// Returns the name of a part from the headers of the part.
std::string NameOfPart(std::string_view headers) {
  const std::size_t begin = Lower(headers).find("content-disposition:");
  if (begin == std::string::npos) return {};
  const std::string_view line = headers.substr(begin);
  return ParameterOf(line.substr(0, line.find("\r\n")), "name");
}

Result<FormFields> ParseMultipart(std::string_view boundary, std::string_view body) {
  const auto damaged = [](std::string_view what) {
    return Fail(ErrorCode::kInvalidArgument,
                "the multipart form of the request " + std::string(what));
  };
  if (boundary.empty()) return damaged("has no boundary in its Content-Type");
  const std::string delimiter = "--" + std::string(boundary);
  const std::string next = "\r\n" + delimiter;
  std::size_t at = body.find(delimiter);
  if (at == std::string_view::npos)
    return damaged("does not contain the boundary that its Content-Type header names");
  at += delimiter.size();
  FormFields fields;
  while (!body.substr(at).starts_with("--")) {
    if (fields.size() == kMaxFormFields) return TooMany();
    const std::size_t headers_end = body.find("\r\n\r\n", at);
    if (headers_end == std::string_view::npos) return damaged("has a part that is not complete");
    const std::size_t value_begin = headers_end + 4;
    // If the value is empty, the line end before the boundary is also the line end after the
    // headers.
    const std::size_t value_end = body.find(next, value_begin - 2);
    if (value_end == std::string_view::npos) return damaged("has a part that is not complete");
    const std::string_view value = value_end < value_begin
                                       ? std::string_view()
                                       : body.substr(value_begin, value_end - value_begin);
    fields.emplace_back(NameOfPart(body.substr(at, headers_end - at)), std::string(value));
    at = value_end + next.size();
  }
  return fields;
}

}  // namespace

Result<FormFields> ParseForm(std::string_view content_type, std::string_view body) {
  const std::string type = Lower(content_type.substr(0, content_type.find(';')));
  if (type.starts_with("application/x-www-form-urlencoded")) return ParseUrlEncoded(body);
  if (type.starts_with("multipart/form-data")) {
    return ParseMultipart(ParameterOf(content_type, "boundary"), body);
  }
  return FormFields();
}

std::vector<std::string> FieldsNamed(const FormFields& fields, std::string_view name) {
  std::vector<std::string> values;
  for (const auto& [field, value] : fields) {
    if (field == name) values.push_back(value);
  }
  return values;
}

}  // namespace cboard::server::tensorboard
