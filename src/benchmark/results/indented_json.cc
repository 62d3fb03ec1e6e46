#include "benchmark/results/indented_json.h"

namespace cboard::benchmark {

std::string Indented(std::string_view json, int max_depth) {
  std::string out;
  int depth = 0;       // Number of open brackets.
  int open_depth = 0;  // Number of open objects with one line per member.
  bool is_text = false;
  const auto new_line = [&] {
    out += '\n' + std::string(static_cast<std::size_t>(depth) * 2, ' ');
  };
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_text) {
      out += c;
      if (c == '\\' && i + 1 < json.size()) out += json[++i];
      if (c == '"') is_text = false;
      continue;
    }
    const bool has_lines = depth == open_depth && depth > 0;
    if (c == '"') {
      is_text = true;
      out += c;
    } else if (c == '{' || c == '[') {
      out += c;
      const bool is_empty = i + 1 < json.size() && (json[i + 1] == '}' || json[i + 1] == ']');
      const bool opens = c == '{' && depth == open_depth && depth < max_depth && !is_empty;
      ++depth;
      if (opens) {
        open_depth = depth;
        new_line();
      }
    } else if (c == '}' || c == ']') {
      --depth;
      if (has_lines) {
        open_depth = depth;
        new_line();
      }
      out += c;
    } else if (c == ',') {
      out += c;
      if (has_lines) {
        new_line();
      } else {
        out += ' ';
      }
    } else if (c == ':') {
      out += ": ";
    } else {
      out += c;
    }
  }
  return out + '\n';
}

}  // namespace cboard::benchmark
