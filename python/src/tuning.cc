// Python bindings for TuningLogger, and for the configuration that enables it.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cboard/compression/tuning_config.h"
#include "cboard/compression/tuning_logger.h"
#include "errors.h"
#include "tensor_arg.h"
#include "text.h"
#include "unlocked.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

// Settings of a tuning. The type bool is listed before float, because Python's True is also a
// number.
using Settings = std::vector<std::pair<std::string, std::variant<bool, double, std::string>>>;
using FusedGroups = std::vector<std::pair<std::string, std::vector<std::string>>>;

compression::TrialSettings SettingsOf(const Settings& settings) {
  compression::TrialSettings result;
  for (const auto& [name, value] : settings) {
    std::visit([&](const auto& given) { result.emplace_back(name, writer::HParam(given)); }, value);
  }
  return result;
}

compression::FusedOps FusedOf(const FusedGroups& groups) {
  compression::FusedOps fused;
  for (const auto& [group, members] : groups) fused.Add(group, members);
  return fused;
}

compression::TuningOptions OptionsOf(const std::string& directory, bool enabled,
                                     const std::string& naming, const std::string& earlier) {
  compression::TuningOptions options;
  options.directory = directory;
  options.enabled = enabled;
  if (naming == "pytorch") {
    options.naming = compression::TrialNaming::kPyTorch;
  } else if (naming != "tensorflow") {
    throw nb::value_error("naming is 'tensorflow' (tune_1_acc_0.79) or 'pytorch' (tune_1_acc0.79)");
  }
  if (earlier == "continue") {
    options.earlier = compression::ExistingTrials::kContinue;
  } else if (earlier == "refuse") {
    options.earlier = compression::ExistingTrials::kRefuse;
  } else if (earlier != "move_aside") {
    throw nb::value_error("earlier is 'move_aside', 'continue' or 'refuse'");
  }
  return options;
}

// Runs `work` without the GIL and raises its error with the GIL.
template <typename Work>
auto WithoutLock(const Work& work) {
  decltype(work()) result;
  {
    const Unlocked unlocked;
    result = work();
  }
  return Unwrap(std::move(result));
}

// Returns (number, directory, tags, [(what, reason)]).
nb::tuple ToPython(const compression::TrialReport& report) {
  nb::list omitted;
  for (const compression::Omission& omission : report.omitted) {
    omitted.append(nb::make_tuple(omission.what, omission.reason));
  }
  return nb::make_tuple(report.number, report.directory.string(), report.tags, omitted);
}

nb::tuple ReadConfig(const std::string& path) {
  const compression::TuningConfig config = Unwrap(compression::ReadTuningConfig(path));
  nb::dict settings;
  for (const auto& [name, value] : config.settings) {
    std::visit([&](const auto& given) { settings[name.c_str()] = given; }, value);
  }
  return nb::make_tuple(config.tensorboard, settings);
}

}  // namespace

void BindTuning(nb::module_& module) {
  nb::class_<TuningLogger>(module, "TuningLogger")
      .def(
          "__init__",
          [](TuningLogger* self, const std::string& directory, bool enabled,
             const std::string& naming, const std::string& earlier) {
            new (self) TuningLogger(OptionsOf(directory, enabled, naming, earlier));
          },
          nb::arg("directory"), nb::arg("enabled"), nb::arg("naming"), nb::arg("earlier"))
      .def("start_trial",
           [](TuningLogger& self, const Settings& settings, const FusedGroups& fused) {
             WithoutLock([&] { return self.StartTrial(SettingsOf(settings), FusedOf(fused)); });
           })
      .def("add_graph",
           [](TuningLogger& self, const nb::bytes& graph_def) {
             const std::string_view bytes(graph_def.c_str(), graph_def.size());
             WithoutLock([&] { return self.AddGraph(bytes); });
           })
      .def("add_output",
           [](TuningLogger& self, const std::string& op, nb::handle batch,
              const std::string& precision) {
             const TensorArg tensor(batch);
             WithoutLock([&] { return self.AddOutput(op, tensor.view(), precision); });
           })
      .def(
          "add_parameter",
          [](TuningLogger& self, const std::string& op, const std::string& parameter,
             nb::handle values, const std::string& precision) {
            const TensorArg tensor(values);
            WithoutLock([&] { return self.AddParameter(op, parameter, tensor.view(), precision); });
          })
      .def("add_tensorflow_graph",
           [](TuningLogger& self, const std::string& path) {
             WithoutLock([&] { return self.AddTensorFlowGraph(path); });
           })
      .def("add_node_output",
           [](TuningLogger& self, const std::string& node, nb::handle first_batch) {
             const TensorArg tensor(first_batch);
             WithoutLock([&] { return self.AddNodeOutput(node, tensor.view()); });
           })
      .def("finish_trial",
           [](TuningLogger& self, const std::vector<double>& accuracies) {
             return ToPython(WithoutLock([&] { return self.FinishTrial(accuracies); }));
           })
      .def("abandon_trial",
           [](TuningLogger& self, const std::string& reason) {
             return WithoutLock([&] { return self.AbandonTrial(reason); }).string();
           })
      .def_prop_ro("in_trial", &TuningLogger::in_trial)
      .def_prop_ro("enabled", &TuningLogger::enabled)
      .def_prop_ro("trial_number", &TuningLogger::trial_number);
  module.def("read_tuning_config", ReadConfig);
}

}  // namespace cboard::python
