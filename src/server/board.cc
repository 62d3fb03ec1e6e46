#include "cboard/server/board.h"

#include <mutex>
#include <random>

#include "cboard/base/clock.h"
#include "cboard/base/strings.h"
#include "cboard/server/event_hub.h"
#include "server/api/api_route.h"
#include "server/api/change_event.h"
#include "server/content/board_appearance.h"
#include "server/http/url.h"
#include "server/page_routes.h"
#include "server/reader_report.h"
#include "server/tensorboard/data_route.h"

namespace cboard::server {
namespace {

// Normalizes a path prefix: "board/" becomes "/board".
std::string Normalized(std::string prefix) {
  while (prefix.ends_with('/')) prefix.pop_back();
  if (!prefix.empty() && !prefix.starts_with('/')) prefix.insert(0, "/");
  return prefix;
}

std::string NewBootId() {
  std::random_device random;
  return std::to_string(random());
}

BoardAppearance AppearanceOf(const BoardOptions& options) {
  return {
      .version = CBOARD_VERSION,
      .window_title = options.window_title,
      .path_prefix = Normalized(options.path_prefix),
      .logdirs = options.shown_logdirs.empty() ? options.logdirs : options.shown_logdirs,
      .samples_per_plugin = {options.samples_per_plugin.begin(), options.samples_per_plugin.end()},
      .sources = options.sources,
      .annotations = std::make_shared<AnnotationStore>(options.logdirs, options.read_only_reason),
      .allow_delete = options.allow_delete,
      .allow_control = options.allow_control,
      .boot_id = NewBootId()};
}

}  // namespace

struct Board::State {
  State(BoardAppearance board_look, std::unique_ptr<LogReader> log_reader)
      : look(std::move(board_look)),
        page(look.path_prefix),
        cache(look.boot_id),
        reader(std::move(log_reader)) {
    look.annotations->OnChange([this] { hub.Publish("annotations", "{}"); });
    published = reader->snapshot();
    listening = reader->Listen([this](const std::shared_ptr<const reader::Snapshot>& snapshot) {
      // Publishes snapshots to browsers. Only one thread at a time calls this listener, so
      // `published` needs no lock.
      hub.Publish("change", DescribeChange(*published, *snapshot));
      published = snapshot;
      const std::scoped_lock lock(lag_mutex);
      lag.Observe(*snapshot, WallTimeSeconds());
    });
  }

  Result<HttpResponse> Respond(const HttpRequest& request) {
    CBOARD_ASSIGN_OR_RETURN(Target target, ParseTarget(request.target));
    if (!look.path_prefix.empty()) {
      // Relative addresses in the page need the trailing slash.
      if (target.path == look.path_prefix) {
        return HttpResponse{.status = 308, .headers = {{"Location", look.path_prefix + "/"}}};
      }
      if (!target.path.starts_with(look.path_prefix + "/")) {
        return Fail(ErrorCode::kNotFound, "there is no page at this address; the start page is " +
                                              Quoted(look.path_prefix + "/"));
      }
      target.path.erase(0, look.path_prefix.size());
    }
    std::shared_ptr<const reader::Snapshot> snapshot = reader->snapshot();
    if (target.path == "/healthz") return HttpResponse{.body = "ok\n", .route = "health"};
    if (target.path == "/api/v1/events") {
      return hub.Open(request, *Greeting(snapshot));
    }
    if (target.path.starts_with("/api/v1/")) {
      return HandleApi(request, std::move(target), std::move(snapshot), look, cache);
    }
    if (tensorboard::IsDataPath(target.path)) {
      return tensorboard::HandleData(request, std::move(target), std::move(snapshot), look, cache);
    }
    return page.Respond(request, target);
  }

  // Returns the first event for a new browser. It is cached until the next change, because browsers
  // often connect at the same time.
  std::shared_ptr<const std::string> Greeting(
      const std::shared_ptr<const reader::Snapshot>& snapshot) {
    const std::scoped_lock lock(greeting_mutex);
    if (greeting == nullptr || greeted_version != snapshot->version) {
      greeting = std::make_shared<const std::string>(DescribeChange(reader::Snapshot(), *snapshot));
      greeted_version = snapshot->version;
    }
    return greeting;
  }

  BoardAppearance look;
  Page page;
  ResponseCache cache;
  EventHub hub;
  std::shared_ptr<const reader::Snapshot> published;
  std::mutex greeting_mutex;
  std::shared_ptr<const std::string> greeting;  // Guarded by greeting_mutex, like the next member.
  std::uint64_t greeted_version = 0;
  std::mutex lag_mutex;
  LagMeter lag;  // Guarded by lag_mutex.
  std::unique_ptr<LogReader> reader;
  std::shared_ptr<void> listening;  // Must be destroyed before the reader.
};

Result<std::unique_ptr<Board>> Board::Open(BoardOptions options) {
  BoardAppearance look = AppearanceOf(options);
  reader::ReaderOptions reader_options{.logdirs = std::move(options.logdirs),
                                       .follow = options.reload_interval.count() > 0,
                                       .poll_interval = options.reload_interval,
                                       .cache_directory = std::move(options.cache_directory)};
  CBOARD_ASSIGN_OR_RETURN(std::unique_ptr<LogReader> reader,
                          LogReader::Open(std::move(reader_options)));
  return std::unique_ptr<Board>(
      new Board(std::make_unique<State>(std::move(look), std::move(reader))));
}

Board::Board(std::unique_ptr<State> state) : state_(std::move(state)) {}

Board::~Board() = default;

HttpResponse Board::Handle(const HttpRequest& request) const {
  Result<HttpResponse> response = state_->Respond(request);
  return response ? *std::move(response) : ErrorResponse(response.error());
}

HttpHandler Board::handler() const {
  return [this](const HttpRequest& request) { return Handle(request); };
}

Board::Status Board::WaitForFirstLoad(std::chrono::milliseconds timeout) const {
  const LogReader& reader = *state_->reader;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::shared_ptr<const reader::Snapshot> snapshot = reader.snapshot();
  while (!snapshot->progress.complete) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !reader.WaitForChange(snapshot->version, left)) break;
    snapshot = reader.snapshot();
  }
  Status status{.loaded = snapshot->progress.complete, .run_count = snapshot->runs.size()};
  if (!snapshot->unreadable.empty()) status.error = snapshot->unreadable.front();
  status.trouble = DescribeTrouble(*snapshot);
  return status;
}

void Board::AppendMetrics(std::string& text) const {
  LagMeter lag;
  {
    const std::scoped_lock lock(state_->lag_mutex);
    lag = state_->lag;
  }
  AppendReaderMetrics(text, *state_->reader->snapshot(), state_->reader->statistics(), lag,
                      state_->cache.statistics());
}

}  // namespace cboard::server
