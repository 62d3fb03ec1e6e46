#include "reader/index/plugin_kind.h"

#include <algorithm>
#include <array>
#include <utility>

namespace cboard::reader {

std::string_view NameOf(TagKind kind) {
  switch (kind) {
    case TagKind::kScalar:
      return "scalar";
    case TagKind::kHistogram:
      return "histogram";
    case TagKind::kImage:
      return "image";
    case TagKind::kAudio:
      return "audio";
    case TagKind::kText:
      return "text";
    case TagKind::kTensor:
      return "tensor";
    case TagKind::kHParams:
      return "hparams";
    case TagKind::kPrCurve:
      return "pr_curve";
    case TagKind::kMesh:
      return "mesh";
    case TagKind::kGraph:
      return "graph";
    case TagKind::kRunMetadata:
      return "run_metadata";
    case TagKind::kCustomScalars:
      return "custom_scalars";
  }
  return "tensor";
}

TagKind KindOfPlugin(std::string_view plugin_name) {
  constexpr auto kPlugins = std::to_array<std::pair<std::string_view, TagKind>>({
      {"scalars", TagKind::kScalar},
      {"histograms", TagKind::kHistogram},
      {"images", TagKind::kImage},
      {"audio", TagKind::kAudio},
      {"text", TagKind::kText},
      {"hparams", TagKind::kHParams},
      {"pr_curves", TagKind::kPrCurve},
      {"mesh", TagKind::kMesh},
      {"graphs", TagKind::kGraph},
      {"graph_keras_model", TagKind::kGraph},
      {"graph_run_metadata", TagKind::kRunMetadata},
      {"graph_run_metadata_graph", TagKind::kRunMetadata},
      {"graph_tagged_run_metadata", TagKind::kRunMetadata},
      {"custom_scalars", TagKind::kCustomScalars},
  });
  const auto found =
      std::ranges::find(kPlugins, plugin_name, &std::pair<std::string_view, TagKind>::first);
  return found == kPlugins.end() ? TagKind::kTensor : found->second;
}

}  // namespace cboard::reader
