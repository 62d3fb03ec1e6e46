// Signs requests as Amazon's "Signature Version 4" defines.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::object_store {

struct Credentials {
  std::string access_key;  // Empty: requests are not signed.
  std::string secret_key;
  std::string session_token;  // Only temporary credentials have one.
};

struct UnsignedRequest {
  std::string method = "GET";
  // The host name, and the port unless it is the default port.
  std::string host;
  std::string path;                            // Percent-encoded, starting with a slash.
  std::map<std::string, std::string> query;    // Not encoded.
  std::map<std::string, std::string> headers;  // Names in lower case; all of them are signed.
  std::string_view body;
};

// Percent-encodes a text: every byte except letters, digits and "-._~" becomes %XX. If
// `keeps_slashes` is true, "/" is not encoded either.
std::string PercentEncoded(std::string_view text, bool keeps_slashes);

// Returns the query as "a=1&b=2", sorted and encoded. It is signed and sent in this form.
std::string CanonicalQuery(const std::map<std::string, std::string>& query);

std::string HexSha256(std::string_view bytes);

// Returns the headers to send with the request: the request's own headers, the date, the hash of
// the body, and Authorization. `time` is in seconds since 1970.
std::map<std::string, std::string> SignedHeaders(const UnsignedRequest& request,
                                                 const Credentials& credentials,
                                                 std::string_view region, std::int64_t time);

}  // namespace cboard::object_store
