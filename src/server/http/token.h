// The access token of a board, and the cookie that replaces it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cboard::server {

// Comparisons take the same time for every wrong text, so that timing reveals nothing.
class Token {
 public:
  explicit Token(std::string_view secret);

  bool Matches(std::string_view text) const;
  bool MatchesCookies(std::string_view cookie_header) const;

  // "cboard_1f2e3d4c=<hex>; HttpOnly; …". Derived from the secret without revealing it. The name is
  // derived as well, so that boards on other ports of the same host keep their cookies.
  std::string SetCookie(std::string_view path, bool secure) const;

 private:
  std::string digest_;  // Digest of the secret.
  std::string cookie_name_;
  std::string cookie_value_;
};

// A request's target without `token=…` in its query, and the (first) token that was there.
struct SplitTarget {
  std::string target;
  std::optional<std::string> token;
};
SplitTarget TakeToken(std::string_view target);

}  // namespace cboard::server
