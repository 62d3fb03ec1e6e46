// Serves log directories over HTTP: reads and follows them in the background, and responds to
// requests.
//
//   CBOARD_ASSIGN_OR_RETURN(auto board, Board::Open({.logdirs = {{.path = "runs"}}}));
//   CBOARD_ASSIGN_OR_RETURN(auto server, HttpServer::Listen({.port = 6006}, board->handler()));
//   server->Run();
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/log_reader.h"
#include "cboard/server/http_message.h"
#include "cboard/server/log_source.h"

namespace cboard::server {

struct BoardOptions {
  std::vector<reader::Logdir> logdirs = {};

  // Names and paths that the page shows instead of `logdirs`. If empty, the page shows `logdirs`.
  std::vector<reader::Logdir> shown_logdirs = {};

  // Returns the state of the remote places that `logdirs` are copied from. Called for each request
  // that needs this state.
  std::function<std::vector<LogSource>()> sources = {};

  std::chrono::milliseconds reload_interval{5000};  // 0: read only once.
  std::filesystem::path cache_directory = {};       // See ReaderOptions.
  std::string window_title = "Compression Board";
  std::string path_prefix = {};  // "/board": prefix of all paths. Empty: no prefix.

  // Explains why annotations (names, notes and tags of runs, named views) cannot be stored in the
  // log directories. Empty if they can be stored (docs/formats/annotations.md).
  std::string read_only_reason = "this server does not write to the log directory";

  bool allow_delete = false;   // Whether the page may delete the event files of runs.
  bool allow_control = false;  // Whether the page may stop a running tuning.

  // Maximum number of values in responses of TensorBoard's routes, by plugin; 0 means all.
  std::map<std::string, std::size_t> samples_per_plugin = {};
};

// Thread-safe.
class Board {
 public:
  // Starts reading the log directories. A missing directory is not an error: it may appear later,
  // and the page reports it until then.
  static Result<std::unique_ptr<Board>> Open(BoardOptions options);
  ~Board();

  HttpResponse Handle(const HttpRequest& request) const;

  // Returns the request handler. It borrows the board, which must outlive it.
  HttpHandler handler() const;

  struct Status {
    bool loaded = false;  // All data that existed at the start has been read.
    std::size_t run_count = 0;
    std::optional<Error> error = {};  // Why a log directory could not be read.
    // Names of the files that could not be read completely, one per line.
    std::vector<std::string> trouble = {};
  };
  // Waits until all logs have been read, at most for `timeout`.
  Status WaitForFirstLoad(std::chrono::milliseconds timeout) const;

  // Appends the reader's counters, for ServerMetrics::AddSource.
  void AppendMetrics(std::string& text) const;

 private:
  struct State;
  explicit Board(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cboard::server
