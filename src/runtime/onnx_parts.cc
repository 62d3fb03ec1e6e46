#include "runtime/onnx_parts.h"

#include "runtime/onnx_fields.h"

namespace cboard::runtime {

Result<ModelPieces> CutModel(std::string_view model) {
  ModelPieces pieces;
  std::size_t graphs = 0;
  const auto read = [&](proto::pbf_reader fields, ModelPieces& out) {
    ForEachField(fields, [&](std::uint32_t tag, std::string_view content, std::string_view whole) {
      if (tag == proto::Length(kModelGraph)) {
        out.graph = content;
        ++graphs;
      } else {
        (graphs == 0 ? out.before : out.after).Keep(whole);
      }
    });
  };
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("ONNX model", model, pieces, read));
  if (graphs == 1) return pieces;
  return Fail(ErrorCode::kInvalidArgument, "this is not an ONNX model: its " +
                                               std::to_string(model.size()) + " bytes contain " +
                                               std::to_string(graphs) + " graphs");
}

}  // namespace cboard::runtime
