// Writes JSON text directly, without building a tree.
//
//   JsonWriter json;
//   json.BeginObject();
//   json.Key("steps").BeginArray().Value(1).Value(2).EndArray();
//   json.EndObject();
//   json.text();  // {"steps":[1,2]}
//
// The writer adds commas and escapes; bytes that are not UTF-8 become U+FFFD. JSON cannot express
// NaN and infinity. By default the writer writes them as the strings "NaN", "Infinity" and
// "-Infinity", like TensorBoard; on request as null, or as Python literals.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace cboard {

enum class NonFinite { kAsString, kAsNull, kAsLiteral };  // kAsLiteral: NaN, as Python writes it.

class JsonWriter {
 public:
  explicit JsonWriter(NonFinite non_finite = NonFinite::kAsString) : non_finite_(non_finite) {}

  JsonWriter& BeginObject();
  JsonWriter& EndObject();
  JsonWriter& BeginArray();
  JsonWriter& EndArray();

  // Writes a key of an object. The next call of Value, BeginObject or BeginArray writes the key's
  // value.
  JsonWriter& Key(std::string_view key);

  JsonWriter& Value(std::string_view text);
  JsonWriter& Value(const char* text) { return Value(std::string_view(text)); }
  JsonWriter& Value(double number);
  JsonWriter& Value(float number);  // Shortest text that reads back as the same float.
  JsonWriter& Value(bool truth);
  JsonWriter& Null();

  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) JsonWriter& Value(Integer number) {
    if constexpr (std::is_signed_v<Integer>) {
      return Signed(static_cast<std::int64_t>(number));
    } else {
      return Unsigned(static_cast<std::uint64_t>(number));
    }
  }

  // Writes the JSON text `json` unchanged. It must be valid JSON.
  JsonWriter& Raw(std::string_view json);

  const std::string& text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  JsonWriter& Signed(std::int64_t number);
  JsonWriter& Unsigned(std::uint64_t number);
  void Separate();

  NonFinite non_finite_;
  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace cboard
