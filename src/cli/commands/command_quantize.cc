// compression-board quantize: makes an ONNX model smaller and faster, and reports the loss of
// accuracy.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "cboard/quantize/model_quantizer.h"
#include "cli/commands.h"
#include "cli/commands/shape_flag.h"
#include "cli/memory_limit.h"
#include "cli/progress.h"
#include "cli/read_logs.h"
#include "cli/reports/reports.h"

namespace cboard::cli {
namespace {

struct QuantizeNames {
  std::string bits = "w8a8", ranges = "auto", target = "this-machine";
};

Result<void> ReadNames(const QuantizeNames& names, quantize::QuantizeOptions& options) {
  CBOARD_ASSIGN_OR_RETURN(options.precision, quantize::PrecisionOf(names.bits));
  CBOARD_ASSIGN_OR_RETURN(options.ranges, quantize::RangeMethodOf(names.ranges));
  CBOARD_ASSIGN_OR_RETURN(options.target, quantize::TargetOf(names.target));
  return {};
}

}  // namespace

int RunQuantize(Arguments arguments) {
  std::string model, output, data, statistics, logdir;
  quantize::QuantizeOptions options;
  QuantizeNames names;
  bool per_tensor = false, json = false;
  CLI::App app(
      "Quantizes an ONNX model after training: calibrates on samples, chooses a range for\n"
      "every tensor, and writes a file that ONNX Runtime runs with integer kernels. Choices\n"
      "are kept only if they improve the outputs on samples that calibration did not use.\n"
      "docs/quantize.md explains the choices.\n"
      "\n"
      "Example: compression-board quantize resnet18.onnx --data images.npz -o resnet18_int8.onnx\n",
      "compression-board quantize");
  SetUsage(app, "compression-board quantize MODEL -o FILE [FLAGS]");
  app.add_option("MODEL", model, "The float model, an ONNX file")->required()->type_name("");
  app.add_option("-o,--output", output, "Output file for the quantized model")
      ->required()
      ->type_name("FILE");
  app.add_option("--data", data,
                 "Typical samples for calibration: .npz, .npy, or a folder of\n"
                 "PNG files; random data if omitted")
      ->type_name("PATH");
  AddShapeFlag(app,
               "Shape of the random data for an input with open sizes:\nx=1,3,48,320; repeat the "
               "flag for further inputs",
               options.shapes);
  app.add_option("--samples", options.max_samples,
                 "Maximum number of samples to read (default 128)")
      ->type_name("N")
      ->check(CheckCount);
  app.add_option("--bits", names.bits,
                 "Bits of weights (w) and activations (a): w8a8 (default); w8a16,\nw4a16 or w4a8 "
                 "with weights in blocks; dynamic (ranges of\nactivations at run time); fp16 "
                 "(weights stored as float16)")
      ->type_name("BITS");
  app.add_option("--ranges", names.ranges,
                 "Method that chooses ranges: auto (default; by the outputs on\n"
                 "held-out samples), minmax, percentile, entropy, mse")
      ->type_name("METHOD");
  app.add_option("--percentile", options.percentile,
                 "Percentage of values inside the range, for --ranges percentile\n(default 99.99)")
      ->type_name("P");
  app.add_option("--keep-float", options.keep_float,
                 "Keep these nodes, weights or operator types\nin float; a pattern may\n"
                 "contain * and ?; repeat the flag for more")
      ->type_name("PATTERN");
  app.add_option("--target", names.target,
                 "Processor that will run the model: this-machine (default),\n"
                 "ort-cpu (any x86 processor: a smaller range for weights, so\n"
                 "that 8-bit sums cannot overflow without VNNI), ort-vnni,\n"
                 "tensorrt, openvino")
      ->type_name("TARGET");
  app.add_flag("--bias-correction,!--no-bias-correction", options.bias_correction,
               "Try bias correction: change biases to remove the mean error of\nrounded weights "
               "(on by default)");
  app.add_flag("--equalize,!--no-equalize", options.equalize,
               "Try equalization of channels between layers (on by default)");
  app.add_flag("--smooth,!--no-smooth", options.smooth,
               "Try SmoothQuant, or AWQ for weights in blocks (on by default)");
  app.add_flag("--repair,!--no-repair", options.repair,
               "Keep activations in float if 8 bits would damage the outputs (on\nby default)");
  app.add_flag("--gptq", options.gptq, "Try the GPTQ method for weights in blocks");
  app.add_option("--block-size", options.block_size,
                 "Block size: number of weights that share a scale (default 32)")
      ->type_name("N")
      ->check(CLI::IsMember({16, 32, 64, 128, 256}));
  app.add_flag("--per-tensor", per_tensor,
               "Use one scale per weight tensor instead of one per channel");
  app.add_option("--threads", options.threads, "Number of threads (default: all processors)")
      ->type_name("N")
      ->check(CheckCount);
  app.add_option("--statistics", statistics,
                 "File with statistics of activations: read if it exists, else\n"
                 "written after calibration")
      ->type_name("FILE");
  app.add_flag("--explain", options.explain,
               "Also compare the float and the quantized model layer by layer,\nwith the table and "
               "causes of the command 'compare'");
  app.add_option(
         "--logdir", logdir,
         "Log the stages of the quantization to this directory: memory of\neach node, statistics "
         "of each channel, and the similarity of the\ntwo models on 20 samples. Implies --explain")
      ->type_name("DIR");
  app.add_flag("--json", json, "Print the plan and all results as JSON");
  AddFsyncFlag(app);
  AddEndpointFlag(app);
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;

  if (const Result<void> read = ReadNames(names, options); !read) {
    PrintError(read.error().message);
    return kExitUsage;
  }
  options.data = data;
  options.statistics = statistics;
  options.logdir = logdir;
  options.per_channel = !per_tensor;
  Progress progress("calibrating", std::cerr, IsTerminal(STDERR_FILENO), ProgressUnit::kItems);
  options.progress = [&](std::string_view, std::size_t done, std::size_t total) {
    progress.Update(done, total);
    return true;
  };
  LimitToFreeMemory();
  const auto report = quantize::QuantizeFile(model, output, options);
  progress.Clear();
  if (!report) {
    PrintError(report.error().message);
    return kExitFailed;
  }
  std::cout << (json ? quantize::ToJson(*report) + "\n" : QuantizeText(*report));
  if (!json && report->comparison) std::cout << "\n" << CompareText(*report->comparison, {});
  if (!json && !logdir.empty()) {
    std::cout << "\nLogged; view it with: compression-board --logdir " << ShellWord(logdir) << '\n';
  }
  return kExitDone;
}

}  // namespace cboard::cli
