// Log directories behind HTTP: reads and follows them in the background, and answers requests about
// them.
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

  // Their names and paths on the page; empty: `logdirs`.
  std::vector<reader::Logdir> shown_logdirs = {};

  // The places that `logdirs` are copies of. Called for each request that asks.
  std::function<std::vector<LogSource>()> sources = {};

  std::chrono::milliseconds reload_interval{5000};  // 0: read once.
  std::filesystem::path cache_directory = {};       // See ReaderOptions.
  std::string window_title = "Compression Board";
  std::string path_prefix = {};  // "/board": everything is below it. Empty: at the root.

  // Why names, notes and tags of runs and named views must not be stored in the log directories.
  // Empty: they may be (docs/formats/annotations.md).
  std::string read_only_reason = "this server does not write to the log directory";

  bool allow_delete = false;   // Whether the page may delete the event files of runs.
  bool allow_control = false;  // Whether the page may stop a running tuning.

  // How many values TensorBoard's own routes answer at most, by plugin; 0 is all.
  std::map<std::string, std::size_t> samples_per_plugin = {};
};

// Thread-safe.
class Board {
 public:
  // Starts reading. A directory that is missing is not an error: it may appear, and the page says
  // so until then.
  static Result<std::unique_ptr<Board>> Open(BoardOptions options);
  ~Board();

  HttpResponse Handle(const HttpRequest& request) const;

  // Handle as a function. Borrows the board, which must outlive it.
  HttpHandler handler() const;

  struct Status {
    bool loaded = false;  // All that was there at the start has been read.
    std::size_t run_count = 0;
    std::optional<Error> error = {};        // Why a log directory could not be read.
    std::vector<std::string> trouble = {};  // Files that could not, or only in part: a line each.
  };
  // Waits until everything has been read, at most `timeout`.
  Status WaitForFirstLoad(std::chrono::milliseconds timeout) const;

  // The reader's numbers for ServerMetrics::AddSource.
  void AppendMetrics(std::string& text) const;

 private:
  struct State;
  explicit Board(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cboard::server
