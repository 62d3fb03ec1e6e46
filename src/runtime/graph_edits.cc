#include "cboard/runtime/graph_edits.h"

#include "cboard/base/strings.h"
#include "proto/wire_writer.h"
#include "runtime/edited_parts.h"
#include "runtime/graph_rewriter.h"
#include "runtime/onnx_fields.h"
#include "runtime/onnx_parts.h"

namespace cboard::runtime {
namespace {

// Maximum number of edited elements. More elements would exceed the maximum size of a protobuf
// message.
constexpr std::size_t kMaxEditedElements = (std::size_t{1} << 31) - 1;

Result<void> CheckShape(const std::string& name, const std::vector<std::int64_t>& shape,
                        std::size_t values) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMaxEditedElements / static_cast<std::size_t>(size))) {
      return Fail(ErrorCode::kInvalidArgument, "the shape given for " + Quoted(name) +
                                                   " has an invalid size, " + std::to_string(size));
    }
    count *= static_cast<std::size_t>(size);
  }
  if (count == values) return {};
  return Fail(ErrorCode::kInvalidArgument,
              "the shape given for " + Quoted(name) + " has " + std::to_string(count) +
                  " values, but the data has " + std::to_string(values));
}

class GraphEditor {
 public:
  explicit GraphEditor(const GraphEdits& edits) : edits_(edits) {}

  Result<std::string> Run(std::string_view model) {
    CBOARD_RETURN_IF_ERROR(ListEdits());
    CBOARD_ASSIGN_OR_RETURN(const ModelPieces parts, CutModel(model));
    ModelParts graph;
    CBOARD_RETURN_IF_ERROR(RewriteGraph(parts.graph, main_, graph));
    CBOARD_RETURN_IF_ERROR(CheckSize(parts.before.size() + parts.after.size(), graph, main_));
    std::string out;
    out.reserve(parts.before.size() + parts.after.size() + SizeOf(graph, main_) + kFieldOverhead);
    parts.before.AppendTo(out);
    proto::AppendingSink sink(out);
    sink.Varint(proto::Length(kModelGraph));
    sink.Varint(SizeOf(graph, main_));
    AppendGraph(graph, main_, out);
    parts.after.AppendTo(out);
    return out;
  }

 private:
  Result<void> ListEdits() {
    for (const ConstantTensor& constant : edits_.constants) {
      CBOARD_ASSIGN_OR_RETURN(GraphPart* const part, AddConstant(constant));
      CBOARD_RETURN_IF_ERROR(Add(*part, constant.name, {.is_removed = true}));
    }
    for (const ConstantTensor& constant : edits_.added) {
      CBOARD_RETURN_IF_ERROR(AddConstant(constant));
    }
    for (const ProductTensor& product : edits_.products) {
      CBOARD_RETURN_IF_ERROR(CheckShape(product.name, product.shape, product.values.size()));
      CBOARD_ASSIGN_OR_RETURN(GraphPart* const part, LayerPart(product.in));
      part->products.push_back(&product);
      CBOARD_RETURN_IF_ERROR(
          Add(*part, product.name,
              {.nodes = proto::EncodeMessage([&](auto& graph) {
                 WriteNode(graph, "MatMul", {product.left, RightOf(product)}, product.name);
               })}));
    }
    for (const PassedTensor& passed : edits_.passed) {
      CBOARD_ASSIGN_OR_RETURN(GraphPart* const part, LayerPart(passed.in));
      CBOARD_RETURN_IF_ERROR(
          Add(*part, passed.name,
              {.nodes = proto::EncodeMessage([&](auto& graph) { WritePassed(graph, passed); })}));
    }
    for (const ReplacedNode& node : edits_.nodes) {
      CBOARD_ASSIGN_OR_RETURN(GraphPart* const part, LayerPart(node.in));
      CBOARD_RETURN_IF_ERROR(Add(*part, node.output, {.replacement = &node}));
    }
    for (const RecomputedTensor& tensor : edits_.recomputed) {
      CBOARD_ASSIGN_OR_RETURN(GraphPart* const part, LayerPart(tensor.in));
      CBOARD_RETURN_IF_ERROR(Add(*part, tensor.name, {.recomputed = &tensor}));
    }
    for (const RemovedTensor& removed : edits_.removed) {
      CBOARD_ASSIGN_OR_RETURN(GraphPart* const part, LayerPart(removed.in));
      CBOARD_RETURN_IF_ERROR(Add(*part, removed.name, {.is_removed = true}));
    }
    for (const AddedInput& input : edits_.inputs) main_.inputs.push_back(&input);
    return {};
  }

  Result<GraphPart*> LayerPart(const GraphPlace& place) {
    if (place.size() > kMaxBodyDepth) {
      return Fail(ErrorCode::kInvalidArgument, "a tensor cannot be replaced inside more than " +
                                                   std::to_string(kMaxBodyDepth) +
                                                   " nested subgraphs");
    }
    GraphPart* part = &main_;
    for (const GraphBody& body : place) {
      part = &part->bodies[body.output][body.attribute];
      part->place = Quoted(body.attribute) + " of the node that computes " + Quoted(body.output);
    }
    return part;
  }

  Result<GraphPart*> AddConstant(const ConstantTensor& constant) {
    CBOARD_RETURN_IF_ERROR(CheckShape(constant.name, constant.shape, constant.values.size()));
    CBOARD_ASSIGN_OR_RETURN(GraphPart* const part, LayerPart(constant.in));
    part->constants.push_back(&constant);
    return part;
  }

  static Result<void> Add(GraphPart& part, const std::string& name, Edit edit) {
    if (!name.empty() && part.edits.try_emplace(name, std::move(edit)).second) return {};
    return Fail(ErrorCode::kInvalidArgument,
                name.empty() ? std::string("a tensor without a name cannot be replaced")
                             : "tensor " + Quoted(name) + " cannot be replaced twice");
  }

  const GraphEdits& edits_;
  GraphPart main_;
};

}  // namespace

Result<std::string> EditGraph(std::string_view model, const GraphEdits& edits) {
  return GraphEditor(edits).Run(model);
}

}  // namespace cboard::runtime
