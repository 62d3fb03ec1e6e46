#include "object_store/access/signature.h"

#include <array>
#include <ctime>

#include "base/hex_digits.h"
#include "object_store/access/sha256.h"

namespace cboard::object_store {
namespace {

std::string FormatTime(std::int64_t time, const char* format) {
  const std::time_t seconds = time;
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text = {};
  const std::size_t length = std::strftime(text.data(), text.size(), format, &parts);
  return std::string(text.data(), length);
}

}  // namespace

std::string PercentEncoded(std::string_view text, bool keeps_slashes) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (kPlain.find(c) != std::string_view::npos || (keeps_slashes && c == '/')) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

std::string CanonicalQuery(const std::map<std::string, std::string>& query) {
  // Sorts the parameters by their names before encoding. The specification sorts by the encoded
  // names; the order is the same, because these names contain only letters and hyphens.
  std::string text;
  for (const auto& [name, value] : query) {
    if (!text.empty()) text += '&';
    text += PercentEncoded(name, false) + "=" + PercentEncoded(value, false);
  }
  return text;
}

std::string HexSha256(std::string_view bytes) { return HexDigits(ViewOf(Sha256(bytes))); }

std::map<std::string, std::string> SignedHeaders(const UnsignedRequest& request,
                                                 const Credentials& credentials,
                                                 std::string_view region, std::int64_t time) {
  std::map<std::string, std::string> headers = request.headers;
  headers["host"] = request.host;
  if (credentials.access_key.empty()) return headers;
  const std::string date = FormatTime(time, "%Y%m%dT%H%M%SZ");
  const std::string day = date.substr(0, 8);
  const std::string body_hash = HexSha256(request.body);
  headers["x-amz-date"] = date;
  headers["x-amz-content-sha256"] = body_hash;
  if (!credentials.session_token.empty()) {
    headers["x-amz-security-token"] = credentials.session_token;
  }
  std::string names, lines;
  for (const auto& [name, value] : headers) {
    names += (names.empty() ? "" : ";") + name;
    lines += name + ":" + value + "\n";
  }
  const std::string canonical = request.method + "\n" + request.path + "\n" +
                                CanonicalQuery(request.query) + "\n" + lines + "\n" + names + "\n" +
                                body_hash;
  const std::string scope = day + "/" + std::string(region) + "/s3/aws4_request";
  const std::string to_sign =
      "AWS4-HMAC-SHA256\n" + date + "\n" + scope + "\n" + HexSha256(canonical);
  Sha256Digest key = HmacSha256("AWS4" + credentials.secret_key, day);
  for (const std::string_view part :
       {region, std::string_view("s3"), std::string_view("aws4_request")}) {
    key = HmacSha256(ViewOf(key), part);
  }
  headers["authorization"] = "AWS4-HMAC-SHA256 Credential=" + credentials.access_key + "/" + scope +
                             ",SignedHeaders=" + names +
                             ",Signature=" + HexDigits(ViewOf(HmacSha256(ViewOf(key), to_sign)));
  return headers;
}

}  // namespace cboard::object_store
