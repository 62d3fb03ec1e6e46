// A log directory behind HTTP: reads it in the background and answers requests about it.
//
//   Board board({.logdir = "runs"});
//   CBOARD_ASSIGN_OR_RETURN(auto server, HttpServer::Listen({.port = 6006}, board.handler()));
//   server->Run();
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/server/http_message.h"

namespace cboard {

struct BoardOptions {
  std::filesystem::path logdir = {};
  std::chrono::milliseconds reload_interval{5000};  // 0: read once.
  std::string window_title = "Compression Board";
  std::string path_prefix = {};  // "/board": everything is below it. Empty: at the root.

  // Names that may stand in the Host header, besides localhost and its addresses.
  std::vector<std::string> allowed_hosts = {};
  bool allow_any_address = false;  // In the Host header; for servers bound to all interfaces.
};

// Thread-safe.
class Board {
 public:
  // Starts reading. A directory that is missing is not an error: it may appear, and the page says
  // so until then.
  explicit Board(BoardOptions options);
  ~Board();

  HttpResponse Handle(const HttpRequest& request) const;

  // Handle as a function. Borrows the board, which must outlive it.
  HttpHandler handler() const;

  struct Status {
    bool loaded = false;  // Has been read at least once.
    std::size_t run_count = 0;
    std::optional<Error> error = {};  // Why the directory could not be read.
  };
  // Waits for the first reading, at most `timeout`.
  Status WaitForFirstLoad(std::chrono::milliseconds timeout) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cboard
