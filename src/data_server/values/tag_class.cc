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

DataClass ClassOfKind(const TagInfo& info) {
  switch (info.kind) {
    case TagKind::kScalar:
      return DataClass::kScalar;
    case TagKind::kHistogram:
    case TagKind::kText:
    case TagKind::kHParams:
    case TagKind::kPrCurve:
    case TagKind::kMesh:
    case TagKind::kCustomScalars:
      return DataClass::kTensor;
    case TagKind::kImage:
    case TagKind::kAudio:
      return DataClass::kBlobSequence;
    case TagKind::kGraph:
    case TagKind::kRunMetadata: {
      if (info.plugin_name.empty()) {  // An event of its own.
        return info.name == kMetaGraphTag ? DataClass::kUnknown : DataClass::kBlobSequence;
      }
      constexpr std::array kTensorPlugins = {"graph_keras_model"sv, "graph_run_metadata"sv,
                                             "graph_run_metadata_graph"sv};
      return std::ranges::count(kTensorPlugins, info.plugin_name) > 0 ? DataClass::kBlobSequence
                                                                      : DataClass::kUnknown;
    }
    case TagKind::kTensor:
      break;
  }
  return DataClass::kUnknown;
}

std::string_view ContentOf(const TagInfo& info) {
  if (info.data_class != DataClass::kUnknown) return info.plugin_content;
  switch (info.kind) {
    case TagKind::kScalar:
    case TagKind::kHistogram:
      // Values of these kinds may carry the metadata of a plugin that is not the one that shows
      // them.
      return info.plugin_name == PluginOf(info) ? std::string_view(info.plugin_content)
                                                : std::string_view();
    case TagKind::kImage:
      return info.plugin_name.empty() ? kConvertedImage : info.plugin_content;
    case TagKind::kAudio:
      return info.plugin_content.empty() ? kConvertedAudio : info.plugin_content;
    default:
      return info.plugin_content;
  }
}

}  // namespace

TagClass ClassOf(const TagInfo& info) {
  if (info.data_class == DataClass::kUnknown) return {ClassOfKind(info), PluginOf(info)};
  // Only scalars are in columns: those must be read as scalars.
  const bool readable = (info.kind == TagKind::kScalar) == (info.data_class == DataClass::kScalar);
  const bool known = info.data_class == DataClass::kScalar ||
                     info.data_class == DataClass::kTensor ||
                     info.data_class == DataClass::kBlobSequence;
  return {readable && known ? info.data_class : DataClass::kUnknown, info.plugin_name};
}

std::string SummaryMetadataOf(const TagInfo& info) {
  const TagClass tag_class = ClassOf(info);
  return proto::EncodeSummaryMetadata({.plugin_name = tag_class.plugin_name,
                                       .plugin_content = ContentOf(info),
                                       .display_name = info.display_name,
                                       .description = info.description,
                                       .data_class = tag_class.data_class});
}

}  // namespace cboard::data_server
