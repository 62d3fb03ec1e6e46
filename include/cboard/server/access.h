// Access control: accepted host names, accepted origins, and an access token.
//
//   HttpServer::Listen(options, Guarded({.token = "s3cret"}, board.handler()));
//
// Host: a page from elsewhere can point its own name at 127.0.0.1 once it is loaded ("DNS
// rebinding"); the browser still sends that name, so unknown names are refused (421).
// Origin: requests that a page of another origin makes are refused (403).
// Token: when there is one, every request must bring it (401): as `Authorization: Bearer`, as
// `?token=` once, after which a cookie that scripts cannot read and other sites cannot send stands
// for it. An address that sends many wrong ones gets 429 for a while (server/http/guess_limit.h).
#pragma once

#include <string>
#include <vector>

#include "cboard/server/http_message.h"

namespace cboard::server {

struct AccessOptions {
  // Accepted values of the Host header, besides localhost and its addresses: the address that the
  // server listens on, and any address if it listens on all interfaces.
  std::vector<std::string> own_hosts = {};
  bool allow_any_address = false;

  // Names that somebody has vouched for, such as that of a proxy: allowed as the Host, and as the
  // Origin even where a proxy has changed the Host.
  std::vector<std::string> allowed_hosts = {};

  // Pages of other origins may show ours in a frame. Which ones, the browser checks
  // (HttpServerOptions::frame_ancestors).
  bool allow_frames = false;

  std::string token = {};                              // Empty: nobody needs one.
  std::vector<std::string> open_paths = {"/healthz"};  // Answered without a token.
  std::string cookie_path = "/";                       // Where the cookie counts: the path prefix.
};

// Passes allowed requests to `handler`. Other clients get an error that says what is missing.
HttpHandler Guarded(AccessOptions options, HttpHandler handler);

}  // namespace cboard::server
