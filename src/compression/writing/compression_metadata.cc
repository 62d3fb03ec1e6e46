// The parts of CompressionWriter that describe a model, not its metrics.
#include <algorithm>
#include <array>
#include <set>

#include "cboard/base/strings.h"
#include "cboard/compression/compression_writer.h"
#include "compression/tags/tag_key.h"
#include "compression/writing/hparams_row.h"

namespace cboard::compression {
namespace {

// Turns a key into a title: display_name becomes Display Name.
std::string Title(std::string_view key) {
  std::string title(key);
  bool start = true;
  for (char& c : title) {
    if (c == '_') c = ' ';
    if (start && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    start = c == ' ';
  }
  return title;
}

// Returns the facts as text, one per line: first the facts that every file has, then all other
// facts in the order of the file.
std::string MetadataText(std::string_view model, const ModelInfo& info) {
  constexpr std::array<std::string_view, 4> kFirst = {"library", "category", "description",
                                                      "input_shape"};
  std::string text = "Model: " + std::string(model) + "\n";
  const auto append = [&](std::string_view key, const InfoValue& value) {
    text += Title(key) + ": " + ToText(value) + "\n";
  };
  for (const std::string_view key : kFirst) {
    if (const InfoValue* value = FindInfo(info, key)) append(key, *value);
  }
  for (const auto& [key, value] : info) {
    if (std::ranges::find(kFirst, key) == kFirst.end()) append(key, value);
  }
  return text;
}

}  // namespace

Result<void> CompressionWriter::LogMetadataScalar(std::string_view model, std::string_view name,
                                                  double value, std::int64_t step,
                                                  LogReport& report) {
  std::string tag = TagFor({CompressionTagKind::kMetadata, model, name, {}, {}});
  CBOARD_RETURN_IF_ERROR(AddScalar(tag, value, step));
  report.tags.push_back(std::move(tag));
  return {};
}

Result<LogReport> CompressionWriter::LogModelMetadata(std::string_view model, const ModelInfo& info,
                                                      std::int64_t step) {
  LogReport report;
  std::set<std::string> taken;  // Compared as tags, in which "a b" and "a_b" are the same.
  const auto log = [&](std::string_view name, double value) -> Result<void> {
    if (taken.insert(TagKeyOf(name)).second) {
      return LogMetadataScalar(model, name, value, step, report);
    }
    report.omitted.push_back({"metadata/" + std::string(name), "another fact has the same tag"});
    return {};
  };
  for (const auto& [key, value] : info) {
    if (const auto* number = std::get_if<double>(&value)) {
      CBOARD_RETURN_IF_ERROR(log(key, *number));
    } else if (const auto* shape = std::get_if<std::vector<double>>(&value);
               shape != nullptr && key == "input_shape") {
      constexpr std::array<std::string_view, 3> kDimensions = {"input_channels", "input_height",
                                                               "input_width"};
      for (std::size_t i = 0; i < std::min(shape->size(), kDimensions.size()); ++i) {
        // Skips a dimension if the file also gives it as a fact.
        if (FindInfo(info, kDimensions[i]) != nullptr) continue;
        CBOARD_RETURN_IF_ERROR(log(kDimensions[i], (*shape)[i]));
      }
    }
  }
  std::string tag = TagFor({CompressionTagKind::kMetadata, model, "info", {}, {}});
  CBOARD_RETURN_IF_ERROR(AddText(tag, ToValidUtf8(MetadataText(model, info)), step));
  report.tags.push_back(std::move(tag));
  return report;
}

Result<LogReport> CompressionWriter::LogCompressionHParams(const ModelComparison& comparison,
                                                           std::string_view variant,
                                                           const CompressionConfig& config,
                                                           std::int64_t step) {
  CBOARD_RETURN_IF_ERROR(status());
  return WriteHParamsRow(directory(), comparison, variant, config, options_, step);
}

}  // namespace cboard::compression
