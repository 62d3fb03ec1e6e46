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
  // Host name, with the port if it is not the default port.
  std::string host;
  std::string path;                            // Percent-encoded, starting with a slash.
  std::map<std::string, std::string> query;    // Not encoded.
  std::map<std::string, std::string> headers;  // Names in lower case; all of them are signed.
  std::string_view body;
};

// Percent-encodes every byte except letters, digits and "-._~" as %XX; `keeps_slashes` also leaves
// "/".
std::string PercentEncoded(std::string_view text, bool keeps_slashes);

// Returns "a=1&b=2", sorted and encoded, as it must be signed and sent.
std::string CanonicalQuery(const std::map<std::string, std::string>& query);

std::string HexSha256(std::string_view bytes);

// Returns the headers to send with the request: its own headers, the date, the hash of the body,
// and Authorization. `time` is seconds since 1970.
std::map<std::string, std::string> SignedHeaders(const UnsignedRequest& request,
                                                 const Credentials& credentials,
                                                 std::string_view region, std::int64_t time);

}  // namespace cboard::object_store
