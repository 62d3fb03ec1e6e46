#include "cboard/server/board.h"

#include "cboard/base/strings.h"
#include "server/host_check.h"
#include "server/log_store.h"
#include "server/routes.h"
#include "server/url.h"

namespace cboard {
namespace {

// "board/" -> "/board"
std::string Normalized(std::string prefix) {
  while (prefix.ends_with('/')) prefix.pop_back();
  if (!prefix.empty() && !prefix.starts_with('/')) prefix.insert(0, "/");
  return prefix;
}

}  // namespace

struct Board::State {
  explicit State(BoardOptions given)
      : prefix(Normalized(std::move(given.path_prefix))),
        look{.window_title = std::move(given.window_title),
             .logdir = ToValidUtf8(given.logdir.native())},
        hosts(std::move(given.allowed_hosts), given.allow_any_address),
        store(std::move(given.logdir), given.reload_interval) {}

  Result<HttpResponse> Answer(const HttpRequest& request) const {
    CBOARD_ASSIGN_OR_RETURN(Target target, ParseTarget(request.target));
    if (!prefix.empty()) {
      if (target.path == prefix) {  // The page's relative addresses need the slash.
        return HttpResponse{.status = 308, .headers = {{"Location", prefix + "/"}}};
      }
      if (!target.path.starts_with(prefix + "/")) {
        return Fail(ErrorCode::kNotFound, "the board is at " + Quoted(prefix + "/"));
      }
      target.path.erase(0, prefix.size());
    }
    return Route(target, *store.snapshot(), look);
  }

  std::string prefix;
  BoardLook look;
  HostCheck hosts;
  LogStore store;
};

Board::Board(BoardOptions options) : state_(std::make_unique<State>(std::move(options))) {}

Board::~Board() = default;

HttpResponse Board::Handle(const HttpRequest& request) const {
  if (!state_->hosts.Allows(request.host)) {
    return ErrorResponse(421, "permission_denied",
                         "this server does not answer to the name " + Quoted(request.host) +
                             "; start it with --host or --allowed_host and that name if it should");
  }
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response =
        ErrorResponse(405, "invalid_argument", "only GET and HEAD are answered");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  Result<HttpResponse> response = state_->Answer(request);
  return response ? *std::move(response) : ErrorResponse(response.error());
}

HttpHandler Board::handler() const {
  return [this](const HttpRequest& request) { return Handle(request); };
}

Board::Status Board::WaitForFirstLoad(std::chrono::milliseconds timeout) const {
  Status status{.loaded = state_->store.WaitForFirstLoad(timeout)};
  const std::shared_ptr<const LogSnapshot> snapshot = state_->store.snapshot();
  status.run_count = snapshot->runs.size();
  status.error = snapshot->error;
  return status;
}

}  // namespace cboard
