// Access control by host name, origin and access token.
//
//   HttpServer::Listen(options, Guarded({.token = "s3cret"}, board.handler()));
//
// Host: after a foreign page is loaded, its host name can be changed to point at 127.0.0.1 ("DNS
// rebinding"). The browser still sends that host name, so requests with unknown names get HTTP 421.
// Origin: requests from pages of another origin get HTTP 403. Token: if an access token is set,
// requests without it get HTTP 401. The token is sent as `Authorization: Bearer`, or once as
// `?token=`, which sets a cookie that scripts cannot read and other sites cannot send. A client
// address with many wrong tokens gets HTTP 429 for a while (server/http/guess_limit.h).
#pragma once

#include <string>
#include <vector>

#include "cboard/server/http_message.h"

namespace cboard::server {

struct AccessOptions {
  // Accepted values of the Host header, besides localhost and its addresses: the listen address, or
  // any IP address if the server listens on all interfaces.
  std::vector<std::string> own_hosts = {};
  bool allow_any_address = false;

  // Additional trusted host names, for example the name of a proxy. They are accepted as Host, and
  // as Origin even if a proxy has changed the Host.
  std::vector<std::string> allowed_hosts = {};

  // True if pages of other origins may embed the board in a frame. The browser checks which origins
  // (HttpServerOptions::frame_ancestors).
  bool allow_frames = false;

  std::string token = {};                              // Empty: no token is required.
  std::vector<std::string> open_paths = {"/healthz"};  // Paths that need no token.
  std::string cookie_path = "/";                       // Path of the cookie: the path prefix.
};

// Returns a handler that passes permitted requests to `handler`. Other requests get an error that
// says what is missing.
HttpHandler Guarded(AccessOptions options, HttpHandler handler);

}  // namespace cboard::server
