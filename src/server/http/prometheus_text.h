// Writes metrics in the text format of Prometheus.
//
//   AppendMetric(text, "cboard_reader_files", "gauge", "Event files.", 17);
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include "cboard/base/strings.h"

namespace cboard::server {

inline void DescribeMetric(std::string& text, std::string_view name, std::string_view type,
                           std::string_view help) {
  text.append("# HELP ").append(name).append(" ").append(help).append("\n# TYPE ");
  text.append(name).append(" ").append(type).append("\n");
}

// Appends one sample with labels and a value.
inline void AppendSample(std::string& text, std::string_view name, std::string_view labels,
                         std::string_view value) {
  text.append(name);
  if (!labels.empty()) text.append("{").append(labels).append("}");
  text.append(" ").append(value).append("\n");
}

// Appends a metric without labels, with its description. `type` is "gauge" or "counter".
inline void AppendMetric(std::string& text, std::string_view name, std::string_view type,
                         std::string_view help, double value) {
  DescribeMetric(text, name, type, help);
  AppendSample(text, name, {}, ShortestDecimal(value));
}
template <std::integral Integer>
void AppendMetric(std::string& text, std::string_view name, std::string_view type,
                  std::string_view help, Integer value) {
  DescribeMetric(text, name, type, help);
  AppendSample(text, name, {}, std::to_string(value));
}

}  // namespace cboard::server
