#include "cli/commands/serve_config.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <iostream>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

// The values of the flags in the form in which CLI11 stores them; ParseServeFlags interprets them.
struct RawFlags {
  std::string host;
  bool bind_all = false;
  std::string samples_per_plugin;
  std::string token_file;
  bool has_token = false;  // The flag was given, possibly with an empty value.
  bool version = false;
  std::map<std::string, std::string> ignored;
};

constexpr char kTokenVariable[] = "COMPRESSION_BOARD_TOKEN";

constexpr char kDescription[] =
    "Shows a log directory in the browser and updates the page when new events are logged.\n"
    "\n"
    "Examples:\n"
    "  compression-board --logdir runs\n"
    "  compression-board --logdir_spec baseline:runs/a,tune_1:runs/b\n"
    "  compression-board --logdir runs --port 0 --open\n"
    "  compression-board --logdir runs --bind_all --token-file ~/.board-token\n"
    "  compression-board serve --config /etc/compression-board/serve.toml\n"
    "\n"
    "The board listens on localhost only, unless --host or --bind_all is given.\n"
    "Flags with the names of TensorBoard's flags mean the same.\n";

constexpr char kFooter[] =
    "\nThe --config file may contain every flag, one per line and without dashes:\n"
    "  logdir = \"/srv/runs\"\n"
    "  bind_all = true\n"
    "Command-line flags override the file. The environment variable COMPRESSION_BOARD_TOKEN\n"
    "may contain the access token.\n";

// Flags of TensorBoard that control loading. The board ignores them, and accepts them so that
// scripts keep working.
constexpr auto kIgnored = std::to_array(
    {"--load_fast", "--reload_multifile", "--reload_multifile_inactive_secs", "--reload_task",
     "--max_reload_threads", "--generic_data", "--reuse_port", "--purge_orphaned_data",
     "--detect_file_replacement", "--extra_data_server_flags"});

void AddDataFlags(CLI::App& app, ServeConfig& config, RawFlags& raw) {
  config.logdirs.AddTo(app, "Content");
  app.add_option("--reload_interval,--reload-interval", config.reload_interval_seconds,
                 "Seconds between checks for new events (default 5); 0 reads the\nlogs once")
      ->type_name("SECONDS")
      ->check(
          [](const std::string& text) -> std::string {
            double seconds = 0;
            if (CLI::detail::lexical_cast(text, seconds) && seconds >= 0 && seconds <= 86400) {
              return "";
            }
            // CLI11 prints numbers without a decimal point.
            return "Value " + text + " not in range 0 to 86400";
          },
          "")
      ->group("Content");
  app.add_option("--samples_per_plugin", raw.samples_per_plugin,
                 "Maximum number of points per series in responses of\nTensorBoard's API, by "
                 "plugin: scalars=500,images=20")
      ->type_name("K=N,…")
      ->group("Content");
  app.add_option("--window_title", config.window_title, "Title of the browser window")
      ->type_name("TEXT")
      ->group("Content");
  app.add_flag("--read-only,--read_only", config.read_only,
               "Do not write into the log directory: names, notes and tags of\n"
               "runs, and named views, are stored only in the browser")
      ->group("Content");
  app.add_flag("--allow-delete,--allow_delete", config.allow_delete,
               "Let the page delete the event files of runs")
      ->group("Content");
  app.add_flag("--allow-control,--allow_control", config.allow_control,
               "Allow users of the page to stop a running\n'compression-board tune'")
      ->group("Content");
  app.add_flag("--open", config.open, "Open the page in a browser")->group("Content");
}

void AddNetworkFlags(CLI::App& app, ServeConfig& config, RawFlags& raw) {
  CLI::Option* const host =
      app.add_option("--host", raw.host, "Address or name to listen on (default 127.0.0.1)")
          ->type_name("HOST")
          ->group("Where to listen");
  app.add_option("--port", config.port, "Port to listen on (default 6006); 0 chooses a free port")
      ->type_name("N")
      ->transform([](std::string text) { return text == "default" ? "6006" : text; }, "", "")
      ->check(CLI::Range(0, 65535).description(""))
      ->group("Where to listen");
  app.add_flag("--bind_all", raw.bind_all,
               "Listen on all interfaces, IPv4 and IPv6. Without a token,\n"
               "anyone who can reach this machine can read the logs")
      ->excludes(host)
      ->group("Where to listen");
  app.add_option("--path_prefix", config.path_prefix,
                 "Prefix of the path in all URLs, for example /board")
      ->type_name("PATH")
      ->group("Where to listen");
  app.add_option("--allowed_host", config.allowed_hosts,
                 "Another host name that browsers use for this server, for\n"
                 "example the name of a proxy")
      ->type_name("NAME")
      ->group("Where to listen");
  app.add_option("--allowed_frame", config.allowed_frames,
                 "Origin whose pages may show the board in a frame, for example\n"
                 "http://localhost:8888 of a notebook; http://localhost:* allows\nevery port")
      ->type_name("ORIGIN")
      ->group("Where to listen");
  app.add_option("--max_connections", config.max_connections,
                 "Maximum number of connections (default 10000); further clients get\nHTTP 503")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""))
      ->group("Where to listen");
}

void AddAccessFlags(CLI::App& app, ServeConfig& config, RawFlags& raw) {
  CLI::Option* const token =
      app.add_option("--token", config.token,
                     "Require this access token, of at least 16 characters: open the\n"
                     "page once with ?token=…, or send 'Authorization: Bearer …'.\n"
                     "Other users of this machine can see it in the process list;\n"
                     "--token-file hides it")
          ->type_name("SECRET")
          ->envname(kTokenVariable)
          ->group("Access");
  app.add_option("--token-file", raw.token_file,
                 "Read the access token from the first line of this file")
      ->type_name("FILE")
      ->excludes(token)
      ->group("Access");
  CLI::Option* const certificate = app.add_option("--tls-cert", config.tls_certificate,
                                                  "Serve HTTPS with this certificate, a PEM file")
                                       ->type_name("FILE")
                                       ->group("Access");
  CLI::Option* const key =
      app.add_option("--tls-key", config.tls_key,
                     "Private key of the certificate in --tls-cert, a PEM file")
          ->type_name("FILE")
          ->needs(certificate)
          ->group("Access");
  certificate->needs(key);
  app.add_option("--access-log", config.access_log,
                 "Access log: append one line of JSON per response to this file;\n- prints to "
                 "standard output. The address /metrics has counters\nfor Prometheus")
      ->type_name("FILE")
      ->group("Access");
}

// Parses a list such as "scalars=500,images=20".
Result<std::map<std::string, std::size_t>> ParseSamples(std::string_view text) {
  std::map<std::string, std::size_t> samples;
  for (const std::string_view part : Split(text, ',')) {
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view number = part.substr(std::min(equals, part.size() - 1) + 1);
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
    if (equals == 0 || equals == std::string_view::npos || error != std::errc() ||
        end != number.data() + number.size()) {
      return Fail(ErrorCode::kInvalidArgument,
                  "--samples_per_plugin: " + Quoted(part) +
                      " must be PLUGIN=NUMBER, for example scalars=500,images=20");
    }
    samples[std::string(part.substr(0, equals))] = count;
  }
  return samples;
}

Result<std::string> ReadToken(const std::string& path) {
  CBOARD_ASSIGN_OR_RETURN(std::string text, ReadFile(path, 64 << 10));
  text = text.substr(0, text.find_first_of("\r\n"));
  if (text.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "--token-file: the first line of " + Quoted(path) +
                                                 " is empty; expected the token");
  }
  return text;
}

// Minimum length of a token: shorter ones are easy to guess. 16 hexadecimal digits are 64 bits.
constexpr std::size_t kMinTokenBytes = 16;

Result<void> CheckToken(std::string_view token, std::string_view from) {
  if (token.size() >= kMinTokenBytes) return {};
  const std::string found =
      token.empty() ? "the token is empty" : "the token has " + Plural(token.size(), "character");
  return Fail(ErrorCode::kInvalidArgument,
              std::string(from) + ": " + found + "; a token needs at least " +
                  std::to_string(kMinTokenBytes) +
                  " characters. Create one with 'openssl rand -hex 16'");
}

// Checks an origin: a scheme and a host, with a port or "*" unless it is the default port.
Result<void> CheckOrigin(std::string_view origin) {
  std::string_view rest = origin;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!origin.starts_with(scheme)) continue;
    rest.remove_prefix(scheme.size());
    if (rest.ends_with(":*")) rest.remove_suffix(2);
    constexpr std::string_view kHost =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]";
    if (!rest.empty() && rest.find_first_not_of(kHost) == std::string_view::npos) return {};
  }
  return Fail(ErrorCode::kInvalidArgument,
              "--allowed_frame: " + Quoted(origin) +
                  " is not an origin; expected a scheme, a host and a port, as in "
                  "http://localhost:8888");
}

Result<void> ValidateFlags(const RawFlags& raw, ServeConfig& config) {
  if (config.logdirs.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "no log directory is given; use: compression-board --logdir DIR");
  }
  if (!raw.host.empty()) config.host = raw.host;
  if (raw.bind_all) config.host = "::";
  CBOARD_ASSIGN_OR_RETURN(config.samples_per_plugin, ParseSamples(raw.samples_per_plugin));
  if (!raw.token_file.empty()) {
    CBOARD_ASSIGN_OR_RETURN(config.token, ReadToken(raw.token_file));
    CBOARD_RETURN_IF_ERROR(CheckToken(config.token, "--token-file"));
  } else if (raw.has_token) {
    CBOARD_RETURN_IF_ERROR(CheckToken(config.token, "--token"));
  } else if (const char* const from_environment = std::getenv(kTokenVariable)) {
    // An empty variable is an error: if a script sets the variable from another variable that is
    // missing, the board would be served without a token.
    CBOARD_RETURN_IF_ERROR(CheckToken(from_environment, kTokenVariable));
  }
  if (config.allow_delete && config.read_only) {
    return Fail(ErrorCode::kInvalidArgument,
                "--allow-delete and --read-only cannot be combined; remove one of them");
  }
  if ((config.allow_delete || config.allow_control) && config.binds_everything() &&
      config.token.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                std::string(config.allow_delete ? "--allow-delete" : "--allow-control") +
                    " needs a token: anyone can reach this server; add --token-file, or listen on "
                    "localhost only");
  }
  for (const std::string& origin : config.allowed_frames) {
    CBOARD_RETURN_IF_ERROR(CheckOrigin(origin));
  }
  std::string& prefix = config.path_prefix;
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/-._~";
  if (prefix.find_first_not_of(kPlain) != prefix.npos) {
    return Fail(ErrorCode::kInvalidArgument,
                "--path_prefix: " + Quoted(prefix) +
                    " is not allowed in a URL; use letters, digits, / - . _ and ~");
  }
  while (prefix.ends_with('/')) prefix.pop_back();
  if (!prefix.empty() && !prefix.starts_with('/')) prefix.insert(0, "/");
  return {};
}

}  // namespace

std::optional<int> ParseServeFlags(Arguments arguments, ServeConfig& config) {
  RawFlags raw;
  CLI::App app(kDescription, "compression-board serve");
  SetUsage(app, "compression-board [serve] --logdir DIR [FLAGS]");
  app.footer(kFooter);
  AddDataFlags(app, config, raw);
  AddNetworkFlags(app, config, raw);
  AddAccessFlags(app, config, raw);
  app.add_flag("--version", raw.version, "Print the version of the program");
  app.set_config("--config", "", "Read flags from this file as well (TOML or INI)")
      ->type_name("FILE");
  app.allow_config_extras(CLI::config_extras_mode::error);  // Reports misspelled keys.
  for (const char* const name : kIgnored) {
    app.add_option(name, raw.ignored[name])->expected(0, 1)->group("");  // Hidden from the help.
  }
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return exit_code;
  if (raw.version) {
    std::cout << "compression-board " CBOARD_VERSION "\n";
    return kExitDone;
  }
  raw.has_token = app.get_option("--token")->count() > 0;
  if (const Result<void> sensible = ValidateFlags(raw, config); !sensible) {
    PrintError(sensible.error().message);
    return kExitUsage;
  }
  return std::nullopt;
}

}  // namespace cboard::cli
