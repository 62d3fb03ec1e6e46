// Parses a YAML document, which may also be JSON, into a small tree whose nodes know their line and
// column.
//
//   CBOARD_ASSIGN_OR_RETURN(const DocumentNode root, ParseDocument(text));
//   if (const DocumentNode* gates = root.Find("gates")) …  gates->place() …
//
// YAML aliases are an error: ten lines with aliases can expand to a billion nodes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::analysis {

struct DocumentMember;

struct DocumentNode {
  enum class Kind { kNull, kText, kList, kMap };

  Kind kind = Kind::kNull;
  std::string text = {};   // As written in the file, also for numbers; only for kText.
  bool is_quoted = false;  // A quoted "0.9" is a text, not a number.
  std::vector<DocumentNode> items = {};
  std::vector<DocumentMember> members;  // In the order of the file; keys are unique.
  int line = 1;
  int column = 1;

  bool is_text() const { return kind == Kind::kText; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }

  // Returns a member; nullptr if it is missing or null, because an empty member counts as missing.
  const DocumentNode* Find(std::string_view key) const;

  // Returns a finite number that is not quoted. Limits must be finite: comparisons with NaN would
  // never fail.
  std::optional<double> Number() const;

  // Returns the position in the file: "line 3, column 5".
  std::string place() const;

  // Describes the node for messages: "'abc'", "a list", "nothing".
  std::string Describe() const;
};

struct DocumentMember {
  std::string key;
  DocumentNode value;
};

// Parses a document. Fails with kInvalidArgument, with line and column, if the text is not YAML; if
// it has aliases, duplicate keys, keys that are not texts, or a second document; and beyond 256
// KiB, 32 levels or 50,000 values.
Result<DocumentNode> ParseDocument(std::string_view text);

}  // namespace cboard::analysis
