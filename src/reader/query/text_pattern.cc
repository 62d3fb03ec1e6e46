#include <re2/re2.h>

#include "cboard/base/strings.h"
#include "cboard/reader/run_query.h"

namespace cboard::reader {
namespace {

constexpr std::size_t kMaxPatternBytes = 4096;

RE2::Options Options() {
  RE2::Options options;
  options.set_log_errors(false);
  return options;
}

}  // namespace

class TextPattern::Impl {
 public:
  explicit Impl(std::string_view pattern)
      : expression(re2::StringPiece(pattern.data(), pattern.size()), Options()) {}
  RE2 expression;
};

Result<TextPattern> TextPattern::Compile(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) {
    return Fail(ErrorCode::kInvalidArgument,
                "the search pattern has " + std::to_string(pattern.size()) +
                    " bytes, but the maximum is " + std::to_string(kMaxPatternBytes));
  }
  auto impl = std::make_shared<const Impl>(pattern);
  if (!impl->expression.ok()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the search pattern " + Quoted(pattern) +
                    " is not a valid regular expression: " + impl->expression.error());
  }
  return TextPattern(std::move(impl));
}

bool TextPattern::FoundIn(std::string_view text) const {
  const re2::StringPiece piece(text.data(), text.size());
  return impl_->expression.Match(piece, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
}

bool TextPattern::MatchesStartOf(std::string_view text) const {
  const re2::StringPiece piece(text.data(), text.size());
  return impl_->expression.Match(piece, 0, text.size(), RE2::ANCHOR_START, nullptr, 0);
}

}  // namespace cboard::reader
