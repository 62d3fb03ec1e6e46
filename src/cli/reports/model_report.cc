#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <numeric>
#include <tuple>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cli/reports/node_json.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

constexpr std::size_t kMaxTensorNameWidth = 80;

std::string Bytes(std::uint64_t bytes) { return HumanBytes(static_cast<double>(bytes)); }

std::string ShapeText(const model::ModelTensor& tensor) {
  if (!tensor.has_shape) return "?";
  std::string text = "[";
  for (const std::int64_t size : tensor.shape) {
    if (text.size() > 1) text += ", ";
    text += size < 0 ? "?" : std::to_string(size);
  }
  return text + "]";
}

// Formats a shape with the names that the file gives to unknown sizes: "[batch, 3, ?, ?]".
std::string DeclaredShapeText(const model::ModelTensor& tensor) {
  if (!tensor.has_shape || tensor.dimension_names.empty()) return ShapeText(tensor);
  std::string text;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const bool is_open = tensor.shape[i] < 0;
    const std::string name = Printable(Shortened(tensor.dimension_names[i], kMaxTensorNameWidth));
    text += (i > 0 ? ", " : "[");
    text += !is_open ? std::to_string(tensor.shape[i]) : name.empty() ? "?" : name;
  }
  return text + "]";
}

// Returns true if the batch size of the model is 1 or any number. Only the first input decides,
// because other inputs may be states, whose first dimension has another meaning.
bool TakesOneSample(const model::ModelGraph& model) {
  if (model.inputs().empty()) return true;
  const std::vector<std::int64_t>& shape = model.tensor(model.inputs()[0]).shape;
  return shape.empty() || shape[0] <= 1;
}

// Returns true if an input has unknown sizes besides the batch size. The user must give these
// sizes.
bool HasOpenInputs(const model::ModelGraph& model) {
  return std::ranges::any_of(model.inputs(), [&](model::TensorId id) {
    const model::ModelTensor& input = model.tensor(id);
    return !input.has_shape ||
           std::ranges::any_of(input.shape.begin() + (input.shape.empty() ? 0 : 1),
                               input.shape.end(), [](std::int64_t size) { return size < 0; });
  });
}

std::string WorkText(const model::ModelGraph& model, std::uint64_t macs,
                     std::uint64_t uncounted_nodes) {
  if (macs == 0 && uncounted_nodes == 0) return {};
  std::string text = ", " + (macs == 0 ? "unknown" : HumanWork(macs)) +
                     " multiply-accumulates for " +
                     (TakesOneSample(model) ? "one sample" : "inputs of these shapes");
  if (uncounted_nodes == 0) return text;
  text += (macs == 0 ? " in " : " without ") + Plural(uncounted_nodes, "node") +
          " of unknown shape or kind";
  if (HasOpenInputs(model)) text += " (give the shapes of inputs by --shape)";
  return text;
}

std::uint64_t ElementsOf(const model::ModelTensor& tensor) {
  std::uint64_t count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<std::uint64_t>(size);
  return count;
}

std::string StoredAs(const model::ModelTensor& tensor) {
  return std::string(NameOf(tensor.type)) + (tensor.is_sparse() ? ", sparse" : "");
}

std::string_view GranularityOf(const model::ModelQuantization& quantization) {
  switch (quantization.granularity) {
    case Quantization::Granularity::kPerTensor:
      return "per tensor";
    case Quantization::Granularity::kPerChannel:
      return "per channel";
    case Quantization::Granularity::kPerGroup:
      return "per group";
  }
  return "";
}

// Sums over the constants and nodes of a model.
struct Totals {
  std::uint64_t constants = 0, elements = 0, bytes = 0, macs = 0;
  std::uint64_t uncounted_nodes = 0;  // Nodes with unknown multiply-accumulates.
};

Totals TotalsOf(const model::ModelGraph& model) {
  Totals totals;
  for (const model::ModelTensor& tensor : model.tensors()) {
    if (!tensor.is_constant) continue;
    ++totals.constants;
    totals.elements += ElementsOf(tensor);
    totals.bytes += tensor.stored_bytes();
  }
  for (const model::ModelNode& node : model.nodes()) {
    totals.macs += node.macs.value_or(0);
    if (!node.macs) ++totals.uncounted_nodes;
  }
  return totals;
}

std::string WorkOf(const std::optional<std::uint64_t>& macs) {
  if (!macs) return "?";
  return *macs == 0 ? "" : HumanWork(*macs);
}

void AppendHeads(std::string_view title, const model::ModelGraph& model,
                 const std::vector<model::TensorId>& ids, std::string& text) {
  for (const model::TensorId id : ids) {
    const model::ModelTensor& tensor = model.tensor(id);
    text += std::string(title) + " " + Quoted(tensor.name, kMaxTensorNameWidth) + " " +
            std::string(NameOf(tensor.type)) + " " + DeclaredShapeText(tensor) + "\n";
  }
}

void AppendTable(const TextTable& table, std::string& text) {
  if (!table.empty()) text += "\n" + table.Render();
}

void AppendOperators(const model::ModelGraph& model, std::string& text) {
  struct Row {
    std::size_t nodes = 0;
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> macs = 0;
  };
  std::map<std::string, Row> rows;
  for (const model::ModelNode& node : model.nodes()) {
    Row& row = rows[node.domain.empty() ? node.op_type : node.domain + "." + node.op_type];
    ++row.nodes;
    row.bytes += node.weight_bytes;
    row.macs = row.macs && node.macs ? std::optional(*row.macs + *node.macs) : std::nullopt;
  }
  std::vector<std::pair<std::string, Row>> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const auto& row) { return row.second.bytes; });
  TextTable table({{"operator"},
                   {"nodes", Align::kRight},
                   {"weights", Align::kRight},
                   {"multiply-accumulates", Align::kRight}});
  for (const auto& [op, row] : sorted) {
    table.AddRow({Shortened(op, kMaxTensorNameWidth), HumanCount(row.nodes),
                  row.bytes == 0 ? "" : Bytes(row.bytes), WorkOf(row.macs)});
  }
  AppendTable(table, text);
}

void AppendTypes(const model::ModelGraph& model, const Totals& totals, std::string& text) {
  struct Row {
    std::size_t tensors = 0;
    std::uint64_t elements = 0, bytes = 0;
  };
  std::map<std::tuple<DType, std::string, std::string>, Row> rows;
  for (const model::ModelTensor& tensor : model.tensors()) {
    if (!tensor.is_constant) continue;
    std::string how;
    if (tensor.quantization) {
      how = std::to_string(tensor.quantization->bits()) + " bit " +
            std::string(GranularityOf(*tensor.quantization));
      if (tensor.quantization->group_size > 0) {
        how += " of " + std::to_string(tensor.quantization->group_size);
      }
      how += ", " + std::string(NameOf(tensor.quantization->origin));
    }
    Row& row = rows[{tensor.type, StoredAs(tensor), how}];
    ++row.tensors;
    row.elements += ElementsOf(tensor);
    row.bytes += tensor.stored_bytes();
  }
  std::vector<std::pair<decltype(rows)::key_type, Row>> sorted(rows.begin(), rows.end());
  std::ranges::stable_sort(sorted, std::greater(),
                           [](const auto& row) { return row.second.bytes; });
  TextTable table({{"stored as"},
                   {"quantization"},
                   {"constants", Align::kRight},
                   {"elements", Align::kRight},
                   {"bytes", Align::kRight},
                   {"share", Align::kRight}});
  for (const auto& [key, row] : sorted) {
    const auto& [type, stored_as, how] = key;
    std::array<char, 32> share;
    std::snprintf(share.data(), share.size(), "%.1f %%",
                  totals.bytes == 0
                      ? 0.0
                      : 100.0 * static_cast<double>(row.bytes) / static_cast<double>(totals.bytes));
    table.AddRow({stored_as, how, HumanCount(row.tensors), HumanCount(row.elements),
                  Bytes(row.bytes), share.data()});
  }
  AppendTable(table, text);
}

// Returns the positions of the `top` largest items, largest first.
template <typename Item, typename SizeOf>
std::vector<std::size_t> Largest(const std::vector<Item>& items, std::size_t top,
                                 const SizeOf& size_of) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return size_of(items[i]) == 0; });
  const std::size_t count = std::min(top, order.size());
  std::ranges::partial_sort(order, order.begin() + static_cast<std::ptrdiff_t>(count),
                            [&](std::size_t a, std::size_t b) {
                              const auto left = size_of(items[a]), right = size_of(items[b]);
                              return left != right ? left > right : a < b;
                            });
  order.resize(count);
  return order;
}

void AppendLargestNodes(const model::ModelGraph& model, std::size_t top, std::string& text) {
  TextTable table({{"largest nodes"},
                   {"operator"},
                   {"weights", Align::kRight},
                   {"multiply-accumulates", Align::kRight},
                   {"output"}});
  for (const std::size_t i : Largest(
           model.nodes(), top, [](const model::ModelNode& node) { return node.weight_bytes; })) {
    const model::ModelNode& node = model.nodes()[i];
    const bool has_output = !node.outputs.empty() && node.outputs[0] != model::kNoTensor;
    table.AddRow({Shortened(node.name, kMaxTensorNameWidth),
                  Shortened(node.op_type, kMaxTensorNameWidth), Bytes(node.weight_bytes),
                  WorkOf(node.macs), has_output ? ShapeText(model.tensor(node.outputs[0])) : ""});
  }
  AppendTable(table, text);
}

void AppendLargestTensors(const model::ModelGraph& model, std::size_t top, std::string& text) {
  TextTable table({{"largest tensors"}, {"stored as"}, {"shape"}, {"bytes", Align::kRight}});
  for (const std::size_t i : Largest(model.tensors(), top, [](const model::ModelTensor& tensor) {
         return tensor.stored_bytes();
       })) {
    const model::ModelTensor& tensor = model.tensors()[i];
    table.AddRow({Shortened(tensor.name, kMaxTensorNameWidth), StoredAs(tensor), ShapeText(tensor),
                  Bytes(tensor.stored_bytes())});
  }
  AppendTable(table, text);
}

void WriteTensor(const model::ModelTensor& tensor, JsonWriter& json) {
  json.BeginObject();
  json.Key("name").Value(tensor.name);
  json.Key("type").Value(NameOf(tensor.type));
  WriteShape(tensor, json.Key("shape"));
  if (tensor.is_constant) {
    json.Key("bytes").Value(tensor.stored_bytes());
    json.Key("sparse").Value(tensor.is_sparse());
  }
  json.Key("quantization");
  if (tensor.quantization) {
    const model::ModelQuantization& quantization = *tensor.quantization;
    json.BeginObject();
    json.Key("origin").Value(NameOf(quantization.origin));
    json.Key("bits").Value(quantization.bits());
    json.Key("granularity").Value(GranularityOf(quantization));
    json.Key("axis").Value(quantization.axis);
    json.Key("group_size").Value(quantization.group_size);
    json.Key("scale_count").Value(quantization.scales.size());
    if (!quantization.scales.empty()) {
      const auto [min, max] = std::ranges::minmax(quantization.scales);
      json.Key("min_scale").Value(min);
      json.Key("max_scale").Value(max);
    }
    json.EndObject();
  } else {
    json.Null();
  }
  json.EndObject();
}

}  // namespace

std::string HumanWork(std::uint64_t operations) {
  constexpr std::array<const char*, 6> kUnits = {" k", " M", " G", " T", " P", " E"};
  if (operations < 1000) return std::to_string(operations);
  double value = static_cast<double>(operations);
  std::size_t unit = 0;
  for (value /= 1000; value >= 999.5 && unit + 1 < kUnits.size(); value /= 1000) ++unit;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g%s", value, kUnits[unit]);
  return text.data();
}

std::string ModelText(std::string_view name, const model::ModelGraph& model, std::size_t top) {
  const Totals totals = TotalsOf(model);
  std::string text = Quoted(name, 1000) + ": " + std::string(NameOf(model.format())) + ", " +
                     Bytes(model.file_bytes()) + ", ";
  if (!model.nodes().empty()) text += Plural(model.nodes().size(), "node") + ", ";
  text += Plural(totals.constants, "constant") + " of " + HumanCount(totals.elements) +
          " elements in " + Bytes(totals.bytes) +
          WorkText(model, totals.macs, totals.uncounted_nodes) + "\n";
  for (const auto& [key, value] : model.metadata()) {
    text +=
        Shortened(key, kMaxTensorNameWidth) + ": " + Shortened(value, kMaxTensorNameWidth) + "\n";
  }
  AppendHeads("input", model, model.inputs(), text);
  AppendHeads("output", model, model.outputs(), text);
  AppendOperators(model, text);
  AppendTypes(model, totals, text);
  if (model.nodes().empty()) {
    AppendLargestTensors(model, top, text);
  } else {
    AppendLargestNodes(model, top, text);
  }
  return text;
}

std::string ModelJson(std::string_view name, const model::ModelGraph& model) {
  const Totals totals = TotalsOf(model);
  JsonWriter json(NonFinite::kAsNull);
  json.BeginObject();
  json.Key("path").Value(name);
  json.Key("format").Value(NameOf(model.format()));
  json.Key("file_bytes").Value(model.file_bytes());
  json.Key("metadata").BeginArray();
  for (const auto& [key, value] : model.metadata()) {
    json.BeginObject().Key("key").Value(key).Key("value").Value(value).EndObject();
  }
  json.EndArray();
  json.Key("totals").BeginObject();
  json.Key("nodes").Value(model.nodes().size());
  json.Key("constants").Value(totals.constants);
  json.Key("elements").Value(totals.elements);
  json.Key("weight_bytes").Value(totals.bytes);
  json.Key("macs").Value(totals.macs);
  json.Key("nodes_without_macs").Value(totals.uncounted_nodes);
  json.EndObject();
  for (const bool is_input : {true, false}) {
    json.Key(is_input ? "inputs" : "outputs").BeginArray();
    for (const model::TensorId id : is_input ? model.inputs() : model.outputs()) {
      WriteTensor(model.tensor(id), json);
    }
    json.EndArray();
  }
  json.Key("nodes").BeginArray();
  for (const model::ModelNode& node : model.nodes()) WriteNode(model, node, json);
  json.EndArray();
  json.Key("constants").BeginArray();
  for (const model::ModelTensor& tensor : model.tensors()) {
    if (tensor.is_constant) WriteTensor(tensor, json);
  }
  json.EndArray();
  json.EndObject();
  return json.Take() + "\n";
}

}  // namespace cboard::cli
