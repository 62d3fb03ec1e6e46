// Any bytes, in any pieces, give a request or a refusal; the response to a request has exactly one
// head, whatever its headers contain.
#include <algorithm>

#include "cboard/base/check.h"
#include "cboard/server/access.h"
#include "server/http/request_reader.h"
#include "server/http/response_builder.h"

namespace {

using cboard::server::HttpRequest;
using cboard::server::HttpResponse;

const cboard::server::HttpHandler& Guard() {
  static const cboard::server::HttpHandler kGuard =
      cboard::server::Guarded({.token = "s3cret"}, [](const HttpRequest& request) {
        // With the token, or for a server without a token.
        HttpResponse response =
            cboard::server::BlobResponse("image/svg+xml", std::string(2000, 'x'));
        if (request.body.empty()) response.untrusted = false;
        return response;
      });
  return kGuard;
}

void Respond(const HttpRequest& request, const cboard::server::ConnectionState& state) {
  HttpResponse response = Guard()(request);
  const bool untrusted = response.untrusted;
  const cboard::server::PreparedResponse prepared =
      cboard::server::PrepareResponse(request, std::move(response), state);
  CBOARD_CHECK(prepared.head.find("\r\n\r\n") == prepared.head.size() - 4);
  CBOARD_CHECK(prepared.head.find("\r\nX-Content-Type-Options: nosniff\r\n") != std::string::npos);
  CBOARD_CHECK(prepared.head.find("\r\nContent-Security-Policy: ") != std::string::npos);
  CBOARD_CHECK(!untrusted || prepared.head.find("svg") == std::string::npos);
  CBOARD_CHECK(prepared.body().size() <= 2000);
  CBOARD_CHECK(request.method != "HEAD" || prepared.body().empty());
}

}  // namespace

// The first byte is the length of the pieces.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0];
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const cboard::server::RequestLimits limits{
      .max_target_bytes = 500, .max_header_bytes = 1000, .max_body_bytes = 2000};
  std::string pending;
  while (!rest.empty()) {
    cboard::server::RequestReader reader(limits);
    while (!rest.empty() && !reader.done() && reader.refused() == 0) {
      pending += rest.substr(0, piece);
      rest.remove_prefix(std::min(piece, rest.size()));
      const std::size_t taken = reader.Take(pending);
      CBOARD_CHECK(taken <= pending.size());
      pending.erase(0, taken);
      CBOARD_CHECK(pending.size() <= limits.max_header_bytes + piece || reader.done() ||
                   reader.refused() != 0);
    }
    if (!reader.done() || reader.refused() != 0) return 0;
    const HttpRequest request = reader.Message();
    CBOARD_CHECK(request.body.size() <= limits.max_body_bytes);
    CBOARD_CHECK(request.target.size() <= limits.max_target_bytes);
    Respond(request, reader.state());
  }
  return 0;
}
