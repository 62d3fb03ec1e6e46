// Random requests to a board: any method, target and body give a valid response or a clear error,
// never an internal error.
//
//   input := method ' ' target '\n' accept '\n' body
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cboard/base/check.h"
#include "cboard/server/board.h"
#include "cboard/writer/summary_writer.h"
#include "testing/temp_dir.h"

namespace {

// A board for one run with a value of most kinds; it exists until the program ends.
class FuzzedBoard {
 public:
  FuzzedBoard() {
    {
      cboard::SummaryWriter writer((logdir_ / "r").string());
      for (int step = 0; step < 50; ++step) writer.AddScalar("s", 1.0 / (step + 1), step);
      writer.AddHistogram("h", std::vector<float>{-1, 0, 0.5F, 2}, 7);
      writer.AddText("t", "**text**", 1);
      const std::vector<float> pixels(3 * 4 * 5, 0.5F);
      writer.AddImage("i", cboard::TensorView(pixels, {3, 4, 5}), 2);
      const std::vector<float> corners = {0, 0, 0, 1, 0, 0, 0, 1, 0};
      writer.AddMesh("m", cboard::TensorView(corners, {1, 3, 3}), {}, 2);
      writer.AddScalar("a/metrics/accuracy/fp32", 0.9, 0);
      writer.AddScalar("a/metrics/accuracy/int8", 0.8, 0);
      writer.AddHParams({{"lr", 0.1}}, {{"s", 0.5}}, "hp");
    }
    auto board = cboard::server::Board::Open({.logdirs = {{.path = logdir_.path()}},
                                              .reload_interval = std::chrono::milliseconds(0),
                                              .read_only_reason = ""});
    CBOARD_CHECK(board.has_value());
    board_ = *std::move(board);
    CBOARD_CHECK(board_->WaitForFirstLoad(std::chrono::minutes(1)).loaded);
  }

  cboard::server::HttpResponse Ask(const cboard::server::HttpRequest& request) const {
    cboard::server::HttpResponse response = board_->Handle(request);
    return response.later ? response.later() : response;
  }

 private:
  cboard::testing::TempDir logdir_;
  std::unique_ptr<cboard::server::Board> board_;
};

std::string_view TakeLine(std::string_view& text, char end) {
  const std::string_view line = text.substr(0, text.find(end));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  return line;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const FuzzedBoard kBoard;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  cboard::server::HttpRequest request;
  request.method = TakeLine(rest, ' ');
  request.target = TakeLine(rest, '\n');
  request.headers = {
      {"Accept", TakeLine(rest, '\n')},
      {"Content-Type", request.target.starts_with("/api/") ? "application/json"
                                                           : "application/x-www-form-urlencoded"}};
  request.body = rest;
  const cboard::server::HttpResponse response = kBoard.Ask(request);
  // 503: more than a limit allows.
  CBOARD_CHECK((response.status >= 200 && response.status < 500) || response.status == 503);
  // Cached responses share their body.
  if (response.status >= 400) CBOARD_CHECK(!response.body.empty() || response.shared_body);
  // A repeated request gives the same response, from the cache or not.
  const cboard::server::HttpResponse again = kBoard.Ask(request);
  CBOARD_CHECK(again.status == response.status && again.etag == response.etag);
  return 0;
}
