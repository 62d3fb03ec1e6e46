#include "quantize/writing/fusion_check.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "quantize/graph/constant_file.h"
#include "quantize/graph/encode_graph.h"
#include "quantize/graph/graph_session.h"

namespace cboard::quantize {
namespace {

namespace fs = std::filesystem;

// A temporary file that the destructor deletes.
class ScratchFile {
 public:
  static Result<ScratchFile> Create(const fs::path& folder) {
    std::string name = (folder / "cboard-optimized-XXXXXX").string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) return Fail(ErrnoError(errno, "create a file like '" + name + "'"));
    close(descriptor);
    return ScratchFile(name);
  }
  ScratchFile(ScratchFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFile& operator=(ScratchFile&&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  explicit ScratchFile(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

}  // namespace

Result<std::vector<UnfusedNode>> FindUnfusedNodes(const Graph& quantized, const Plan& plan,
                                                  const runtime::SessionOptions& session) {
  // Skips the check: ONNX Runtime cannot write a graph above 2 GiB.
  if (EncodedSize(quantized) > kMaxModelBytes) return std::vector<UnfusedNode>{};
  // Weights that stay float stay in the constant file, which the optimized model names by a path
  // relative to its own folder.
  CBOARD_ASSIGN_OR_RETURN(
      const ScratchFile file,
      ScratchFile::Create(quantized.constant_file != nullptr ? quantized.constant_file->folder()
                                                             : fs::temp_directory_path()));
  {
    runtime::SessionOptions options = session;
    options.optimize = true;
    options.optimized_model = file.path();
    CBOARD_RETURN_IF_ERROR(OpenSession(quantized, {}, options));
  }
  CBOARD_ASSIGN_OR_RETURN(const Graph graph, ReadGraph(file.path()));
  const GraphIndex index(graph);
  std::map<std::string, const NodePlan*> by_name;
  for (const auto& [output, node] : plan.nodes) by_name[node.node] = &node;
  std::vector<UnfusedNode> unfused;
  for (const Node& node : graph.nodes) {
    const bool has_weight = node.op_type == "Conv" || node.op_type == "FusedConv" ||
                            node.op_type == "ConvTranspose" || node.op_type == "MatMul" ||
                            node.op_type == "Gemm" || node.op_type == "FusedMatMul" ||
                            node.op_type == "FusedGemm";
    if (!has_weight) continue;
    bool is_near = false, has_constant = false;
    for (const std::string& input : node.inputs) {
      const std::size_t producer = index.Producer(input);
      has_constant = has_constant || graph.FindConstant(input) != nullptr;
      is_near = is_near || (producer != GraphIndex::kNone &&
                            graph.nodes[producer].op_type == "DequantizeLinear");
    }
    if (!is_near && !has_constant) continue;  // A product of two activations needs no fusion.
    const auto planned = by_name.find(node.name.empty() ? node.outputs[0] : node.name);
    std::string reason = planned == by_name.end() ? "" : planned->second->reason;
    if (reason.empty()) {
      reason =
          !is_near ? "it is float in the plan"
          : node.op_type.starts_with("Fused") || node.name.find("Fusion") != std::string::npos
              ? "ONNX Runtime fuses it with the next operator and has no integer kernel for both"
              : "ONNX Runtime has no integer kernel for it here";
    }
    unfused.push_back(
        {node.name.empty() ? node.outputs[0] : node.name, node.op_type, std::move(reason)});
  }
  return unfused;
}

}  // namespace cboard::quantize
