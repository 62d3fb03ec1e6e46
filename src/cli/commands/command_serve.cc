// compression-board serve: shows a log directory in the browser.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <thread>

#include "cboard/base/strings.h"
#include "cboard/server/access.h"
#include "cboard/server/access_log.h"
#include "cboard/server/board.h"
#include "cboard/server/http_server.h"
#include "cboard/server/server_metrics.h"
#include "cli/bucket_logs.h"
#include "cli/commands.h"
#include "cli/commands/serve_config.h"
#include "cli/reports/text_table.h"
#include "reader/live/private_directory.h"

namespace cboard::cli {
namespace {

std::string ThisMachine() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

double SecondsSince1970(std::chrono::system_clock::time_point time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

std::vector<server::LogSource> SourcesOf(const BucketLogs& logs) {
  std::vector<server::LogSource> sources;
  for (const BucketLogs::Bucket& bucket : logs.buckets()) {
    object_store::CopyStatus status = bucket.copy->status();
    server::LogSource source{.address = bucket.address, .is_loaded = status.is_loaded};
    if (status.error) source.error = status.error->message;
    if (status.last_success) source.last_read = SecondsSince1970(*status.last_success);
    source.files = status.object_count;
    source.bytes = status.byte_count;
    source.skipped = std::move(status.skipped);
    sources.push_back(std::move(source));
  }
  return sources;
}

// Returns the reason why the page must not write into the log directories; empty if it may write.
std::string ReadOnlyReason(const ServeConfig& config, const BucketLogs& buckets) {
  if (config.read_only) return "the server was started with --read-only";
  if (config.binds_everything() && config.token.empty()) {
    return "everyone can reach this server, and it has no token; start it with --token-file";
  }
  if (!buckets.buckets().empty()) return "the log directory is a copy of a bucket";
  return {};
}

// Returns the options of the board. `buckets` is filled with the buckets among the log directories,
// and must outlive the board.
Result<server::BoardOptions> BoardOptionsOf(const ServeConfig& config, BucketLogs& buckets) {
  server::BoardOptions options;
  CBOARD_ASSIGN_OR_RETURN(options.logdirs, config.logdirs.Parse());
  options.shown_logdirs = options.logdirs;
  CBOARD_ASSIGN_OR_RETURN(buckets, BucketLogs::Open(config.logdirs, options.logdirs));
  options.sources = [&buckets] { return SourcesOf(buckets); };
  options.cache_directory = reader::DefaultCacheDirectory();
  if (auto usable = reader::CheckPrivateDirectory(options.cache_directory); !usable) {
    PrintError("the board works without its index cache, so it starts more slowly: " +
               usable.error().message);
    options.cache_directory.clear();
  }
  options.samples_per_plugin = config.samples_per_plugin;
  options.reload_interval =
      std::chrono::milliseconds(static_cast<std::int64_t>(config.reload_interval_seconds * 1000));
  options.window_title = config.window_title;
  options.read_only_reason = ReadOnlyReason(config, buckets);
  options.allow_delete = config.allow_delete;
  options.allow_control = config.allow_control;
  options.path_prefix = config.path_prefix;
  return options;
}

server::AccessOptions AccessOptionsOf(const ServeConfig& config) {
  server::AccessOptions options;
  options.allowed_hosts = config.allowed_hosts;
  options.own_hosts = {config.host};
  options.allow_any_address = config.binds_everything();
  if (const std::string name = ThisMachine(); options.allow_any_address && !name.empty()) {
    options.own_hosts.insert(options.own_hosts.end(), {name, name + ".local"});
  }
  options.allow_frames = !config.allowed_frames.empty();
  options.token = config.token;
  options.open_paths = {config.path_prefix + "/healthz"};
  options.cookie_path = config.path_prefix + "/";
  return options;
}

// Raises the limit of file descriptors as far as possible, and returns the resulting maximum number
// of connections.
std::size_t MaxConnections() {
  constexpr rlim_t kOtherFiles = 256;  // For event files, listening sockets and the log.
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 768;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  // If there are few, connections leave half of them: otherwise new points could not be read.
  return static_cast<std::size_t>(limit.rlim_cur - std::min(kOtherFiles, limit.rlim_cur / 2));
}

server::HttpServerOptions ServerOptionsOf(const ServeConfig& config) {
  server::HttpServerOptions options;
  options.host = config.host;
  options.port = config.port;
  options.threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
  options.stop_on_signals = true;
  for (const std::string& origin : config.allowed_frames) {
    options.frame_ancestors += (options.frame_ancestors.empty() ? "" : " ") + origin;
  }
  options.max_connections = config.max_connections;
  if (const std::size_t room = MaxConnections(); room < options.max_connections) {
    PrintError("the system allows only " + HumanCount(room) + " connections instead of " +
               HumanCount(options.max_connections) +
               "; raise the limit of open files ('ulimit -Hn', LimitNOFILE=) or lower "
               "--max_connections");
    options.max_connections = room;
  }
  if (!config.tls_certificate.empty()) {
    options.tls = server::TlsFiles{.certificate = config.tls_certificate, .key = config.tls_key};
  }
  return options;
}

std::string UrlOf(const ServeConfig& config, std::uint16_t port) {
  std::string shown = config.binds_everything() ? ThisMachine() : config.host;
  if (shown.find(':') != std::string::npos) shown = "[" + shown + "]";
  return (config.tls_certificate.empty() ? "http://" : "https://") + shown + ":" +
         std::to_string(port) + config.path_prefix + "/";
}

std::string Describe(const server::Board::Status& status) {
  if (!status.loaded) return "still reading";
  if (status.error) return "not there yet";
  return Plural(status.run_count, "run");
}

// A temporary file that redirects a browser to `url`. Only this user can read it: other users can
// see the command line of the browser, but not the content of this file. The destructor deletes it.
class PageWithLink {
 public:
  static Result<PageWithLink> Write(const std::string& url) {
    // Prefers the directory $XDG_RUNTIME_DIR, because other users cannot read it.
    const char* const runtime = ::getenv("XDG_RUNTIME_DIR");
    std::error_code error;
    const std::filesystem::path folder = runtime != nullptr && *runtime != '\0'
                                             ? std::filesystem::path(runtime)
                                             : std::filesystem::temp_directory_path(error);
    std::string path = (folder / "compression-board-XXXXXX.html").string();
    constexpr int kSuffixBytes = 5;
    // mkostemps creates the file with mode 0600, so only this user can read it.
    const int descriptor = ::mkostemps(path.data(), kSuffixBytes, O_CLOEXEC);
    if (descriptor < 0) return Fail(ErrnoError(errno, "create " + Quoted(path)));
    PageWithLink page(path);
    const std::string text = "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url=" + url +
                             "\"><title>Compression Board</title>\n";
    const bool is_written =
        ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int reason = errno;
    ::close(descriptor);
    if (!is_written) return Fail(ErrnoError(reason, "write " + Quoted(path)));
    return page;
  }

  PageWithLink(PageWithLink&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PageWithLink& operator=(PageWithLink&&) = delete;
  ~PageWithLink() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  const std::string& path() const { return path_; }

 private:
  explicit PageWithLink(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Escapes a text for a query: "a b&c" becomes "a%20b%26c".
std::string EscapedForQuery(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (kPlain.find(c) != kPlain.npos) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return escaped;
}

// Opens a URL in the browser of the desktop; reports an error if there is no display.
void OpenInBrowser(const std::string& url) {
  if (::getenv("DISPLAY") == nullptr && ::getenv("WAYLAND_DISPLAY") == nullptr) {
    PrintError(
        "no browser can be opened, because there is no display; open the address of the page "
        "yourself");
    return;
  }
  std::string program = "xdg-open";
  std::string argument = url;
  std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  // Starts the browser in its own process group, so that Ctrl-C ends the server and not the
  // browser.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int failed =
      ::posix_spawnp(&pid, program.c_str(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0)
    PrintError(
        "no browser can be opened, because xdg-open is not installed; open the address of the page "
        "yourself");
}

// Prints the address of the board when its content is known, or after a short wait. Lists
// unreadable files when reading is complete.
void Announce(const std::stop_token& stop, const ServeConfig& config, const server::Board& board,
              std::uint16_t port) {
  constexpr std::chrono::milliseconds kMoment(250);
  server::Board::Status status = board.WaitForFirstLoad(kMoment);
  if (status.error) {
    PrintError(status.error->message + "; the page shows the logs as soon as the directory exists");
  } else if (status.loaded && status.run_count == 0) {
    PrintError("there are no event files below " + Quoted(config.logdirs.text(), 1000) +
               "; the page shows them as soon as they are written");
  }
  if (config.binds_everything() && config.token.empty()) {
    PrintError(
        "anyone who can reach this machine can read the logs; require an access token with "
        "--token-file");
  }
  const std::string url = UrlOf(config, port);
  std::cout << Printable("Compression Board at " + url + " (logdir " + config.logdirs.text() +
                         ", " + Describe(status) + (config.token.empty() ? "" : ", token needed") +
                         ") — Ctrl-C to stop")
            << std::endl;
  std::optional<PageWithLink> page;  // Kept while the server runs: browsers may be slow.
  if (config.open && config.token.empty()) {
    OpenInBrowser(url);
  } else if (config.open) {
    Result<PageWithLink> written =
        PageWithLink::Write(url + "?token=" + EscapedForQuery(config.token));
    if (written) {
      OpenInBrowser(page.emplace(*std::move(written)).path());
    } else {
      PrintError(written.error().message + "; open the address of the page yourself");
    }
  }
  while (!status.loaded && !stop.stop_requested()) status = board.WaitForFirstLoad(kMoment);
  for (const std::string& line : status.trouble) PrintError(line);
  if (page) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
  }
}

// If the machine has no IPv6, the address "::" does not exist; listens on all IPv4 addresses
// instead.
Result<std::unique_ptr<server::HttpServer>> Listen(server::HttpServerOptions options,
                                                   const server::HttpHandler& handler) {
  auto server = server::HttpServer::Listen(options, handler);
  if (server || options.host != "::" || server.error().code != ErrorCode::kInvalidArgument) {
    return server;
  }
  options.host = "0.0.0.0";
  return server::HttpServer::Listen(options, handler);
}

Result<void> Serve(const ServeConfig& config) {
  server::HttpServerOptions options = ServerOptionsOf(config);
  options.metrics = std::make_shared<server::ServerMetrics>();
  if (!config.access_log.empty()) {
    CBOARD_ASSIGN_OR_RETURN(const std::shared_ptr<server::AccessLog> log,
                            server::AccessLog::Open(config.access_log));
    options.on_response = [log](const server::ResponseRecord& record) { log->Write(record); };
  }
  // Returns true if the board is in use: a page is open, or a request came in the last minute.
  std::atomic<std::chrono::steady_clock::duration> last_request{-std::chrono::minutes(1)};
  const auto uptime = [start = std::chrono::steady_clock::now()] {
    return std::chrono::steady_clock::now() - start;
  };
  BucketLogs buckets;
  CBOARD_ASSIGN_OR_RETURN(server::BoardOptions board_options, BoardOptionsOf(config, buckets));
  buckets.Follow([&last_request, uptime, metrics = options.metrics] {
    return metrics->viewers > 0 || uptime() - last_request.load() < std::chrono::minutes(1);
  });
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<server::Board> board,
                          server::Board::Open(std::move(board_options)));
  options.metrics->AddSource([&](std::string& text) {
    board->AppendMetrics(text);
    buckets.AppendMetrics(text);
  });
  const server::HttpHandler handler = server::Guarded(
      AccessOptionsOf(config), server::WithMetrics(options.metrics, config.path_prefix + "/metrics",
                                                   [&](const server::HttpRequest& request) {
                                                     last_request = uptime();
                                                     return board->Handle(request);
                                                   }));
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<server::HttpServer> server,
                          Listen(options, handler));
  // Prints the address from a separate thread, so that responses do not wait until the logs are
  // read.
  const std::jthread announcing(
      [&](const std::stop_token& stop) { Announce(stop, config, *board, server->port()); });
  server->Run();
  return {};
}

}  // namespace

int RunServe(Arguments arguments) {
  ServeConfig config;
  if (const std::optional<int> exit_code = ParseServeFlags(arguments, config)) return *exit_code;
  if (const Result<void> served = Serve(config); !served) {
    PrintError(served.error().message);
    return kExitFailed;
  }
  return kExitDone;
}

}  // namespace cboard::cli
