// compression-board serve: a log directory in the browser.
#include <spawn.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <iostream>
#include <thread>

#include "cboard/base/strings.h"
#include "cboard/server/board.h"
#include "cboard/server/http_server.h"
#include "cli/commands.h"
#include "cli/text_table.h"

namespace cboard::cli {
namespace {

struct Flags {
  std::string logdir;
  std::string host;
  std::uint16_t port = 6006;
  bool bind_all = false;
  double reload_interval_seconds = 5;
  std::string window_title = "Compression Board";
  std::string path_prefix;
  std::vector<std::string> allowed_hosts;
  bool open = false;
};

std::string ThisMachine() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool BindsEverything(const std::string& host) { return host == "0.0.0.0" || host == "::"; }

BoardOptions BoardOptionsOf(const Flags& flags, const std::string& host) {
  BoardOptions options;
  options.logdir = flags.logdir;
  options.reload_interval =
      std::chrono::milliseconds(static_cast<std::int64_t>(flags.reload_interval_seconds * 1000));
  options.window_title = flags.window_title;
  options.path_prefix = flags.path_prefix;
  options.allowed_hosts = flags.allowed_hosts;
  options.allowed_hosts.push_back(host);
  options.allow_any_address = BindsEverything(host);
  if (const std::string name = ThisMachine(); options.allow_any_address && !name.empty()) {
    options.allowed_hosts.insert(options.allowed_hosts.end(), {name, name + ".local"});
  }
  return options;
}

std::string UrlOf(const Flags& flags, const std::string& host, std::uint16_t port) {
  std::string shown = BindsEverything(host) ? ThisMachine() : host;
  if (shown.find(':') != std::string::npos) shown = "[" + shown + "]";
  std::string url = "http://" + shown + ":" + std::to_string(port);
  if (!flags.path_prefix.starts_with('/')) url += "/";
  url += flags.path_prefix;
  return url.ends_with('/') ? url : url + "/";
}

std::string Describe(const Board::Status& status) {
  if (!status.loaded) return "still reading";
  if (status.error) return "not there yet";
  return HumanCount(status.run_count) + (status.run_count == 1 ? " run" : " runs");
}

// Asks the desktop to show the page. Without one there is nothing to do.
void OpenInBrowser(const std::string& url) {
  if (::getenv("DISPLAY") == nullptr && ::getenv("WAYLAND_DISPLAY") == nullptr) {
    Complain("there is no display to open a browser on; open " + url + " yourself");
    return;
  }
  std::string program = "xdg-open";
  std::string argument = url;
  std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  // In a process group of its own, so that Ctrl-C ends the board and not the browser.
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  pid_t pid = 0;
  const int failed =
      ::posix_spawnp(&pid, program.c_str(), nullptr, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    Complain("xdg-open is not installed; open " + url + " yourself");
  }
}

}  // namespace

int RunServe(Arguments arguments) {
  Flags flags;
  CLI::App app(
      "Shows a log directory in the browser, and what is added to it as it comes.\n"
      "\n"
      "Example: compression-board --logdir runs/compression_benchmark\n",
      "compression-board serve");
  SetUsage(app, "compression-board [serve] --logdir DIR [FLAGS]");
  app.add_option("--logdir", flags.logdir, "Directory with event files below")->type_name("DIR");
  CLI::Option* host =
      app.add_option("--host", flags.host, "Address or name to listen on (127.0.0.1)")
          ->type_name("HOST");
  app.add_option("--port", flags.port, "Port to listen on (6006); 0 finds a free one")
      ->type_name("N");
  app.add_flag("--bind_all", flags.bind_all,
               "Listen on all interfaces. There is no password: everyone\n"
               "who reaches this machine can read the logs")
      ->excludes(host);
  app.add_option("--allowed_host", flags.allowed_hosts,
                 "Another name under which browsers reach this server")
      ->type_name("NAME");
  app.add_option("--reload_interval,--reload-interval", flags.reload_interval_seconds,
                 "Seconds between looking for new events (5); 0 reads once")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.0, 86400.0).description(""));
  app.add_option("--window_title", flags.window_title, "Title of the page")->type_name("TEXT");
  app.add_option("--path_prefix", flags.path_prefix, "Serve below this path: /board")
      ->type_name("PATH");
  app.add_flag("--open", flags.open, "Open the page in a browser");
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;
  if (flags.logdir.empty()) {
    Complain("say what to show: compression-board --logdir DIR");
    return kExitUsage;
  }

  const std::string address = flags.bind_all       ? "0.0.0.0"
                              : flags.host.empty() ? "127.0.0.1"
                                                   : flags.host;
  HttpServerOptions options;
  options.host = address;
  options.port = flags.port;
  options.threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
  options.stop_on_signals = true;
  const Board board(BoardOptionsOf(flags, address));
  const Result<std::unique_ptr<HttpServer>> server = HttpServer::Listen(options, board.handler());
  if (!server) {
    Complain(server.error().message);
    return kExitFailed;
  }

  const Board::Status status = board.WaitForFirstLoad(std::chrono::seconds(2));
  if (status.error) Complain(status.error->message + "; the page will show it once it is there");
  const std::string url = UrlOf(flags, address, (*server)->port());
  std::cout << Printable("Compression Board at " + url + " (logdir " + flags.logdir + ", " +
                         Describe(status) + ") — Ctrl-C to stop")
            << std::endl;
  if (flags.open) OpenInBrowser(url);
  (*server)->Run();
  return kExitDone;
}

}  // namespace cboard::cli
