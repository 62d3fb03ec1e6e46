// A page of YAML, or of JSON, which is YAML too, as a small tree that knows where everything
// stands.
//
//   CBOARD_ASSIGN_OR_RETURN(const DocumentNode root, ParseDocument(text));
//   if (const DocumentNode* gates = root.Find("gates")) …  gates->place() …
//
// Aliases are refused rather than followed: ten lines of them can stand for a billion nodes.
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
  std::string text = {};   // For kText: as written in the file, also for numbers.
  bool is_quoted = false;  // "0.9" is no number.
  std::vector<DocumentNode> items = {};
  std::vector<DocumentMember> members;  // As they stand there; each key once.
  int line = 1;
  int column = 1;

  bool is_text() const { return kind == Kind::kText; }
  bool is_list() const { return kind == Kind::kList; }
  bool is_map() const { return kind == Kind::kMap; }

  // Returns nullptr if the member is missing or null: an empty member counts as missing.
  const DocumentNode* Find(std::string_view key) const;

  // A finite number without quotes, as limits must be: comparisons with NaN would never fail.
  std::optional<double> Number() const;

  // "line 3, column 5".
  std::string place() const;

  // Describes the node for messages: "'abc'", "a list", "nothing".
  std::string Describe() const;
};

struct DocumentMember {
  std::string key;
  DocumentNode value;
};

// Fails with kInvalidArgument, naming line and column, for what is no YAML, for aliases, for keys
// that are there twice or are no texts, for a second document, and beyond 256 KiB, 32 levels or
// 50,000 values.
Result<DocumentNode> ParseDocument(std::string_view text);

}  // namespace cboard::analysis
