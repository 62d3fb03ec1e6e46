// The kinds of a tag's values: scalars, images, histograms and others.
#pragma once

#include <cstdint>
#include <string_view>

namespace cboard::reader {

// The kind of a tag. The first value of the tag decides it: by its type or, for tensors, by the
// plugin in its metadata.
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

// The name of the kind in JSON and tables: "pr_curve".
std::string_view NameOf(TagKind kind);

// Tag names for values that have no tag in the file. TensorBoard uses the same names.
inline constexpr std::string_view kRunGraphTag = "__run_graph__";
inline constexpr std::string_view kMetaGraphTag = "__meta_graph__";

}  // namespace cboard::reader
