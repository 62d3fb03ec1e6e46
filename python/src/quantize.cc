// Python bindings for the post-training quantization of a model file.
#include <nanobind/stl/map.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "cboard/quantize/model_quantizer.h"
#include "errors.h"
#include "text.h"
#include "unlocked.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

// Quantizes a model and returns the report as JSON.
std::string QuantizeModel(const std::string& model, const std::string& output,
                          const std::string& data, const model::InputShapes& shapes,
                          std::size_t max_samples, const std::string& bits,
                          const std::string& ranges, const std::string& target, bool per_channel,
                          bool bias_correction, bool equalize, bool smooth, bool repair, bool gptq,
                          std::size_t block_size, const std::vector<std::string>& keep_float,
                          std::size_t threads, const std::string& statistics, bool explain,
                          const std::string& logdir) {
  Result<std::string> json;
  {
    const Unlocked unlocked;
    json = [&]() -> Result<std::string> {
      quantize::QuantizeOptions options;
      CBOARD_ASSIGN_OR_RETURN(options.precision, quantize::PrecisionOf(bits));
      CBOARD_ASSIGN_OR_RETURN(options.ranges, quantize::RangeMethodOf(ranges));
      CBOARD_ASSIGN_OR_RETURN(options.target, quantize::TargetOf(target));
      options.data = data;
      options.shapes = shapes;
      options.max_samples = max_samples;
      options.per_channel = per_channel;
      options.bias_correction = bias_correction;
      options.equalize = equalize;
      options.smooth = smooth;
      options.repair = repair;
      options.gptq = gptq;
      options.block_size = block_size;
      options.statistics = statistics;
      options.explain = explain;
      options.logdir = logdir;
      options.keep_float = keep_float;
      options.threads = threads;
      CBOARD_ASSIGN_OR_RETURN(const quantize::QuantizeReport report,
                              quantize::QuantizeFile(model, output, options));
      return quantize::ToJson(report);
    }();
  }
  return Unwrap(std::move(json));
}

}  // namespace

void BindQuantize(nb::module_& module) {
  module.def("quantize_model", QuantizeModel, nb::arg("model"), nb::arg("output"), nb::arg("data"),
             nb::arg("shapes"), nb::arg("max_samples"), nb::arg("bits"), nb::arg("ranges"),
             nb::arg("target"), nb::arg("per_channel"), nb::arg("bias_correction"),
             nb::arg("equalize"), nb::arg("smooth"), nb::arg("repair"), nb::arg("gptq"),
             nb::arg("block_size"), nb::arg("keep_float"), nb::arg("threads"),
             nb::arg("statistics"), nb::arg("explain"), nb::arg("logdir"));
}

}  // namespace cboard::python
