#include "data_server/sampling/sample_limits.h"

#include <charconv>

#include "cboard/base/strings.h"

namespace cboard::data_server {

Result<SampleLimits> SampleLimits::Parse(std::string_view text) {
  SampleLimits limits;
  if (text.empty()) return limits;
  for (const std::string_view pair : Split(text, ',')) {
    const std::size_t equals = pair.find('=');
    const auto wrong = [&] {
      return Fail(ErrorCode::kInvalidArgument,
                  "--samples-per-plugin has " + Quoted(pair) +
                      "; expected PLUGIN=NUMBER or PLUGIN=all, separated by commas");
    };
    if (equals == 0 || equals == std::string_view::npos) return wrong();
    const std::string_view number = pair.substr(equals + 1);
    Capacity capacity;
    if (number != "all") {
      std::size_t count = 0;
      const char* const end = number.data() + number.size();
      const auto [stop, problem] = std::from_chars(number.data(), end, count);
      if (problem != std::errc() || stop != end) return wrong();
      capacity = count;
    }
    limits.by_plugin_[std::string(pair.substr(0, equals))] = capacity;
  }
  return limits;
}

Capacity SampleLimits::CapacityOf(const TagClass& tag_class) const {
  const auto found = by_plugin_.find(tag_class.plugin_name);
  if (found != by_plugin_.end()) return found->second;
  switch (tag_class.data_class) {
    case proto::DataClass::kScalar:
      return 1000;
    case proto::DataClass::kTensor:
      return 100;
    case proto::DataClass::kBlobSequence:
      return 10;
    case proto::DataClass::kUnknown:
      break;
  }
  return 0;
}

}  // namespace cboard::data_server
