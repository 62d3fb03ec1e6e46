#include "compression/benchmarks/json_repair.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

// First character of a string that represents a non-finite number. It is a single character,
// because the repaired text must not be longer than the original: the string with its two quotes is
// as long as NaN.
constexpr char kMark = '\x7f';

struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

Position PositionOf(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // If nothing is found, npos + 1 is 0.
  const auto is_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  return {
      static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1,
      static_cast<std::size_t>(std::ranges::count_if(before.substr(line_start), is_character)) + 1};
}

// The number of repairs of one kind, and the position of the first repair.
struct Repairs {
  std::size_t count = 0;
  std::size_t first_offset = 0;

  void Add(std::size_t offset) {
    if (count++ == 0) first_offset = offset;
  }
};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

class Repairer {
 public:
  Repairer(std::string& text, std::string_view source) : text_(text), source_(source) {}

  Result<std::vector<std::string>> Run();

 private:
  enum class Expect { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kCommaOrEnd, kNothing };

  tl::unexpected<Error> Expected(std::string_view what, std::size_t offset) const;
  void SkipSpace();
  bool TakeWord(std::string_view word);
  Result<void> Step();
  Result<void> Value(std::string_view expected);
  Result<void> Number();
  Result<void> String(std::string_view what);
  Result<void> Escape();
  Result<std::uint32_t> FourHexDigits(std::size_t escape);
  void MarkNonFinite(std::size_t start, char sign);
  void Close();
  void AfterValue() { expect_ = open_.empty() ? Expect::kNothing : Expect::kCommaOrEnd; }

  std::string& text_;
  std::string_view source_;
  std::size_t at_ = 0;
  Expect expect_ = Expect::kValue;
  std::string open_;  // Stack of open brackets.
  Repairs non_finite_, invalid_utf8_, surrogates_, large_integers_;
};

tl::unexpected<Error> Repairer::Expected(std::string_view what, std::size_t offset) const {
  const Position position = PositionOf(text_, offset);
  const std::string found = offset >= text_.size()
                                ? "the end of the file"
                                : Quoted(std::string_view(text_).substr(offset, 20), 16);
  return Fail(ErrorCode::kInvalidArgument, std::string(source_) + ":" +
                                               std::to_string(position.line) + ":" +
                                               std::to_string(position.column) + ": expected " +
                                               std::string(what) + ", found " + found);
}

void Repairer::SkipSpace() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
    ++at_;
  }
}

bool Repairer::TakeWord(std::string_view word) {
  if (!std::string_view(text_).substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

// Replaces NaN by "\x7f" and -Infinity by "\x7f-nfinit". The quoted strings have the same length as
// the original text.
void Repairer::MarkNonFinite(std::size_t start, char sign) {
  non_finite_.Add(start);
  text_[start] = text_[at_ - 1] = '"';
  text_[start + 1] = kMark;
  for (std::size_t i = start + 2; i + 1 < at_; ++i) text_[i] = sign;
}

Result<void> Repairer::Number() {
  const std::size_t start = at_;
  const auto digits = [&] {
    const std::size_t first = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return at_ > first;
  };
  const bool negative = TakeWord("-");
  if (negative && TakeWord("Infinity")) {
    MarkNonFinite(start, '-');
    return {};
  }
  bool integral = true;
  bool shrinks = false;
  const std::size_t first_digit = at_;
  if (!digits()) return Expected("a digit", at_);
  if (text_[first_digit] == '0' && at_ - first_digit > 1) {
    return Expected("a number without leading zeros", start);
  }
  if (TakeWord(".")) {
    integral = false;
    if (!digits()) return Expected("a digit after the decimal point", at_);
  }
  if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
    integral = false;
    ++at_;
    shrinks = TakeWord("-");
    if (!shrinks) TakeWord("+");
    if (!digits()) return Expected("a digit of the exponent", at_);
  }
  const char* const begin = text_.data() + start;
  const char* const end = text_.data() + at_;
  const auto out_of_range = [&](auto value) {
    return std::from_chars(begin, end, value).ec == std::errc::result_out_of_range;
  };
  if (integral && (negative ? out_of_range(std::int64_t{}) : out_of_range(std::uint64_t{}))) {
    // Replaces 12345678901234567890123 by 12345678901234567890e03: the removed digits exceed a
    // double's precision.
    large_integers_.Add(start);
    text_.replace(at_ - 3, 3, "e03");
  }
  // A number may also be out of range because it is too small. The fast parser reads such a number
  // as 0.
  const bool starts_with_zero = text_[first_digit] == '0';
  if (!shrinks && !starts_with_zero && out_of_range(double{})) {
    MarkNonFinite(start, negative ? '-' : '+');
  }
  return {};
}

Result<std::uint32_t> Repairer::FourHexDigits(std::size_t escape) {
  std::uint32_t code = 0;
  const std::string_view digits = std::string_view(text_).substr(at_, 4);
  const auto [end, status] =
      std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (status != std::errc() || digits.size() < 4 || end != digits.data() + 4) {
    return Expected("\\u and four hexadecimal digits", escape);
  }
  at_ += 4;
  return code;
}

Result<void> Repairer::Escape() {
  const std::size_t escape = at_++;
  const char kind = at_ < text_.size() ? text_[at_] : '\0';
  ++at_;
  if (kind != 'u') {
    if (kind != '\0' && std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos) {
      return {};
    }
    return Expected("an escape such as \\n, \\\" or \\u0041", escape);
  }
  CBOARD_ASSIGN_OR_RETURN(const std::uint32_t high, FourHexDigits(escape));
  if (high < 0xD800 || high > 0xDFFF) return {};
  if (high < 0xDC00 && TakeWord("\\u")) {
    const std::size_t second = at_ - 2;
    CBOARD_ASSIGN_OR_RETURN(const std::uint32_t low, FourHexDigits(second));
    if (low >= 0xDC00 && low <= 0xDFFF) return {};
    at_ = second;  // Parses this half again: it may be the first half of the next pair.
  }
  surrogates_.Add(escape);
  text_.replace(escape + 2, 4, "fffd");
  return {};
}

Result<void> Repairer::String(std::string_view what) {
  const std::size_t quote = at_;
  if (!TakeWord("\"")) return Expected(what, at_);
  while (at_ < text_.size()) {
    const auto byte = static_cast<unsigned char>(text_[at_]);
    if (byte == '"') {
      ++at_;
      return {};
    }
    if (byte == '\\') {
      CBOARD_RETURN_IF_ERROR(Escape());
    } else if (byte < 0x20) {
      return Expected(
          "the end of the string that starts before it, or an escaped control character", at_);
    } else if (byte < 0x80) {
      ++at_;
    } else {
      const std::size_t length = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
      const std::string_view sequence = std::string_view(text_).substr(at_, length);
      if (sequence.size() == length && IsValidUtf8(sequence)) {
        at_ += length;
      } else {
        invalid_utf8_.Add(at_);
        text_[at_++] = '?';
      }
    }
  }
  return Expected("a closing quote for the string that starts in line " +
                      std::to_string(PositionOf(text_, quote).line),
                  text_.size());
}

Result<void> Repairer::Value(std::string_view expected) {
  const std::size_t start = at_;
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == '{' || c == '[') {
    if (open_.size() >= kMaxJsonDepth) {
      return Expected("at most " + std::to_string(kMaxJsonDepth) + " levels of brackets", at_);
    }
    open_ += c;
    ++at_;
    expect_ = c == '{' ? Expect::kKeyOrEnd : Expect::kValueOrEnd;
    return {};
  }
  if (c == '"') {
    CBOARD_RETURN_IF_ERROR(String("a string"));
  } else if (c == '-' || IsDigit(c)) {
    CBOARD_RETURN_IF_ERROR(Number());
  } else if (TakeWord("NaN")) {
    MarkNonFinite(start, 'n');
  } else if (TakeWord("Infinity")) {
    MarkNonFinite(start, '+');
  } else if (!TakeWord("true") && !TakeWord("false") && !TakeWord("null")) {
    return Expected(expected, at_);
  }
  AfterValue();
  return {};
}

void Repairer::Close() {
  open_.pop_back();
  ++at_;
  AfterValue();
}

Result<void> Repairer::Step() {
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  const bool in_object = !open_.empty() && open_.back() == '{';
  const char closing = in_object ? '}' : ']';
  switch (expect_) {
    case Expect::kValue:
      return Value("a value");
    case Expect::kValueOrEnd:
      if (c != ']') return Value("a value or ']'");
      Close();
      return {};
    case Expect::kKeyOrEnd:
      if (c == '}') {
        Close();
        return {};
      }
      [[fallthrough]];
    case Expect::kKey:
      CBOARD_RETURN_IF_ERROR(String("a key in double quotes"));
      expect_ = Expect::kColon;
      return {};
    case Expect::kColon:
      if (c != ':') return Expected("':' after the key", at_);
      ++at_;
      expect_ = Expect::kValue;
      return {};
    case Expect::kCommaOrEnd:
      if (c == closing) {
        Close();
        return {};
      }
      if (c != ',') return Expected(in_object ? "',' or '}'" : "',' or ']'", at_);
      ++at_;
      expect_ = in_object ? Expect::kKey : Expect::kValue;
      return {};
    case Expect::kNothing:
      break;
  }
  return Expected("nothing after the end of the document", at_);
}

Result<std::vector<std::string>> Repairer::Run() {
  while (true) {
    SkipSpace();
    if (expect_ == Expect::kNothing && at_ >= text_.size()) break;
    CBOARD_RETURN_IF_ERROR(Step());
  }
  std::vector<std::string> sentences;
  const auto report = [&](const Repairs& repairs, std::string_view what) {
    if (repairs.count == 0) return;
    const Position first = PositionOf(text_, repairs.first_offset);
    sentences.push_back(HumanCount(repairs.count) + " " + std::string(what) +
                        "; the first is in line " + std::to_string(first.line) + ", column " +
                        std::to_string(first.column));
  };
  report(non_finite_, "numbers are NaN or infinite and left out of ratios");
  report(invalid_utf8_, "bytes are not UTF-8 and read as '?'");
  report(surrogates_, "escapes are halves of a character and read as U+FFFD");
  report(large_integers_, "integers are beyond 64 bits and rounded");
  return sentences;
}

}  // namespace

Result<std::vector<std::string>> RepairJson(std::string& text, std::string_view source) {
  return Repairer(text, source).Run();
}

std::optional<double> NonFiniteNumber(std::string_view value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value == "NaN") return std::nan("");
  if (value == "Infinity") return kInfinity;
  if (value == "-Infinity") return -kInfinity;
  if (value.empty() || value[0] != kMark) return std::nullopt;
  if (value.size() == 1) return std::nan("");
  return value[1] == '-' ? -kInfinity : kInfinity;
}

}  // namespace cboard::compression
