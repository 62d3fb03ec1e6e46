// Python bindings for the comparison of two model files.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <deque>

#include "bindings.h"
#include "cboard/compare/compare_models.h"
#include "cboard/compare/comparison_json.h"
#include "cboard/compare/comparison_log.h"
#include "cboard/compare/computed_outputs.h"
#include "cboard/compare/model_comparison.h"
#include "errors.h"
#include "tensor_arg.h"
#include "text.h"
#include "unlocked.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

// Returns the comparison as JSON; also logs it if `logdir` is not empty.
std::string CompareFiles(const std::string& baseline, const std::string& variant,
                         const std::string& data, const model::InputShapes& shapes,
                         std::optional<std::size_t> samples, const std::string& logdir,
                         std::size_t verify) {
  Result<std::string> json;
  {
    const Unlocked unlocked;
    json = [&]() -> Result<std::string> {
      CBOARD_ASSIGN_OR_RETURN(const compare::ModelComparison comparison,
                              compare::CompareModels(baseline, variant,
                                                     {.data = data,
                                                      .shapes = shapes,
                                                      .samples = samples,
                                                      .histograms = !logdir.empty(),
                                                      .verify = verify}));
      if (!logdir.empty()) CBOARD_RETURN_IF_ERROR(compare::LogComparison(comparison, logdir));
      return compare::ToJson(comparison);
    }();
  }
  return Unwrap(std::move(json));
}

std::vector<runtime::NamedTensor> NamedTensorsIn(nb::handle pairs, std::deque<TensorArg>& values) {
  std::vector<runtime::NamedTensor> tensors;
  for (const nb::handle entry : pairs) {
    const auto pair = nb::cast<nb::tuple>(entry);
    values.emplace_back(pair[1]);
    tensors.push_back({nb::cast<std::string>(pair[0]), values.back().view()});
  }
  return tensors;
}

// `samples` contains, for each sample, the [(tensor, values)] of the baseline and of the variant.
// Returns the comparison as JSON. If a log directory is given, also logs the comparison.
std::string CompareComputed(const std::string& baseline, const std::string& variant,
                            const nb::sequence& samples, const std::string& source,
                            const std::string& logdir) {
  std::deque<TensorArg> values;  // Outlives the views in `outputs`.
  compare::ComputedOutputs outputs{.samples = {}, .source = source};
  for (const nb::handle entry : samples) {
    const auto sides = nb::cast<nb::tuple>(entry);
    outputs.samples.push_back({NamedTensorsIn(sides[0], values), NamedTensorsIn(sides[1], values)});
  }
  Result<std::string> json;
  {
    const Unlocked unlocked;
    json = [&]() -> Result<std::string> {
      CBOARD_ASSIGN_OR_RETURN(
          const compare::ModelComparison comparison,
          compare::CompareComputed(baseline, variant, outputs, {.histograms = !logdir.empty()}));
      if (!logdir.empty()) CBOARD_RETURN_IF_ERROR(compare::LogComparison(comparison, logdir));
      return compare::ToJson(comparison);
    }();
  }
  return Unwrap(std::move(json));
}

}  // namespace

void BindComparison(nb::module_& module) {
  module.def("compare_models", CompareFiles, nb::arg("baseline"), nb::arg("variant"),
             nb::arg("data"), nb::arg("shapes"), nb::arg("samples").none(), nb::arg("logdir"),
             nb::arg("verify"));
  module.def("compare_computed", CompareComputed, nb::arg("baseline"), nb::arg("variant"),
             nb::arg("samples"), nb::arg("source"), nb::arg("logdir"));
}

}  // namespace cboard::python
