#include "quantize/writing/fusion_check.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "quantize/graph/graph.h"

namespace cboard::quantize {
namespace {

namespace fs = std::filesystem;

// A file that is removed with its object.
class ScratchFile {
 public:
  static Result<ScratchFile> Create() {
    std::string name = (fs::temp_directory_path() / "cboard-optimized-XXXXXX").string();
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

Result<std::vector<UnfusedNode>> FindUnfusedNodes(std::string_view model, const Plan& plan,
                                                  const runtime::SessionOptions& session) {
  CBOARD_ASSIGN_OR_RETURN(const ScratchFile file, ScratchFile::Create());
  {
    runtime::SessionOptions options = session;
    options.optimize = true;
    options.optimized_model = file.path();
    CBOARD_RETURN_IF_ERROR(
        runtime::Session::FromBytes(AsBytes(model), "the quantized model", options));
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
    const auto planned = by_name.find(node.name);
    std::string reason = planned == by_name.end() ? "" : planned->second->reason;
    if (reason.empty()) {
      bool is_near = false;
      for (const std::string& input : node.inputs) {
        const std::size_t producer = index.Producer(input);
        is_near = is_near || (producer != GraphIndex::kNone &&
                              graph.nodes[producer].op_type == "DequantizeLinear");
      }
      reason =
          is_near ? "ONNX Runtime has no integer kernel for it here" : "it is float in the plan";
    }
    unfused.push_back({node.name, node.op_type, std::move(reason)});
  }
  return unfused;
}

}  // namespace cboard::quantize
