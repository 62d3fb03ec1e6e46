#include "server/http/token.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>

#include "base/hex_digits.h"
#include "cboard/base/check.h"
#include "cboard/base/strings.h"
#include "server/http/content_coding.h"
#include "server/http/url.h"

namespace cboard::server {
namespace {

// Computes HMAC-SHA-256, as bytes.
std::string Digest(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest = {};
  unsigned int length = 0;
  const unsigned char* const done = ::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
                                           reinterpret_cast<const unsigned char*>(text.data()),
                                           text.size(), digest.data(), &length);
  CBOARD_CHECK(done != nullptr && length == 32);
  return std::string(reinterpret_cast<const char*>(digest.data()), length);
}

// The computation is slow on purpose. Attackers may try secrets through cookies, which do not count
// as guesses, but each attempt takes this time.
std::string Stretched(std::string_view secret) {
  constexpr std::string_view kSalt = "compression-board cookie";
  constexpr int kRounds = 100'000;
  std::array<unsigned char, 32> key = {};
  const int done = ::PKCS5_PBKDF2_HMAC(secret.data(), static_cast<int>(secret.size()),
                                       reinterpret_cast<const unsigned char*>(kSalt.data()),
                                       static_cast<int>(kSalt.size()), kRounds, ::EVP_sha256(),
                                       static_cast<int>(key.size()), key.data());
  CBOARD_CHECK(done == 1);
  return std::string(reinterpret_cast<const char*>(key.data()), key.size());
}

// Compares fixed-length digests, so timing does not reveal the length.
constexpr std::string_view kCompareKey = "compression-board token";

bool SameBytes(std::string_view a, std::string_view b) {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace

Token::Token(std::string_view secret) : digest_(Digest(kCompareKey, secret)) {
  const std::string key = Stretched(secret);
  cookie_name_ = "cboard_" + HexDigits(Digest(key, "name").substr(0, 4));
  cookie_value_ = HexDigits(Digest(key, "cookie"));
}

bool Token::Matches(std::string_view text) const {
  return SameBytes(Digest(kCompareKey, text), digest_);
}

bool Token::MatchesCookies(std::string_view cookie_header) const {
  while (!cookie_header.empty()) {
    std::string_view value = TakeUntil(cookie_header, ';');
    if (TakeUntil(value, '=') == cookie_name_ && SameBytes(Trimmed(value), cookie_value_)) {
      return true;
    }
  }
  return false;
}

std::string Token::SetCookie(std::string_view path, bool secure) const {
  return cookie_name_ + "=" + cookie_value_ + "; Path=" + std::string(path) +
         "; HttpOnly; SameSite=Strict" + (secure ? "; Secure" : "");
}

SplitTarget TakeToken(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return {.target = std::string(target)};
  SplitTarget split{.target = std::string(target.substr(0, mark))};
  char separator = '?';
  for (const std::string_view part : Split(target.substr(mark + 1), '&')) {
    constexpr std::string_view kName = "token=";
    if (part.starts_with(kName)) {
      Result<std::string> token = DecodeQueryText(part.substr(kName.size()));
      if (token && !split.token) split.token = *std::move(token);
    } else {
      split.target += separator;
      split.target += part;
      separator = '&';
    }
  }
  return split;
}

}  // namespace cboard::server
