#include "compression/benchmarks/json_document.h"

#include "compression/benchmarks/json_repair.h"

namespace cboard::compression {
namespace {

using simdjson::dom::element;

// Parses in place: the parser may read, but not write, kPadding bytes beyond the end.
simdjson::error_code Parse(std::string& text, simdjson::dom::parser& parser, element& document) {
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  return parser.parse(text.data(), text.size(), /*realloc_if_needed=*/false).get(document);
}

}  // namespace

Result<element> ParseJson(std::string& text, simdjson::dom::parser& parser, std::string_view source,
                          std::string_view what, std::vector<std::string>& repairs) {
  constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
  if (text.starts_with(kUtf8Mark)) text.erase(0, kUtf8Mark.size());
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return Fail(ErrorCode::kInvalidArgument,
                std::string(source) + ": the file is UTF-16; save it as UTF-8");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Fail(ErrorCode::kInvalidArgument, std::string(source) + ":1:1: expected " +
                                                 std::string(what) + ", found an empty file");
  }
  element document;
  if (Parse(text, parser, document) == simdjson::SUCCESS) return document;
  CBOARD_ASSIGN_OR_RETURN(repairs, RepairJson(text, source));
  if (const simdjson::error_code error = Parse(text, parser, document);
      error != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument,
                std::string(source) + ": " + simdjson::error_message(error));
  }
  return document;
}

std::optional<double> NumberOf(const element& value) {
  if (value.is_number()) {
    double number = 0;
    if (value.get(number) == simdjson::SUCCESS) return number;
  }
  if (value.is_string()) return NonFiniteNumber(std::string_view(value));
  return std::nullopt;
}

}  // namespace cboard::compression
