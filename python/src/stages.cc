// Python bindings for the stages of quantization: graphs, statistics, similarity.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <deque>

#include "bindings.h"
#include "cboard/compression/stage_logger.h"
#include "cboard/compression/stage_names.h"
#include "errors.h"
#include "tensor_arg.h"
#include "text.h"
#include "unlocked.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

// The type bool is listed before int, because every Python bool is also an int.
using Attribute = std::variant<bool, std::int64_t, double, std::string>;
using Attributes = std::map<std::string, Attribute>;

compression::StageAttributes ToAttributes(const Attributes& attributes) {
  compression::StageAttributes result;
  for (const auto& [key, value] : attributes) {
    result.emplace_back(
        key, std::visit([](const auto& v) { return compression::StageAttribute(v); }, value));
  }
  return result;
}

compression::StageNode MakeNode(std::string name, std::string op,
                                const std::vector<std::pair<std::string, std::int64_t>>& inputs,
                                std::vector<std::vector<std::int64_t>> output_shapes,
                                const Attributes& attributes, const Attributes& weights,
                                const Attributes& activation, std::uint64_t float_parameters,
                                std::uint64_t quantized_parameters, int weight_bits) {
  compression::StageNode node{.name = std::move(name),
                              .op = std::move(op),
                              .output_shapes = std::move(output_shapes),
                              .attributes = ToAttributes(attributes),
                              .weights = ToAttributes(weights),
                              .activation = ToAttributes(activation),
                              .float_parameters = float_parameters,
                              .quantized_parameters = quantized_parameters,
                              .weight_bits = weight_bits};
  for (const auto& [input, output] : inputs) node.inputs.push_back({input, output});
  return node;
}

void AddOutput(compression::OutputStatistics& self, nb::handle output) {
  const TensorArg tensor(output);
  Result<void> added;
  {
    const Unlocked unlocked;
    added = self.Add(tensor.view());
  }
  Unwrap(std::move(added));
}

void AddSample(compression::ModelSimilarity& self,
               const std::vector<std::tuple<std::string, nb::object, nb::object>>& points) {
  std::deque<TensorArg> tensors;  // A deque does not move its elements.
  std::vector<compression::ComparePoint> list;
  for (const auto& [layer, reference, compressed] : points) {
    const TensorView& a = tensors.emplace_back(reference).view();
    list.push_back({layer, a, tensors.emplace_back(compressed).view()});
  }
  Result<void> added;
  {
    const Unlocked unlocked;
    added = self.AddSample(list);
  }
  Unwrap(std::move(added));
}

template <typename Work>
void WithoutLock(Work&& work) {
  Result<void> done;
  {
    const Unlocked unlocked;
    done = work();
  }
  Unwrap(std::move(done));
}

void LogBitWidths(
    StageLogger& self,
    const std::vector<std::tuple<std::string, std::string, std::optional<int>, std::optional<int>>>&
        layers) {
  std::vector<compression::LayerBits> list;
  for (const auto& [layer, op, weights, activation] : layers) {
    list.push_back({layer, op, weights, activation});
  }
  WithoutLock([&] { return self.LogBitWidths(list); });
}

}  // namespace

void BindStages(nb::module_& module) {
  module.def("set_log_folder",
             [](const std::string& folder) { return Unwrap(SetLogFolder(folder)).string(); });
  module.def("log_folder", []() -> std::optional<std::string> {
    const auto folder = compression::LogFolder();
    return folder ? std::optional(folder->string()) : std::nullopt;
  });
  module.def("stage_names", [] {
    const auto names = compression::StageNames();
    return std::vector<std::string>(names.begin(), names.end());
  });

  nb::class_<compression::StageNode>(module, "StageNode")
      .def("__init__",
           [](compression::StageNode* self, std::string name, std::string op,
              const std::vector<std::pair<std::string, std::int64_t>>& inputs,
              std::vector<std::vector<std::int64_t>> output_shapes, const Attributes& attributes,
              const Attributes& weights, const Attributes& activation,
              std::uint64_t float_parameters, std::uint64_t quantized_parameters, int weight_bits) {
             new (self) compression::StageNode(MakeNode(
                 std::move(name), std::move(op), inputs, std::move(output_shapes), attributes,
                 weights, activation, float_parameters, quantized_parameters, weight_bits));
           });

  nb::class_<compression::OutputStatistics>(module, "OutputStatistics")
      .def(nb::init<std::size_t>(), nb::arg("channel_axis") = 1)
      .def("add", AddOutput)
      .def_prop_ro("count", [](const compression::OutputStatistics& s) { return s.total().count; })
      .def_prop_ro("non_finite_count",
                   [](const compression::OutputStatistics& s) {
                     return s.total().count - s.total().finite_count();
                   })
      .def("channels", [](const compression::OutputStatistics& s) {
        std::vector<std::tuple<double, double, double>> channels;  // Minimum, maximum and mean.
        for (const tensor::TensorStatistics& c : s.channels()) {
          channels.emplace_back(c.min, c.max, c.sum / static_cast<double>(c.finite_count()));
        }
        return channels;
      });

  nb::class_<compression::ModelSimilarity>(module, "ModelSimilarity")
      .def(nb::init<std::size_t>(), nb::arg("channel_axis") = 1)
      .def("add_sample", AddSample)
      .def_prop_ro("layers", [](const compression::ModelSimilarity& s) { return s.layers(); })
      .def_prop_ro("samples", [](const compression::ModelSimilarity& s) { return s.samples(); })
      .def_prop_ro("mean_cosines", &compression::ModelSimilarity::MeanCosines);

  nb::class_<StageLogger>(module, "StageLogger")
      .def_prop_ro("directory", [](const StageLogger& self) { return self.directory().string(); })
      .def("log_graph",
           [](StageLogger& self, const std::string& stage, const std::string& name,
              const std::vector<compression::StageNode>& nodes) {
             const compression::StageGraph graph{.name = name, .nodes = nodes};
             WithoutLock([&] { return self.LogGraph(stage, graph); });
           })
      .def("log_statistics",
           [](StageLogger& self, const std::string& stage, const std::string& layer,
              const compression::OutputStatistics& statistics) {
             WithoutLock([&] { return self.LogStatistics(stage, layer, statistics); });
           })
      .def("log_similarity",
           [](StageLogger& self, const compression::ModelSimilarity& similarity,
              const std::string& stage) {
             WithoutLock([&] { return self.LogSimilarity(similarity, stage); });
           })
      .def("log_local_errors",
           [](StageLogger& self, const compression::ModelSimilarity& local,
              const std::string& stage) {
             WithoutLock([&] { return self.LogLocalErrors(local, stage); });
           })
      .def("log_bit_widths", LogBitWidths)
      .def("flush", [](StageLogger& self) { WithoutLock([&] { return self.Flush(); }); })
      .def("close", [](StageLogger& self) { WithoutLock([&] { return self.Close(); }); });
  // If the directory is empty, the directory of set_log_folder is used.
  module.def("open_stage_logger", [](const std::string& directory, const std::string& model) {
    compression::StageLoggerOptions options{.model = model};
    return Unwrap(directory.empty() ? StageLogger::Open(std::move(options))
                                    : StageLogger::OpenIn(directory, std::move(options)));
  });
}

}  // namespace cboard::python
