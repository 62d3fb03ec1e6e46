#include "data_server/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <iostream>
#include <span>

#include "cboard/base/strings.h"

namespace cboard::data_server {
namespace {

constexpr const char* kFooter = R"(
Makes TensorBoard load log directories faster:

  export TENSORBOARD_DATA_SERVER_BINARY=$(command -v compression-board-data-server)
  tensorboard --logdir runs)";

std::string ParseReload(const std::string& text, Options& options) {
  if (text == "once") {
    options.reload.reset();
    return {};
  }
  unsigned seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, seconds);
  if (problem != std::errc() || stop != end) {
    return Quoted(text) + " is neither a number of seconds nor 'once'";
  }
  options.reload = std::chrono::seconds(seconds);
  return {};
}

// The scheme of an address: "gs" in "gs://bucket/runs"; empty for paths. Schemes follow RFC 3986.
std::string_view SchemeOf(std::string_view logdir) {
  const std::size_t end = logdir.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view scheme = logdir.substr(0, end);
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
  };
  return is_letter(scheme[0]) && std::ranges::all_of(scheme, is_part) ? scheme : std::string_view();
}

}  // namespace

std::variant<Options, int> ParseOptions(int argc, const char* const* argv) {
  Options options;
  std::string logdir;
  CLI::App app("Serves a log directory to TensorBoard, in place of its own data server.",
               "compression-board-data-server");
  app.footer(kFooter);
  app.set_version_flag("--version", std::string("compression-board-data-server " CBOARD_VERSION));
  app.add_option("--logdir", logdir, "Directory whose event files are served")->required();
  app.add_option("--host", options.host, "Loopback address to listen on (default: localhost)");
  app.add_option("--port", options.port, "Port to listen on; 0: any free one (default: 6806)")
      ->check(CLI::Range(0, 65535));
  app.add_option_function<std::string>(
      "--reload",
      [&](const std::string& text) {
        if (const std::string wrong = ParseReload(text, options); !wrong.empty()) {
          throw CLI::ValidationError("--reload", wrong);
        }
      },
      "Seconds between searches for new files where the file system does not report changes; "
      "'once': load once (default: 5)");
  app.add_option_function<std::string>(
         "--samples-per-plugin",
         [&](const std::string& text) {
           Result<SampleLimits> limits = SampleLimits::Parse(text);
           if (!limits) throw CLI::ValidationError("--samples-per-plugin", limits.error().message);
           options.samples = *std::move(limits);
         },
         "Points per series: PLUGIN=NUMBER or PLUGIN=all, separated by commas")
      ->expected(0, 1)
      ->trigger_on_parse();
  app.add_option("--port-file", options.port_file, "Write the port to this file");
  app.add_option("--error-file", options.error_file,
                 "Write an error that prevents the start to this file");
  app.add_flag("--die-after-stdin", options.die_after_stdin, "Exit when stdin is closed");
  bool checksum = true;
  app.add_flag("--checksum,!--no-checksum", checksum,
               "Accepted for TensorBoard; all checksums are checked");
  app.add_flag("--cache,!--no-cache", options.use_cache,
               "Keep an index in the user's cache directory for the next start (default)");
  app.add_flag("-v,--verbose", options.verbosity, "Report loading on stderr");
  // For "--logdir=", CLI11 takes the next argument as the value. Instead, an error about the empty
  // value must be reported.
  std::vector<const char*> words;
  for (const char* const word : std::span(argv, static_cast<std::size_t>(argc))) {
    if (std::string_view(word) == "--logdir=") {
      words.insert(words.end(), {"--logdir", ""});
    } else {
      words.push_back(word);
    }
  }
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    const int status = app.exit(error, std::cout, std::cerr);
    return status == 0 ? kExitDone : kExitUsage;
  }
  options.logdir = logdir;
  return options;
}

Result<void> CheckLogdir(const std::filesystem::path& logdir) {
  const std::string text = logdir.string();
  if (text.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the path of the log directory is empty; pass --logdir DIR");
  }
  if (const std::string_view scheme = SchemeOf(text); !scheme.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "cannot serve " + Quoted(text) + ": " + std::string(scheme) +
                    ":// is not supported, only local directories; unset "
                    "TENSORBOARD_DATA_SERVER_BINARY for this log directory");
  }
  std::error_code ignored;
  if (std::filesystem::exists(logdir, ignored) && !std::filesystem::is_directory(logdir, ignored)) {
    return Fail(ErrorCode::kInvalidArgument,
                "cannot serve " + Quoted(text) +
                    ": it is a file; pass the directory that contains the file");
  }
  return {};
}

Result<std::vector<std::string>> LoopbackAddresses(const std::string& host) {
  if (host == "localhost") return std::vector<std::string>{"127.0.0.1", "[::1]"};
  if (host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string::npos) {
    return std::vector<std::string>{host};
  }
  if (host == "::1" || host == "[::1]") return std::vector<std::string>{"[::1]"};
  return Fail(ErrorCode::kInvalidArgument,
              "cannot listen on " + Quoted(host) +
                  ": the protocol has no passwords, so only loopback addresses are served; use "
                  "--host localhost and an SSH tunnel");
}

}  // namespace cboard::data_server
