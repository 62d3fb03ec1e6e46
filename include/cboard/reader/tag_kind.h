// The kind of a tag's values.
#pragma once

#include <cstdint>
#include <string_view>

namespace cboard::reader {

// Decided by the first value of a tag: by the kind of value or, for tensors, by the plugin that
// they are addressed to.
enum class TagKind : std::uint8_t {
  kScalar,
  kHistogram,
  kImage,
  kAudio,
  kText,
  kTensor,  // Data of any other plugin.
  kHParams,
  kPrCurve,
  kMesh,
  kGraph,
  kRunMetadata,
  kCustomScalars,
};

// The kind in the spelling of JSON and tables: "pr_curve".
std::string_view NameOf(TagKind kind);

// The tags of what carries none itself, as TensorBoard names them.
inline constexpr std::string_view kRunGraphTag = "__run_graph__";
inline constexpr std::string_view kMetaGraphTag = "__meta_graph__";

}  // namespace cboard::reader
