#include "quantize/graph/graph_session.h"

#include "base/temporary_folder.h"
#include "quantize/graph/constant_file.h"
#include "quantize/graph/encode_graph.h"

namespace cboard::quantize {

Result<runtime::Session> OpenSession(const Graph& graph, const std::vector<std::string>& outputs,
                                     const runtime::SessionOptions& options) {
  if (graph.constant_file != nullptr) {
    runtime::SessionOptions with_folder = options;
    with_folder.external_data_folder = graph.constant_file->folder();
    const std::string bytes = EncodeWithConstantFile(graph, outputs);
    auto session = runtime::Session::FromBytes(AsBytes(bytes), graph.path.string(), with_folder);
    // ONNX Runtime before 1.20 does not support a directory for external data.
    if (session || session.error().code != ErrorCode::kFailedPrecondition) return session;
  }
  if (EncodedSize(graph) <= kMaxModelBytes) {
    CBOARD_ASSIGN_OR_RETURN(const std::string bytes, EncodeGraphWithOutputs(graph, outputs));
    return runtime::Session::FromBytes(AsBytes(bytes), graph.path.string(), options);
  }
  // ONNX Runtime maps the data, so the file may be deleted after loading.
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "model.onnx";
  CBOARD_RETURN_IF_ERROR(WriteModel(graph, file, outputs));
  return runtime::Session::Open(file, options);
}

}  // namespace cboard::quantize
