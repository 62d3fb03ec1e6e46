#include "model/graph/graph_assembler.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <queue>

#include "cboard/base/strings.h"
#include "model/graph/macs.h"

namespace cboard::model {

std::string ScopeOf(std::string_view name) {
  while (name.starts_with('/')) name.remove_prefix(1);
  const std::size_t slash = name.rfind('/');
  if (slash != std::string_view::npos) return std::string(name.substr(0, slash));
  const std::size_t dot = name.rfind('.');
  return std::string(name.substr(0, dot == std::string_view::npos ? 0 : dot));
}

std::optional<std::uint64_t> ElementCount(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  bool overflows = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    if (size == 0) return 0;  // The other sizes have no effect.
    overflows |= __builtin_mul_overflow(count, static_cast<std::uint64_t>(size), &count);
  }
  if (overflows) return std::nullopt;
  return count;
}

std::optional<std::uint64_t> BytesNeeded(DType type, const std::vector<std::int64_t>& shape) {
  const ElementLayout layout = LayoutOf(type);
  const std::optional<std::uint64_t> count = ElementCount(shape);
  std::uint64_t bytes = 0;
  if (!count || layout.bytes == 0 ||
      __builtin_mul_overflow(*count / layout.elements + (*count % layout.elements != 0 ? 1 : 0),
                             layout.bytes, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

bool CanBeSparse(DType type) {
  const ElementLayout layout = LayoutOf(type);
  return layout.bytes > 0 && layout.elements == 1;
}

std::string ShapeText(const std::vector<std::int64_t>& shape) {
  constexpr std::size_t kMaxShown = 8;
  std::string text = "[";
  for (std::size_t i = 0; i < std::min(shape.size(), kMaxShown); ++i) {
    if (i > 0) text += ", ";
    text += shape[i] == -1 ? "?" : std::to_string(shape[i]);
  }
  return text + (shape.size() > kMaxShown ? ", …]" : "]");
}

GraphAssembler::GraphAssembler(ModelFormat format, std::shared_ptr<const MappedFile> file) {
  graph_.format_ = format;
  graph_.path_ = file->path();
  AddFile(std::move(file));
}

TensorId GraphAssembler::Tensor(std::string_view name) {
  if (const TensorId found = FindTensor(name); found != kNoTensor) return found;
  // Counts the memory of a tensor, including unused capacity and its entries in lookup tables.
  if (!Spend(2 * sizeof(ModelTensor) + 128 + 2 * name.size()) && !graph_.tensors_.empty()) {
    return TensorId{0};
  }
  const TensorId id{static_cast<std::uint32_t>(graph_.tensors_.size())};
  graph_.tensors_.emplace_back().name = std::string(name);
  tensors_by_name_.emplace(std::string(name), id);
  return id;
}

TensorId GraphAssembler::FindTensor(std::string_view name) const {
  const auto found = tensors_by_name_.find(name);
  return found == tensors_by_name_.end() ? kNoTensor : found->second;
}

TensorId GraphAssembler::NewTensor(const std::string& wanted) {
  if (FindTensor(wanted) == kNoTensor) return Tensor(wanted);
  std::string name;
  do {
    name = wanted + "_" + std::to_string(++tensor_numbers_[wanted]);
  } while (FindTensor(name) != kNoTensor);
  return Tensor(name);
}

Result<void> GraphAssembler::SetConstant(TensorId id, DType type, std::vector<std::int64_t> shape,
                                         const StoredBytes& stored) {
  CBOARD_RETURN_IF_ERROR(Charge(shape.size() * sizeof(std::int64_t)));
  ModelTensor& added = tensor(id);
  const auto damaged = [&](const std::string& what) {
    return Fail(ErrorCode::kDataLoss, "tensor " + Quoted(added.name) + " of type " +
                                          std::string(NameOf(type)) + " and shape " +
                                          ShapeText(shape) + " " + what);
  };
  if (std::ranges::any_of(shape, [](std::int64_t size) { return size < 0; })) {
    return damaged("has a negative dimension");
  }
  const std::optional<std::uint64_t> count = ElementCount(shape);
  if (!count || *count > std::numeric_limits<std::size_t>::max() / 16) {
    return damaged("exceeds the address space");
  }
  const ElementLayout layout = LayoutOf(type);
  if (layout.bytes > 0) {
    if (IsBlockType(type) && *count > 0 &&
        (shape.empty() || static_cast<std::uint64_t>(shape.back()) % layout.elements != 0)) {
      return damaged("has a last dimension that is not a multiple of the block size, " +
                     std::to_string(layout.elements));
    }
    const std::uint64_t needed = BytesNeeded(type, shape).value_or(0);
    const bool repeats = stored.may_repeat_last && stored.data.size() < needed &&
                         !stored.data.empty() && stored.data.size() % layout.bytes == 0;
    if (stored.data.size() != needed && !repeats) {
      return damaged("needs " + std::to_string(needed) + " bytes but has " +
                     std::to_string(stored.data.size()));
    }
    added.repeats_last = repeats;
    added.data = stored.data;
  }
  added.type = type;
  added.has_shape = true;
  added.shape = std::move(shape);
  added.dimension_names.clear();
  added.is_constant = true;
  added.source = id;
  return {};
}

Result<MutableByteSpan> GraphAssembler::SetUnfolded(TensorId id, DType type,
                                                    std::vector<std::int64_t> shape,
                                                    std::uint64_t stored_bytes) {
  // Limits the size of expanded sparse constants. Their zeros take no bytes in the file, so a small
  // file could claim any size. A model in which one percent of the weights is not zero expands to
  // less than a quarter of this limit.
  constexpr std::uint64_t kMaxFileSizeMultiple = 256;
  const std::uint64_t needed = BytesNeeded(type, shape).value_or(0);
  if (needed / kMaxFileSizeMultiple > graph_.file_bytes_) {
    return Fail(ErrorCode::kResourceExhausted,
                "sparse tensor " + Quoted(tensor(id).name) + " of type " +
                    std::string(NameOf(type)) + " and shape " + ShapeText(shape) +
                    " needs more than " + std::to_string(kMaxFileSizeMultiple) +
                    " times the size of its file, " +
                    HumanBytes(static_cast<double>(graph_.file_bytes_)));
  }
  CBOARD_RETURN_IF_ERROR(Charge(sizeof(void*) + needed));
  const auto size = static_cast<std::size_t>(needed);
  const MutableByteSpan dense(graph_.decoded_.emplace_back(new std::byte[size]()).get(), size);
  CBOARD_RETURN_IF_ERROR(SetConstant(id, type, std::move(shape), {dense}));
  // The stored size of a sparse constant is at least 1 byte, even if all its values are zero.
  tensor(id).sparse_bytes = std::max<std::uint64_t>(stored_bytes, 1);
  return dense;
}

void GraphAssembler::Describe(TensorId id, DType type, std::vector<std::int64_t> shape) {
  ModelTensor& described = tensor(id);
  if (described.is_constant || !Spend(shape.size() * sizeof(std::int64_t))) return;
  described.type = type;
  described.has_shape = true;
  described.shape = std::move(shape);
  described.dimension_names.clear();
  for (std::int64_t& size : described.shape) size = std::max<std::int64_t>(size, -1);
}

void CompleteShape(ModelTensor& tensor, const std::vector<std::int64_t>& inferred) {
  if (!tensor.has_shape) {
    tensor.has_shape = true;
    tensor.shape = inferred;
    tensor.dimension_names.clear();
    return;
  }
  if (tensor.shape.size() != inferred.size()) return;
  for (std::size_t i = 0; i < inferred.size(); ++i) {
    if (tensor.shape[i] < 0) tensor.shape[i] = inferred[i];
  }
}

NodeId GraphAssembler::AddNode(ModelNode node) {
  if (is_exhausted_ && !graph_.nodes_.empty()) return NodeId{0};
  node.name = UniqueName(NameFor(node));
  if (node.scope.empty()) node.scope = ScopeOf(node.name);
  Spend(MemoryOf(node));
  graph_.nodes_.push_back(std::move(node));
  return NodeId{static_cast<std::uint32_t>(graph_.nodes_.size() - 1)};
}

std::string GraphAssembler::NameFor(const ModelNode& node) const {
  if (!node.name.empty()) return node.name;
  const auto named = std::ranges::find_if(node.outputs, [&](TensorId output) {
    return output != kNoTensor && !tensor(output).name.empty();
  });
  if (named != node.outputs.end()) return tensor(*named).name;
  return node.op_type.empty() ? "node" : node.op_type;
}

std::string GraphAssembler::UniqueName(std::string wanted) {
  std::size_t number = node_names_[wanted]++;
  if (number == 0) return wanted;
  // The name with the number may exist too, so the loop tries the next numbers. The number only
  // increases, so all calls together take linear time.
  std::string name = wanted + "_" + std::to_string(number);
  while (!node_names_.try_emplace(name, 1).second) {
    number = node_names_[wanted]++;
    name = wanted + "_" + std::to_string(number);
  }
  return name;
}

// Returns the memory of a node, including unused capacity, its entries in lookup tables and
// consumer lists, and its place in the sorted order.
std::uint64_t GraphAssembler::MemoryOf(const ModelNode& node) const {
  std::uint64_t bytes = 3 * sizeof(ModelNode) + 192 + 2 * node.name.size() + node.op_type.size() +
                        node.domain.size() + node.scope.size();
  for (const auto* ids : {&node.inputs, &node.outputs}) {
    bytes += ids->size() * 4 * sizeof(TensorId);
    // Counts the names of inputs and outputs: listings of a model repeat the name of a tensor at
    // each use.
    for (const TensorId id : *ids) bytes += id == kNoTensor ? 0 : tensor(id).name.size();
  }
  for (const auto& [key, value] : node.attributes) {
    bytes += sizeof(node.attributes[0]) + key.size();
    if (const auto* text = std::get_if<std::string>(&value)) bytes += text->size();
    if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value))
      bytes += 8 * list->size();
    if (const auto* list = std::get_if<std::vector<double>>(&value)) bytes += 8 * list->size();
    if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
      for (const std::string& text : *list) bytes += sizeof(text) + text.size();
    }
  }
  return bytes;
}

// Adds an input or output of the model. Counts the memory of its name and shape, because listings
// of a model repeat them at each use of the tensor.
void GraphAssembler::AddEnd(TensorId id, std::vector<TensorId>& ends) {
  const ModelTensor* end = id == kNoTensor ? nullptr : &tensor(id);
  const std::size_t shown = end == nullptr ? 0 : end->name.size() + 8 * end->shape.size();
  if (Spend(sizeof(id) + shown)) ends.push_back(id);
}

void GraphAssembler::AddMetadata(std::string_view key, std::string value) {
  if (!Spend(2 * (2 * sizeof(std::string) + key.size() + value.size()))) return;
  if (!value.empty()) graph_.metadata_.emplace_back(std::string(key), std::move(value));
}

void GraphAssembler::AddFile(std::shared_ptr<const MappedFile> file) {
  graph_.file_bytes_ += file->bytes().size();
  graph_.files_.push_back(std::move(file));
}

ByteSpan GraphAssembler::Keep(std::string_view bytes) {
  if (bytes.empty() || !Spend(sizeof(void*) + bytes.size())) return {};
  auto& kept = graph_.decoded_.emplace_back(new std::byte[bytes.size()]);
  std::memcpy(kept.get(), bytes.data(), bytes.size());
  return {kept.get(), bytes.size()};
}

// Returns the memory limit, which depends on the size of the file. The description of a typical
// graph takes about ten times its bytes in memory, and files also contain weights. The limit is
// sufficient for a hundred thousand nodes, even if their names are numbers and the file has no
// weights.
std::uint64_t GraphAssembler::MemoryLimit() const {
  constexpr std::uint64_t kAlways = std::uint64_t{192} << 20;
  return kAlways + 16 * graph_.file_bytes_;
}

bool GraphAssembler::Spend(std::uint64_t bytes) {
  const std::uint64_t limit = MemoryLimit();
  if (bytes > limit || (spent_bytes_ += bytes) > limit) is_exhausted_ = true;
  return !is_exhausted_;
}

Result<void> GraphAssembler::CheckMemory() const {
  if (!is_exhausted_) return {};
  return Fail(ErrorCode::kResourceExhausted,
              "the model needs more than " + HumanBytes(static_cast<double>(MemoryLimit())) +
                  " of memory for its nodes and tensors, although its file has only " +
                  HumanBytes(static_cast<double>(graph_.file_bytes_)));
}

Result<void> GraphAssembler::FillProducers() {
  for (std::size_t i = 0; i < graph_.nodes_.size(); ++i) {
    for (const TensorId output : graph_.nodes_[i].outputs) {
      if (output == kNoTensor) continue;
      ModelTensor& produced = tensor(output);
      if (produced.producer != kNoNode || produced.is_constant) {
        return Fail(ErrorCode::kInvalidArgument,
                    "tensor " + Quoted(produced.name) + " is produced by node " +
                        Quoted(graph_.nodes_[i].name) + " and " +
                        (produced.is_constant
                             ? "is also stored as a constant; export the model again"
                             : "also by node " + Quoted(graph_.node(produced.producer).name) +
                                   "; export the model again"));
      }
      produced.producer = NodeId{static_cast<std::uint32_t>(i)};
    }
  }
  return {};
}

Result<void> GraphAssembler::Sort() {
  CBOARD_RETURN_IF_ERROR(CheckMemory());
  CBOARD_RETURN_IF_ERROR(FillProducers());
  std::vector<ModelNode>& nodes = graph_.nodes_;
  std::vector<std::vector<std::uint32_t>> followers(nodes.size());
  std::vector<std::uint32_t> waiting_for(nodes.size(), 0);
  const auto add_edge = [&](std::size_t from, std::size_t to) {
    followers[from].push_back(static_cast<std::uint32_t>(to));
    ++waiting_for[to];
  };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const TensorId input : nodes[i].inputs) {
      if (input == kNoTensor || tensor(input).producer == kNoNode) continue;
      const std::size_t producer = IndexOf(tensor(input).producer);
      if (!breaks_cycles_.contains(producer)) add_edge(producer, i);
    }
    // A node needs the inputs that its subgraph takes from outside, so the nodes of the subgraph
    // are sorted before the node.
    if (nodes[i].parent != kNoNode) add_edge(i, IndexOf(nodes[i].parent));
  }

  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (waiting_for[i] == 0) ready.push(static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint32_t> new_index(nodes.size(), 0);
  std::vector<ModelNode> sorted;
  sorted.reserve(nodes.size());
  std::vector<bool> is_sorted(nodes.size(), false);
  while (!ready.empty()) {
    const std::uint32_t next = ready.top();
    ready.pop();
    is_sorted[next] = true;
    new_index[next] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(nodes[next]));
    for (const std::uint32_t follower : followers[next]) {
      if (--waiting_for[follower] == 0) ready.push(follower);
    }
  }
  if (sorted.size() < nodes.size()) {
    const auto stuck = std::ranges::find(is_sorted, false) - is_sorted.begin();
    return Fail(ErrorCode::kInvalidArgument,
                "the graph has a cycle: node " +
                    Quoted(nodes[static_cast<std::size_t>(stuck)].name) +
                    " depends on its own output");
  }
  nodes = std::move(sorted);
  for (ModelNode& node : nodes) {
    if (node.parent != kNoNode) node.parent = NodeId{new_index[IndexOf(node.parent)]};
  }
  for (ModelTensor& produced : graph_.tensors_) {
    if (produced.producer != kNoNode) {
      produced.producer = NodeId{new_index[IndexOf(produced.producer)]};
    }
  }
  return {};
}

std::vector<bool> GraphAssembler::FindStored() const {
  std::vector<bool> is_stored(graph_.tensors_.size(), false), is_used(is_stored);
  for (std::size_t i = 0; i < is_stored.size(); ++i) {
    is_stored[i] = graph_.tensors_[i].source != kNoTensor;
  }
  for (const ModelNode& node : graph_.nodes_) {
    for (const TensorId input : node.inputs) {
      if (input != kNoTensor) is_used[IndexOf(input)] = true;
    }
  }
  for (const ModelNode& node : graph_.nodes_) {
    const bool is_constant = !node.inputs.empty() && std::ranges::all_of(node.inputs, [&](auto id) {
      return id == kNoTensor || is_stored[IndexOf(id)];
    });
    if (!is_constant) continue;
    for (const TensorId output : node.outputs) {
      if (output != kNoTensor && is_used[IndexOf(output)]) is_stored[IndexOf(output)] = true;
    }
  }
  return is_stored;
}

void GraphAssembler::CountBytes() {
  const std::vector<bool> is_stored = FindStored();
  const auto holds_stored = [&](TensorId id) { return id != kNoTensor && is_stored[IndexOf(id)]; };
  std::vector<bool> is_claimed(graph_.tensors_.size(), false);
  std::vector<bool> is_followed(graph_.nodes_.size(), false);
  std::vector<TensorId> todo;
  for (ModelNode& node : graph_.nodes_) {
    const bool passes_constants_on =
        !node.outputs.empty() && std::ranges::all_of(node.outputs, [&](TensorId output) {
          return output == kNoTensor || holds_stored(output);
        });
    if (passes_constants_on) continue;  // Counted at the nodes that use the values.
    std::ranges::copy_if(node.inputs, std::back_inserter(todo), holds_stored);
    while (!todo.empty()) {
      const TensorId id = todo.back();
      todo.pop_back();
      if (is_claimed[IndexOf(id)]) continue;
      is_claimed[IndexOf(id)] = true;
      const ModelTensor& claimed = tensor(id);
      if (claimed.is_constant) node.weight_bytes += claimed.stored_bytes();
      if (claimed.producer == kNoNode || is_followed[IndexOf(claimed.producer)]) continue;
      is_followed[IndexOf(claimed.producer)] = true;
      std::ranges::copy_if(graph_.node(claimed.producer).inputs, std::back_inserter(todo),
                           holds_stored);
    }
  }
  for (ModelNode& node : graph_.nodes_) {
    std::uint64_t bytes = 0;
    bool known = true;
    for (const TensorId output : node.outputs) {
      if (output == kNoTensor) continue;
      const std::optional<std::uint64_t> size = BytesOfOneSample(tensor(output));
      known = known && size && !__builtin_add_overflow(bytes, *size, &bytes);
    }
    if (known) node.output_bytes = bytes;
    node.macs = CountMacs(graph_.format_, node, graph_.tensors_);
  }
}

void GraphAssembler::BuildLookups() {
  const std::size_t tensor_count = graph_.tensors_.size();
  std::vector<std::vector<NodeId>> consumers(tensor_count);
  for (std::size_t i = 0; i < graph_.nodes_.size(); ++i) {
    const NodeId id{static_cast<std::uint32_t>(i)};
    graph_.nodes_by_name_.emplace(graph_.nodes_[i].name, id);
    for (const TensorId input : graph_.nodes_[i].inputs) {
      if (input == kNoTensor) continue;
      std::vector<NodeId>& list = consumers[IndexOf(input)];
      if (list.empty() || list.back() != id) list.push_back(id);
    }
  }
  graph_.consumer_begins_.reserve(tensor_count + 1);
  for (std::size_t i = 0; i < tensor_count; ++i) {
    graph_.tensors_by_name_.emplace(graph_.tensors_[i].name,
                                    TensorId{static_cast<std::uint32_t>(i)});
    graph_.consumer_begins_.push_back(static_cast<std::uint32_t>(graph_.consumers_.size()));
    graph_.consumers_.insert(graph_.consumers_.end(), consumers[i].begin(), consumers[i].end());
  }
  graph_.consumer_begins_.push_back(static_cast<std::uint32_t>(graph_.consumers_.size()));
}

Result<ModelGraph> GraphAssembler::Finish() {
  CBOARD_RETURN_IF_ERROR(CheckMemory());
  // Ids have 32 bits. No real model has more tensors or nodes than that.
  if (graph_.tensors_.size() >= IndexOf(kNoTensor) || graph_.nodes_.size() >= IndexOf(kNoNode)) {
    return Fail(ErrorCode::kResourceExhausted, "the model has more than 4 billion tensors");
  }
  tensors_by_name_ = {};
  tensor_numbers_ = {};
  node_names_ = {};
  CountBytes();
  BuildLookups();
  return std::move(graph_);
}

}  // namespace cboard::model
