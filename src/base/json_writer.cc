#include "cboard/base/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

#include "cboard/base/strings.h"

namespace cboard {
namespace {

template <typename Number>
void AppendNumber(Number number, std::string& text) {
  std::array<char, 32> buffer;
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  text.append(buffer.data(), end);
}

void AppendEscaped(std::string_view value, std::string& text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text += '"';
  for (const char c : value) {
    const auto code = static_cast<unsigned char>(c);
    switch (c) {
      case '"':
        text += "\\\"";
        break;
      case '\\':
        text += "\\\\";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\t':
        text += "\\t";
        break;
      default:
        if (code < 0x20 || code == 0x7F) {
          text += "\\u00";
          text += kHex[code >> 4];
          text += kHex[code & 15];
        } else {
          text += c;
        }
    }
  }
  text += '"';
}

template <typename Number>
void AppendFloating(Number number, NonFinite non_finite, std::string& text) {
  if (std::isfinite(number)) {
    AppendNumber(number, text);
  } else if (non_finite == NonFinite::kAsNull) {
    text += "null";
  } else {
    const std::string_view name = std::isnan(number) ? "NaN"
                                  : number > 0       ? "Infinity"
                                                     : "-Infinity";
    if (non_finite == NonFinite::kAsString) text += '"';
    text += name;
    if (non_finite == NonFinite::kAsString) text += '"';
  }
}

}  // namespace

void JsonWriter::Separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

JsonWriter& JsonWriter::BeginObject() {
  Separate();
  text_ += '{';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::EndObject() {
  text_ += '}';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::BeginArray() {
  Separate();
  text_ += '[';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::EndArray() {
  text_ += ']';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view key) {
  Value(key);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::Value(std::string_view text) {
  Separate();
  if (IsValidUtf8(text)) {
    AppendEscaped(text, text_);
  } else {
    AppendEscaped(ToValidUtf8(text), text_);
  }
  return *this;
}

JsonWriter& JsonWriter::Value(double number) {
  Separate();
  AppendFloating(number, non_finite_, text_);
  return *this;
}

JsonWriter& JsonWriter::Value(float number) {
  Separate();
  AppendFloating(number, non_finite_, text_);
  return *this;
}

JsonWriter& JsonWriter::Value(bool truth) {
  Separate();
  text_ += truth ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::Null() {
  Separate();
  text_ += "null";
  return *this;
}

JsonWriter& JsonWriter::Signed(std::int64_t number) {
  Separate();
  AppendNumber(number, text_);
  return *this;
}

JsonWriter& JsonWriter::Unsigned(std::uint64_t number) {
  Separate();
  AppendNumber(number, text_);
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  text_ += json;
  return *this;
}

}  // namespace cboard
