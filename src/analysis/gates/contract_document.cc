#include "analysis/gates/contract_document.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>
#include <utility>

#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// Maximum nesting depth. yaml-cpp reads ahead to the closing bracket and needs about 250 bytes per
// bracket of "{{{{".
constexpr std::size_t kMaxDocumentBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxDocumentDepth = 32;
constexpr std::size_t kMaxDocumentNodes = 50'000;

std::string PlaceText(int line, int column) {
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

// An exception with an Error in it. Event handlers of yaml-cpp cannot return errors, so they throw
// this exception. ParseDocument catches it, like the exceptions of the parser.
struct Refusal {
  Error error;
};

[[noreturn]] void InvalidArgument(int line, int column, std::string_view what) {
  throw Refusal{{ErrorCode::kInvalidArgument, PlaceText(line, column) + ": " + std::string(what)}};
}
[[noreturn]] void InvalidArgument(const YAML::Mark& mark, std::string_view what) {
  InvalidArgument(mark.line + 1, mark.column + 1, what);
}

// Builds the tree from the parser's events, so that limits are checked before memory is used.
class TreeBuilder final : public YAML::EventHandler {
 public:
  DocumentNode Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Add(Node(mark, {})); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    InvalidArgument(mark,
                    "YAML aliases are not supported; repeat the value, or quote a text that begins "
                    "with *");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& value) override {
    DocumentNode node = Node(mark, DocumentNode::Kind::kText);
    node.text = value;
    node.is_quoted = tag == "!";
    Add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Open(mark, DocumentNode::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, DocumentNode::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  struct Frame {
    DocumentNode node;
    std::optional<std::string> key = {};  // In a map: the key of the next value.
    std::set<std::string, std::less<>> keys = {};
  };

  DocumentNode Node(const YAML::Mark& mark, DocumentNode::Kind kind) {
    if (++count_ > kMaxDocumentNodes) {
      InvalidArgument(
          mark, "the contract has more than 50,000 values; shorten it, for example with patterns");
    }
    return {.kind = kind, .line = mark.line + 1, .column = mark.column + 1};
  }

  void Open(const YAML::Mark& mark, DocumentNode::Kind kind) {
    if (open_.size() == kMaxDocumentDepth) {
      InvalidArgument(
          mark,
          "the contract has more than 32 levels of nesting, but a valid contract needs only five");
    }
    open_.push_back({.node = Node(mark, kind)});
  }

  void Close() {
    DocumentNode node = std::move(open_.back().node);
    open_.pop_back();
    Add(std::move(node));
  }

  void Add(DocumentNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = open_.back();
    if (frame.node.is_list()) {
      frame.node.items.push_back(std::move(node));
    } else if (frame.key) {
      frame.node.members.push_back({*std::exchange(frame.key, std::nullopt), std::move(node)});
    } else {
      TakeKey(frame, std::move(node));
    }
  }

  static void TakeKey(Frame& frame, DocumentNode node) {
    if (!node.is_text()) {
      InvalidArgument(node.line, node.column,
                      "a key of the contract must be a text, not " + node.Describe());
    }
    if (!frame.keys.insert(node.text).second) {
      InvalidArgument(
          node.line, node.column,
          "the key " + Quoted(node.text) + " appears twice in one mapping; remove one of them");
    }
    frame.key = std::move(node.text);
  }

  DocumentNode root_;
  std::vector<Frame> open_;
  std::size_t count_ = 0;
};

// Reads the four hexadecimal digits of an escape "\u1234" at position `at`; nullopt if there are
// none.
std::optional<unsigned> EscapedUnit(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\\u" || text.size() < at + 6) return std::nullopt;
  unsigned unit = 0;
  const char* const end = text.data() + at + 6;
  const auto parsed = std::from_chars(text.data() + at + 2, end, unit, 16);
  return parsed.ptr == end ? std::optional(unit) : std::nullopt;
}

// Replaces two escapes of JSON, \ud83d\ude00, by the one escape of YAML, \U0001f600, for characters
// beyond U+FFFF. The text before each escape is not changed, so columns in errors are correct
// before the first escape.
std::string WithWholeEscapes(std::string_view json) {
  std::string yaml;
  yaml.reserve(json.size());
  for (std::size_t i = 0; i < json.size();) {
    const std::optional<unsigned> high = EscapedUnit(json, i);
    const std::optional<unsigned> low = high ? EscapedUnit(json, i + 6) : std::nullopt;
    if (low && (*high & 0xFC00) == 0xD800 && (*low & 0xFC00) == 0xDC00) {
      std::array<char, 16> escape;
      std::snprintf(escape.data(), escape.size(), "\\U%08x",
                    0x10000 + ((*high & 0x3FF) << 10) + (*low & 0x3FF));
      yaml += escape.data();
      i += 12;
    } else {
      // A backslash escapes the next character.
      const std::size_t length = json[i] == '\\' ? 2 : 1;
      yaml += json.substr(i, length);
      i += length;
    }
  }
  return yaml;
}

bool BeginsWithTab(std::string_view text, int line) {
  for (; line > 0; --line) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return false;
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find_first_not_of(" \t")).find('\t') != text.npos;
}

// Returns the parser's message with the most likely cause of the mistake.
std::string ParserMessage(const YAML::Exception& exception, std::string_view text) {
  std::string message = exception.msg;
  if (exception.mark.is_null()) return message;
  if (message.find("alias") != message.npos || message.find("anchor") != message.npos) {
    message += "; a text that begins with * or & needs quotes, such as '*conv'";
  } else if (BeginsWithTab(text, exception.mark.line)) {
    message += "; the line begins with a tab, and YAML is indented with blanks";
  }
  return PlaceText(exception.mark.line + 1, exception.mark.column + 1) + ": " + message;
}

}  // namespace

const DocumentNode* DocumentNode::Find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &DocumentMember::key);
  if (found == members.end() || found->value.kind == Kind::kNull) return nullptr;
  return &found->value;
}

std::optional<double> DocumentNode::Number() const {
  if (!is_text() || is_quoted) return std::nullopt;
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
  return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::string DocumentNode::place() const { return PlaceText(line, column); }

std::string DocumentNode::Describe() const {
  switch (kind) {
    case Kind::kText:
      return Quoted(text) + (is_quoted ? " in quotes" : "");
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      return "a mapping";
    case Kind::kNull:
      break;
  }
  return "nothing";
}

Result<DocumentNode> ParseDocument(std::string_view text) {
  if (text.size() > kMaxDocumentBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "the contract is " + HumanBytes(static_cast<double>(text.size())) +
                    " long, but the maximum is " + HumanBytes(kMaxDocumentBytes));
  }
  // Catches all exceptions of yaml-cpp, and our own that pass through it.
  try {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    const bool is_json = first != text.npos && (text[first] == '{' || text[first] == '[');
    std::istringstream stream{is_json ? WithWholeEscapes(text) : std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder;
    if (!parser.HandleNextDocument(builder)) return DocumentNode{};
    DocumentNode root = builder.Take();
    TreeBuilder second;
    if (parser.HandleNextDocument(second)) {
      return Fail(ErrorCode::kInvalidArgument,
                  second.Take().place() +
                      ": a second YAML document begins; put everything into one document");
    }
    return root;
  } catch (const Refusal& refusal) {
    return Fail(refusal.error);
  } catch (const YAML::Exception& exception) {
    return Fail(ErrorCode::kInvalidArgument, ParserMessage(exception, text));
  }
}

}  // namespace cboard::analysis
