// The comparison of two model files.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cboard/compare/compare_models.h"
#include "cboard/compare/comparison_json.h"
#include "cboard/compare/comparison_log.h"
#include "cboard/compare/model_comparison.h"
#include "errors.h"
#include "text.h"
#include "unlocked.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

// Returns the comparison as JSON; logs it, too, if `logdir` is not empty.
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

}  // namespace

void BindComparison(nb::module_& module) {
  module.def("compare_models", CompareFiles, nb::arg("baseline"), nb::arg("variant"),
             nb::arg("data"), nb::arg("shapes"), nb::arg("samples").none(), nb::arg("logdir"),
             nb::arg("verify"));
}

}  // namespace cboard::python
