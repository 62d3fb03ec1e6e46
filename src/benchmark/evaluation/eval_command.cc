#include <simdjson.h>

#include <charconv>
#include <cmath>

#include "benchmark/process/process.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/evaluation.h"

namespace cboard::benchmark {
namespace {

constexpr std::string_view kPlace = "{model}";
constexpr std::size_t kMaxScores = 256;

// Quotes a text as one word of a shell command.
std::string InQuotes(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string_view LastLine(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t last = text.find_last_not_of(kBlanks);
  if (last == text.npos) return {};
  text = text.substr(0, last + 1);
  const std::size_t line = text.rfind('\n');
  if (line != text.npos) text.remove_prefix(line + 1);
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text;
}

}  // namespace

Result<Metrics> ParseEvaluationOutput(std::string_view output) {
  const std::string_view line = LastLine(output);
  const auto refuse = [&](std::string_view found) {
    return Fail(ErrorCode::kInvalidArgument,
                "the --eval command must print a number or a JSON object of numbers as its last "
                "line; found " +
                    std::string(found));
  };
  if (line.empty()) return refuse("nothing");
  double number = 0;
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), number);
  if (parsed.ec == std::errc() && parsed.ptr == line.data() + line.size()) {
    if (!std::isfinite(number)) return refuse(Quoted(line));
    return Metrics{{"accuracy", number}};
  }
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(std::string(line)).get(object) != simdjson::SUCCESS) return refuse(Quoted(line));
  Metrics scores;
  for (const auto& [key, value] : object) {
    if (!value.is_number()) continue;  // Texts and lists are not metrics.
    const double score = value.get_double();
    if (!std::isfinite(score)) return refuse(Quoted(line));
    scores.emplace(key, score);
    if (scores.size() > kMaxScores) return refuse("more than 256 numbers");
  }
  if (scores.empty()) return refuse(Quoted(line));
  return scores;
}

Result<Metrics> RunEvaluation(const std::string& command, const std::filesystem::path& model,
                              double timeout_seconds, const std::function<bool()>& stop_requested,
                              std::string* printed) {
  std::string line = command;
  bool has_place = false;
  const std::string path = InQuotes(std::filesystem::absolute(model).string());
  for (std::size_t at = 0; (at = line.find(kPlace, at)) != line.npos; at += path.size()) {
    line.replace(at, kPlace.size(), path);
    has_place = true;
  }
  if (!has_place) {
    return Fail(ErrorCode::kInvalidArgument,
                "--eval must contain {model} in the place of the model's path, as in --eval "
                "'python eval.py {model}'");
  }
  auto end = RunProcess({"/bin/sh", "-c", line}, timeout_seconds, stop_requested);
  if (!end) {
    Error error = std::move(end).error();
    error.message = "the evaluation " + Quoted(line, 200) + ": " + error.message +
                    "; --eval-timeout sets the limit";
    return Fail(std::move(error));
  }
  if (printed != nullptr) *printed = end->output + end->errors;
  if (end->exit_code != 0) {
    const std::string_view said = LastLine(end->errors);
    return Fail(ErrorCode::kUnavailable,
                "the --eval command " + Quoted(line, 200) + " ended with exit code " +
                    std::to_string(end->exit_code) +
                    (said.empty() ? "" : ": " + std::string(said.substr(0, 500))));
  }
  return ParseEvaluationOutput(end->output);
}

}  // namespace cboard::benchmark
