#include <algorithm>

#include "cboard/base/strings.h"
#include "compression/imports/parsers.h"

namespace cboard::compression::imports {
namespace {

// Reads fields one by one and counts lines.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view source) : text_(text), source_(source) {}

  bool AtEnd() const { return at_ >= text_.size(); }
  std::size_t line() const { return line_; }

  // Returns the fields of the next row; an empty line is a row without fields.
  Result<std::vector<std::string>> Row() {
    row_line_ = line_;
    std::vector<std::string> fields;
    if (SkipLineEnd()) return fields;
    while (true) {
      CBOARD_ASSIGN_OR_RETURN(std::string field, Field());
      fields.push_back(std::move(field));
      if (AtEnd() || SkipLineEnd()) return fields;
      ++at_;  // Skips the comma.
    }
  }

  tl::unexpected<Error> Wrong(const std::string& what) const {
    return Fail(ErrorCode::kInvalidArgument,
                std::string(source_) + ":" + std::to_string(row_line_) + ": " + what);
  }

 private:
  bool SkipLineEnd() {
    if (AtEnd() || (text_[at_] != '\r' && text_[at_] != '\n')) return false;
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
    return true;
  }

  Result<std::string> Field() {
    if (AtEnd() || text_[at_] != '"') {
      const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
      std::string field(text_.substr(at_, end - at_));
      at_ = end;
      return field;
    }
    std::string field;
    for (++at_; !AtEnd(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        field += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        field += '"';
        ++at_;
      } else {
        ++at_;
        // Text between the closing quote and the comma belongs to the field.
        const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
        field += text_.substr(at_, end - at_);
        at_ = end;
        return field;
      }
    }
    return Wrong("a quoted field has no closing quote");
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t row_line_ = 1;
};

}  // namespace

std::optional<std::size_t> CsvTable::Find(std::string_view column) const {
  const auto found = std::ranges::find(columns, column);
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

Result<CsvTable> ParseCsv(std::string_view text, std::string_view source) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  CsvReader reader(text, source);
  CsvTable table;
  while (!reader.AtEnd()) {
    CBOARD_ASSIGN_OR_RETURN(std::vector<std::string> row, reader.Row());
    if (row.empty()) continue;
    if (table.columns.empty()) {
      table.columns = std::move(row);
    } else if (row.size() != table.columns.size()) {
      return reader.Wrong("the row has " + HumanCount(row.size()) +
                          " fields, but the first row has " + HumanCount(table.columns.size()));
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  if (table.columns.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                std::string(source) + ":1: expected a table, found an empty file");
  }
  return table;
}

}  // namespace cboard::compression::imports
