#include "writer/summary/mesh.h"

#include <simdjson.h>

#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/proto/plugins.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "cboard/tensor/convert.h"
#include "writer/summary/invalid_argument.h"
#include "writer/summary/plugin_metadata.h"
#include "writer/summary/shape_text.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard::writer::summary {
namespace {

using proto::MeshContent;

// Returns the elements of a tensor of shape B x N x 3. The tensor must contain at least one triple.
Result<std::vector<float>> Triples(const TensorView& tensor, std::string_view what) {
  if (tensor.shape.size() != 3 || tensor.shape[2] != 3) {
    return InvalidArgument(std::string(what) + " have shape " + ShapeText(tensor.shape) +
                           "; give an array of batch x count x 3");
  }
  CBOARD_ASSIGN_OR_RETURN(std::vector<float> values, tensor::ToFloats(tensor));
  if (values.empty()) {
    return InvalidArgument(std::string(what) + " have shape " + ShapeText(tensor.shape) +
                           ", so the array is empty; give at least one entry");
  }
  return values;
}

Result<void> ValidateFaces(const TensorView& vertices, const TensorView& faces,
                           const std::vector<float>& indices) {
  if (faces.shape[0] != vertices.shape[0]) {
    return InvalidArgument("faces have shape " + ShapeText(faces.shape) +
                           ", but vertices have shape " + ShapeText(vertices.shape) +
                           "; give arrays with the same batch size");
  }
  const auto vertex_count = static_cast<double>(vertices.shape[1]);
  // As in tensorboardX, faces are stored as float32. Above 2^24, float32 cannot represent odd
  // numbers.
  constexpr double kLargestExact = 1 << 24;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double index = static_cast<double>(indices[i]);
    if (!(index >= 0 && index < vertex_count) || index != std::floor(index)) {
      return InvalidArgument("face " + std::to_string(i / 3) + " refers to vertex " +
                             ShortestDecimal(index) + ", but the vertices are 0 to " +
                             std::to_string(vertices.shape[1] - 1));
    }
    if (index > kLargestExact) {
      return InvalidArgument("face " + std::to_string(i / 3) + " refers to vertex " +
                             ShortestDecimal(index) +
                             ", but the format supports only 16777216 vertices; split the mesh");
    }
  }
  return {};
}

Result<void> ValidateColors(const TensorView& vertices, const TensorView& colors,
                            const std::vector<float>& values) {
  if (colors.shape != vertices.shape) {
    return InvalidArgument("colors have shape " + ShapeText(colors.shape) +
                           ", but vertices have shape " + ShapeText(vertices.shape) +
                           "; give one color per vertex");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0 && values[i] <= 255)) {
      return InvalidArgument("color " + std::to_string(i / 3) + " has the value " +
                             ShortestDecimal(static_cast<double>(values[i])) +
                             "; give numbers from 0 to 255");
    }
  }
  return {};
}

// Checks that the configuration is valid JSON: TensorBoard's page calls JSON.parse, and shows no
// mesh if that fails.
Result<void> ValidateConfig(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (const auto error = parser.parse(json).get(document); error != simdjson::SUCCESS) {
    return InvalidArgument("config_json " + Quoted(json) + " is not JSON (" +
                           simdjson::error_message(error) + "); give a JSON object, or null");
  }
  return {};
}

void AppendPart(const std::string& tag, const MeshDetails& details, MeshContent content,
                const TensorView& tensor, const std::vector<float>& values, std::string& summary) {
  const std::string plugin_data = proto::EncodeMeshPluginData({.name = tag,
                                                               .content_type = content,
                                                               .json_config = details.config_json,
                                                               .shape = tensor.shape});
  proto::AppendTensorValue(tag + "_" + std::to_string(static_cast<int>(content)),
                           proto::EncodeFloatTensor(tensor.shape, values),
                           ForPlugin("mesh", plugin_data), summary);
}

Result<std::string> Make(const std::string& tag, const TensorView& vertices,
                         const MeshDetails& details) {
  CBOARD_RETURN_IF_ERROR(ValidateConfig(details.config_json));
  CBOARD_ASSIGN_OR_RETURN(const auto positions, Triples(vertices, "vertices"));
  std::string summary;
  AppendPart(tag, details, MeshContent::kVertex, vertices, positions, summary);
  if (details.faces) {
    CBOARD_ASSIGN_OR_RETURN(const auto indices, Triples(*details.faces, "faces"));
    CBOARD_RETURN_IF_ERROR(ValidateFaces(vertices, *details.faces, indices));
    AppendPart(tag, details, MeshContent::kFace, *details.faces, indices, summary);
  }
  if (details.colors) {
    CBOARD_ASSIGN_OR_RETURN(const auto values, Triples(*details.colors, "colors"));
    CBOARD_RETURN_IF_ERROR(ValidateColors(vertices, *details.colors, values));
    AppendPart(tag, details, MeshContent::kColor, *details.colors, values, summary);
  }
  return summary;
}

}  // namespace

Result<std::string> MakeMeshSummary(std::string_view tag, const TensorView& vertices,
                                    const MeshDetails& details) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored_tag, StoredTag(tag));
  auto summary = Make(stored_tag, vertices, details);
  if (!summary) return Fail(Annotate(std::move(summary).error(), "mesh " + Quoted(tag)));
  return summary;
}

}  // namespace cboard::writer::summary
