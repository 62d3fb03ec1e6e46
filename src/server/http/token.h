// The access token of a board, and the cookie that replaces the token after the first request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard::server {

// The access token. All comparisons take the same time for every wrong text, so that timing reveals
// nothing.
class Token {
 public:
  explicit Token(std::string_view secret);

  bool Matches(std::string_view text) const;
  bool MatchesCookies(std::string_view cookie_header) const;

  // Returns the Set-Cookie value "cboard_1f2e3d4c=<hex>; HttpOnly; …". Name and value are derived
  // from the secret, but do not reveal it. Each board has its own cookie name, so that boards on
  // other ports of the host keep their cookies.
  std::string SetCookie(std::string_view path, bool secure) const;

 private:
  std::string digest_;  // Hash of the secret.
  std::string cookie_name_;
  std::string cookie_value_;
};

// A request target without `token=…` in its query, and the first token that the query had.
struct SplitTarget {
  std::string target;
  std::optional<std::string> token;
};
SplitTarget TakeToken(std::string_view target);

}  // namespace cboard::server
