// Reads the data of TensorBoard's smaller plugins: PR curves, meshes, layouts of custom scalars.
// hparams_query.h reads hyperparameters.
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

// Precision and recall at ascending thresholds. All columns have the same length. As in
// TensorBoard, thresholds at the end without positive predictions are removed, because precision is
// undefined there.
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

// Parses a serialized Summary.Value that contains a tensor of shape [6, thresholds]. Fails with
// kDataLoss for other values.
Result<PrCurve> ParsePrCurveValue(std::string_view value);

struct PrCurveStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  PrCurve curve;
};

// Reads the values of `tag` at the given indices; SelectSteps can choose them. Fails like ReadBlob.
Result<std::vector<PrCurveStep>> ReadPrCurves(const Run& run, const Tag& tag,
                                              std::span<const std::size_t> indices);

// A part of a mesh: its vertices, faces or colors. Each part is one tag of the run.
struct MeshPart {
  const Tag* tag = nullptr;
  proto::ParsedMeshPluginData data;  // If `components` is 0, it is set to all three.
};

// A mesh. Its name is the one that the program gave it; its tags have other names.
struct Mesh {
  std::string name;
  std::vector<MeshPart> parts;  // By tag.

  // Returns the number of meshes in a batch.
  std::int64_t samples() const { return parts.back().data.shape.front(); }
};

// Returns the meshes of a run, sorted by name. Their pointers are valid as long as the run. Tags
// with damaged plugin data or without a shape are skipped.
std::vector<Mesh> ListMeshes(const Run& run);

// One logged value of a mesh part.
struct MeshStep {
  std::int64_t step = 0;
  double wall_time_seconds = 0;
  proto::MeshContent content_type = proto::MeshContent::kUndefined;
  std::uint32_t components = 0;
  std::string json_config;
  std::vector<std::int64_t> shape;
};

// Returns all logged values of all parts of a mesh, sorted by step.
std::vector<MeshStep> ListMeshSteps(const Mesh& mesh);

// Reads one sample of a mesh part at a step. The result is an array of little-endian numbers:
// vertices are floats, faces int32, and colors uint8. Fails with kNotFound if the part, step or
// sample does not exist.
Result<std::string> ReadMeshData(const Run& run, const Mesh& mesh, proto::MeshContent content_type,
                                 std::int64_t step, std::int64_t sample);

// Returns the numbers of one sample from a serialized Summary.Value that contains a tensor of shape
// [samples, …].
Result<std::string> ParseMeshValue(std::string_view value, proto::MeshContent content_type,
                                   std::int64_t sample);

inline constexpr std::string_view kCustomScalarsTag = "custom_scalars__config__";

// Merges the layouts of several runs, in the given order. Categories with the same title are
// merged, and duplicate charts are removed. (TensorBoard loses the charts that a third run adds to
// a category of the second run; this function keeps them.)
std::vector<proto::LayoutCategory> MergeLayouts(
    std::span<const std::vector<proto::LayoutCategory>> layouts);

// Reads the layouts of all runs, and merges them in the order of the run names. Uses the newest
// layout of each run. `errors` gets the layouts that cannot be read.
std::vector<proto::LayoutCategory> ReadLayouts(const Snapshot& snapshot,
                                               std::vector<Error>& errors);

// Parses a layout from a serialized Summary.Value.
Result<std::vector<proto::LayoutCategory>> ParseLayoutValue(std::string_view value);

}  // namespace cboard::reader
