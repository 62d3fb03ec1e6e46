#include "cli/progress.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "cboard/base/strings.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

using namespace std::chrono_literals;

std::chrono::steady_clock::duration UpdateInterval(bool is_terminal) {
  if (is_terminal) return 200ms;
  return 10s;
}

std::string Amount(std::uint64_t amount, ProgressUnit unit) {
  return unit == ProgressUnit::kBytes ? HumanBytes(static_cast<double>(amount))
                                      : HumanCount(amount);
}

}  // namespace

bool IsTerminal(int descriptor) {
  const char* term = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

Progress::Progress(std::string task, std::ostream& out, bool is_terminal, ProgressUnit unit,
                   Now now)
    : task_(Printable(task)),
      out_(out),
      is_terminal_(is_terminal),
      unit_(unit),
      now_(std::move(now)),
      next_(now_() + UpdateInterval(is_terminal)) {}

Progress::~Progress() { Clear(); }

void Progress::Update(std::uint64_t done, std::uint64_t total) {
  const auto now = now_();
  if (!first_) first_ = {now, done};
  if (now < next_) return;
  std::string text = Amount(done, unit_);
  if (total > 0) {
    const double percent = 100 * static_cast<double>(done) / static_cast<double>(total);
    text +=
        " of " + Amount(total, unit_) + " (" + std::to_string(static_cast<int>(percent)) + " %)";
    if (unit_ == ProgressUnit::kItems && done > first_->done && done <= total) {
      const double elapsed = std::chrono::duration<double>(now - first_->time).count();
      const double left =
          elapsed * static_cast<double>(total - done) / static_cast<double>(done - first_->done);
      text += ", " + std::to_string(static_cast<std::int64_t>(std::ceil(left))) + " s left";
    }
  }
  Show(text);
}

void Progress::Show(const std::string& text) {
  const auto now = now_();
  if (now < next_) return;
  next_ = now + UpdateInterval(is_terminal_);
  const std::string line = task_ + ": " + text;
  if (!is_terminal_) {
    out_ << line << std::endl;
    return;
  }
  const std::size_t width = DisplayWidth(line);
  out_ << '\r' << line;
  if (width < shown_width_) out_ << std::string(shown_width_ - width, ' ');
  out_ << std::flush;
  shown_width_ = width;
}

void Progress::Clear() {
  if (shown_width_ == 0) return;
  out_ << '\r' << std::string(shown_width_, ' ') << '\r' << std::flush;
  shown_width_ = 0;
}

}  // namespace cboard::cli
