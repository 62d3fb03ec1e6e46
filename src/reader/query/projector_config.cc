// Parses projector_config.pbtxt, a file in protobuf's text format.
#include <charconv>
#include <string>

#include "cboard/base/strings.h"
#include "cboard/reader/projector_query.h"

namespace cboard::reader {
namespace {

constexpr int kMaxDepth = 32;  // Max depth of nested messages.

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '.' ||
         c == '-' || c == '+' || c == '/';
}

// A parser of protobuf's text format: `name: value`, `name { … }` and `name: [value, …]`, in any
// order.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  // Calls `read(name)` for each field up to the end of the message. `read` must consume the value
  // of the field.
  template <typename Read>
  Result<void> Fields(char end, const Read& read) {
    if (++depth_ > kMaxDepth) return Wrong("the nesting is too deep");
    while (true) {
      SkipSpace();
      if (AtEnd() || Peek() == end) break;
      const std::string_view name = Word();
      if (name.empty()) return Wrong("the name of a field is missing");
      CBOARD_RETURN_IF_ERROR(read(name));
      SkipSpace();
      if (!AtEnd() && (Peek() == ',' || Peek() == ';')) ++position_;
    }
    --depth_;
    if (end == '\0')
      return AtEnd() ? Result<void>() : Wrong("a closing bracket has no opening bracket");
    if (AtEnd()) return Wrong(std::string("expected '") + end + "'");
    ++position_;
    return {};
  }

  // Parses a nested message: an optional colon, and then { … } or < … >.
  template <typename Read>
  Result<void> Message(const Read& read) {
    TakeColon();
    if (AtEnd() || (Peek() != '{' && Peek() != '<')) return Wrong("expected '{'");
    const char end = Peek() == '{' ? '}' : '>';
    ++position_;
    return Fields(end, read);
  }

  // Parses a string. Several adjacent strings are joined.
  Result<void> String(std::string& value) {
    TakeColon();
    value.clear();
    if (AtEnd() || (Peek() != '"' && Peek() != '\'')) return Wrong("a string in quotes is missing");
    while (!AtEnd() && (Peek() == '"' || Peek() == '\'')) {
      CBOARD_RETURN_IF_ERROR(Quotation(value));
      SkipSpace();
    }
    return {};
  }

  // Parses a number, or a list of numbers.
  Result<void> Numbers(std::vector<std::uint32_t>& values) {
    TakeColon();
    if (AtEnd() || Peek() != '[') return Number(values);
    ++position_;
    SkipSpace();
    while (!AtEnd() && Peek() != ']') {
      CBOARD_RETURN_IF_ERROR(Number(values));
      SkipSpace();
      if (!AtEnd() && Peek() == ',') ++position_;
      SkipSpace();
    }
    if (AtEnd()) return Wrong("expected ']'");
    ++position_;
    return {};
  }

  // Skips the value of an unknown field.
  Result<void> Unknown() {
    TakeColon();
    if (AtEnd()) return Wrong("expected a value");
    const auto skip = [this](std::string_view) { return Unknown(); };
    switch (Peek()) {
      case '{':
      case '<':
        return Message(skip);
      case '"':
      case '\'': {
        std::string ignored;
        return String(ignored);
      }
      case '[':
        return UnknownList();
      default:
        if (Word().empty()) return Wrong("expected a value");
        return {};
    }
  }

 private:
  Result<void> UnknownList() {
    if (++depth_ > kMaxDepth) return Wrong("lists are nested too deep");
    ++position_;
    SkipSpace();
    while (!AtEnd() && Peek() != ']') {
      CBOARD_RETURN_IF_ERROR(Unknown());
      SkipSpace();
      if (!AtEnd() && Peek() == ',') ++position_;
      SkipSpace();
    }
    --depth_;
    if (AtEnd()) return Wrong("expected ']'");
    ++position_;
    return {};
  }

  Result<void> Number(std::vector<std::uint32_t>& values) {
    const std::string_view word = Word();
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
      return Wrong("a whole number is missing; found " + Quoted(word));
    }
    values.push_back(value);
    return {};
  }

  Result<void> Quotation(std::string& value) {
    const char quote = Take();
    while (true) {
      if (AtEnd() || Peek() == '\n') return Wrong("a string has no closing quote");
      const char c = Take();
      if (c == quote) return {};
      if (c != '\\') {
        value += c;
        continue;
      }
      if (AtEnd()) return Wrong("a string has no closing quote");
      CBOARD_RETURN_IF_ERROR(Escape(value));
    }
  }

  Result<void> Escape(std::string& value) {
    constexpr std::string_view kLetters = "abfnrtv\\'\"?";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"?";
    const char c = Take();
    if (const std::size_t i = kLetters.find(c); i != std::string_view::npos) {
      value += kMeanings[i];
      return {};
    }
    const bool hexadecimal = c == 'x' || c == 'X';
    if (!hexadecimal && (c < '0' || c > '7')) {
      return Wrong(std::string("unknown escape \\") + Quoted({&c, 1}));
    }
    if (!hexadecimal) --position_;
    const std::size_t most = hexadecimal ? 2 : 3;
    const std::string_view rest = text_.substr(position_, most);
    unsigned number = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + rest.size(), number, hexadecimal ? 16 : 8);
    if (error != std::errc() || number > 0xFF) return Wrong("an escaped number is not a byte");
    position_ += static_cast<std::size_t>(end - rest.data());
    value += static_cast<char>(number);
    return {};
  }

  std::string_view Word() {
    const std::size_t begin = position_;
    while (!AtEnd() && IsWordPart(Peek())) ++position_;
    return text_.substr(begin, position_ - begin);
  }

  void TakeColon() {
    SkipSpace();
    if (!AtEnd() && Peek() == ':') ++position_;
    SkipSpace();
  }

  void SkipSpace() {
    while (!AtEnd()) {
      if (Peek() == '#') {
        position_ = std::min(text_.find('\n', position_), text_.size());
      } else if (IsSpace(Peek())) {
        ++position_;
      } else {
        return;
      }
    }
  }

  bool AtEnd() const { return position_ >= text_.size(); }
  char Peek() const { return text_[position_]; }
  char Take() { return text_[position_++]; }

  tl::unexpected<Error> Wrong(std::string what) const {
    std::size_t line = 1;
    for (const char c : text_.substr(0, position_)) line += c == '\n' ? 1 : 0;
    return Fail(ErrorCode::kDataLoss,
                "projector_config.pbtxt, line " + std::to_string(line) + ": " + std::move(what));
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

Result<void> ReadSpriteInfo(TextReader& reader, SpriteInfo& sprite) {
  return reader.Message([&](std::string_view name) -> Result<void> {
    if (name == "image_path") return reader.String(sprite.image_path);
    if (name == "single_image_dim") return reader.Numbers(sprite.single_image_dim);
    return reader.Unknown();
  });
}

Result<void> ReadEmbedding(TextReader& reader, EmbeddingInfo& embedding) {
  return reader.Message([&](std::string_view name) -> Result<void> {
    if (name == "tensor_name") return reader.String(embedding.tensor_name);
    if (name == "metadata_path") return reader.String(embedding.metadata_path);
    if (name == "bookmarks_path") return reader.String(embedding.bookmarks_path);
    if (name == "tensor_path") return reader.String(embedding.tensor_path);
    if (name == "tensor_shape") return reader.Numbers(embedding.tensor_shape);
    if (name == "sprite") {
      if (!embedding.sprite) embedding.sprite.emplace();
      return ReadSpriteInfo(reader, *embedding.sprite);
    }
    return reader.Unknown();
  });
}

}  // namespace

Result<ProjectorConfig> ParseProjectorConfig(std::string_view text) {
  ProjectorConfig config;
  TextReader reader(text);
  CBOARD_RETURN_IF_ERROR(reader.Fields('\0', [&](std::string_view name) -> Result<void> {
    if (name == "model_checkpoint_path") return reader.String(config.model_checkpoint_path);
    if (name == "model_checkpoint_dir") return reader.String(config.model_checkpoint_dir);
    if (name == "embeddings") return ReadEmbedding(reader, config.embeddings.emplace_back());
    return reader.Unknown();
  }));
  return config;
}

}  // namespace cboard::reader
