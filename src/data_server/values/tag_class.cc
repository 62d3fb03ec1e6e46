#include "data_server/values/tag_class.h"

#include <algorithm>
#include <array>

#include "cboard/reader/run_query.h"

namespace cboard::data_server {
namespace {

using proto::DataClass;
using namespace std::string_view_literals;

// ImagePluginData{converted_to_tensor: true}
constexpr std::string_view kConvertedImage = "\x10\x01"sv;
// AudioPluginData{encoding: WAV, converted_to_tensor: true}
constexpr std::string_view kConvertedAudio = "\x10\x0b\x18\x01"sv;

DataClass ClassOfKind(const reader::TagInfo& info) {
  switch (info.kind) {
    case reader::TagKind::kScalar:
      return DataClass::kScalar;
    case reader::TagKind::kHistogram:
    case reader::TagKind::kText:
    case reader::TagKind::kHParams:
    case reader::TagKind::kPrCurve:
    case reader::TagKind::kMesh:
    case reader::TagKind::kCustomScalars:
      return DataClass::kTensor;
    case reader::TagKind::kImage:
    case reader::TagKind::kAudio:
      return DataClass::kBlobSequence;
    case reader::TagKind::kGraph:
    case reader::TagKind::kRunMetadata: {
      if (info.plugin_name.empty()) {  // Logged as a separate event.
        return info.name == reader::kMetaGraphTag ? DataClass::kUnknown : DataClass::kBlobSequence;
      }
      constexpr std::array kTensorPlugins = {"graph_keras_model"sv, "graph_run_metadata"sv,
                                             "graph_run_metadata_graph"sv};
      return std::ranges::count(kTensorPlugins, info.plugin_name) > 0 ? DataClass::kBlobSequence
                                                                      : DataClass::kUnknown;
    }
    case reader::TagKind::kTensor:
      break;
  }
  return DataClass::kUnknown;
}

std::string_view ContentOf(const reader::TagInfo& info) {
  if (info.data_class != DataClass::kUnknown) return info.plugin_content;
  switch (info.kind) {
    case reader::TagKind::kScalar:
    case reader::TagKind::kHistogram:
      // Values of scalars, histograms and other old kinds may have metadata of another plugin than
      // the plugin that shows them. Such metadata is ignored.
      return info.plugin_name == reader::PluginOf(info) ? std::string_view(info.plugin_content)
                                                        : std::string_view();
    case reader::TagKind::kImage:
      return info.plugin_name.empty() ? kConvertedImage : info.plugin_content;
    case reader::TagKind::kAudio:
      return info.plugin_content.empty() ? kConvertedAudio : info.plugin_content;
    default:
      return info.plugin_content;
  }
}

}  // namespace

TagClass ClassOf(const reader::TagInfo& info) {
  if (info.data_class == DataClass::kUnknown) return {ClassOfKind(info), reader::PluginOf(info)};
  // Only scalars are stored in columns, so a column can only be read as scalars, and other values
  // cannot be read as scalars.
  const bool readable =
      (info.kind == reader::TagKind::kScalar) == (info.data_class == DataClass::kScalar);
  const bool known = info.data_class == DataClass::kScalar ||
                     info.data_class == DataClass::kTensor ||
                     info.data_class == DataClass::kBlobSequence;
  return {readable && known ? info.data_class : DataClass::kUnknown, info.plugin_name};
}

std::string SummaryMetadataOf(const reader::TagInfo& info) {
  const TagClass tag_class = ClassOf(info);
  return proto::EncodeSummaryMetadata({.plugin_name = tag_class.plugin_name,
                                       .plugin_content = ContentOf(info),
                                       .display_name = info.display_name,
                                       .description = info.description,
                                       .data_class = tag_class.data_class});
}

}  // namespace cboard::data_server
