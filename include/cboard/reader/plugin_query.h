// Data of TensorBoard's smaller plugins: PR curves, meshes, layouts of custom scalars. Hyper-
// parameters have a header of their own, hparams_query.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/proto/plugins.h"
#include "cboard/reader/snapshot.h"

namespace cboard::reader {

// Precision and recall at rising thresholds. Columns of equal length; those at the end at which
// nothing counts as positive, and precision means nothing, are cut off, as TensorBoard does.
struct PrCurve {
  std::vector<double> precision;
  std::vector<double> recall;
  std::vector<std::int64_t> true_positives;
  std::vector<std::int64_t> false_positives;
  std::vector<std::int64_t> true_negatives;
  std::vector<std::int64_t> false_negatives;
  std::vector<double> thresholds;  // From 0 to 1 in equal steps.
};

inline constexpr std::size_t kMaxThresholds = std::size_t{1} << 20;

// From a serialized Summary.Value with a tensor [6, thresholds]. Fails with kDataLoss when it is
// something else.
Result<PrCurve> ParsePrCurveValue(std::string_view value);

struct PrCurveStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  PrCurve curve;
};

// The values of `tag` with these indices; see SelectSteps. Fails as ReadBlob does.
Result<std::vector<PrCurveStep>> ReadPrCurves(const Run& run, const Tag& tag,
                                              std::span<const std::size_t> indices);

// The vertices, faces or colours of a mesh: one tag of the run.
struct MeshPart {
  const Tag* tag = nullptr;
  proto::ParsedMeshPluginData data;  // `components` 0 is made all three.
};

// A mesh by the name its writer gave it, which is not that of its tags.
struct Mesh {
  std::string name;
  std::vector<MeshPart> parts;  // By tag.

  // How many meshes there are in a batch.
  std::int64_t samples() const { return parts.back().data.shape.front(); }
};

// By name; the pointers live as long as the run. Tags whose plugin data is damaged or has no shape
// are left out.
std::vector<Mesh> ListMeshes(const Run& run);

// A value of one of the parts.
struct MeshStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  proto::MeshContent content_type = proto::MeshContent::kUndefined;
  std::uint32_t components = 0;
  std::string json_config;
  std::vector<std::int64_t> shape;
};

// All values of all parts, by step.
std::vector<MeshStep> ListMeshSteps(const Mesh& mesh);

// The numbers of one sample of a part at a step, little-endian: vertices as float, faces as int32,
// colours as uint8. Fails with kNotFound when there is no such part, step or sample.
Result<std::string> ReadMeshData(const Run& run, const Mesh& mesh, proto::MeshContent content_type,
                                 std::int64_t step, std::int64_t sample);

// The numbers of sample `sample` in a serialized Summary.Value with a tensor [samples, …].
Result<std::string> ParseMeshValue(std::string_view value, proto::MeshContent content_type,
                                   std::int64_t sample);

inline constexpr std::string_view kCustomScalarsTag = "custom_scalars__config__";

// The layouts of several runs in one, in the order given: categories of the same title become one,
// charts that it has already are left out. (TensorBoard loses the charts that a third run adds to a
// category of the second; here they stay.)
std::vector<proto::LayoutCategory> MergeLayouts(
    std::span<const std::vector<proto::LayoutCategory>> layouts);

// The layouts of all runs, by name of the run, merged; of each run the newest. One that cannot be
// read is reported in `errors`, and the others are shown.
std::vector<proto::LayoutCategory> ReadLayouts(const Snapshot& snapshot,
                                               std::vector<Error>& errors);

// From a serialized Summary.Value.
Result<std::vector<proto::LayoutCategory>> ParseLayoutValue(std::string_view value);

}  // namespace cboard::reader
