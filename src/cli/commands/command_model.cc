// compression-board model: lists the content of a model file.
#include <CLI/CLI.hpp>
#include <iostream>

#include "cboard/model/model_graph.h"
#include "cli/commands.h"
#include "cli/commands/shape_flag.h"
#include "cli/reports/reports.h"

namespace cboard::cli {

int RunModel(Arguments arguments) {
  std::string file;
  model::InputShapes shapes;
  bool json = false;
  std::size_t top = 20;
  CLI::App app(
      "Shows the content of a model: operators, element types, quantization,\n"
      "multiply-accumulates and the largest nodes. Reads ONNX, safetensors, GGUF, TensorFlow\n"
      "graphs and SavedModels, TFLite, and OpenVINO IR (the .xml).\n"
      "\n"
      "Example: compression-board model resnet18_int8.onnx --top 5\n"
      "         compression-board model text.onnx --shape x=1,3,48,320\n",
      "compression-board model");
  SetUsage(app, "compression-board model FILE [FLAGS]");
  app.add_option("FILE", file, "Model file, or directory of a SavedModel")
      ->required()
      ->type_name("");
  AddShapeFlag(app,
               "Shape of an input with open sizes, which is needed to compute\nbytes and "
               "multiply-accumulates: x=1,3,48,320, or 1,3,48,320 if\nthere is only one input; "
               "repeat the flag for further inputs",
               shapes);
  app.add_option("--top", top, "Number of the largest nodes or tensors to show (default 20)")
      ->type_name("N")
      ->check(CheckCount);
  app.add_flag("--json", json, "Print all results as JSON");
  if (const std::optional<int> exit_code = ParseFlags(app, arguments)) return *exit_code;

  const Result<model::ModelGraph> model = model::OpenModel(file, shapes);
  if (!model) {
    PrintError(model.error().message);
    return kExitFailed;
  }
  const std::string report = json ? ModelJson(file, *model) : ModelText(file, *model, top);
  if (const Result<void> unchanged = model->CheckUnchanged(); !unchanged) {
    PrintError(unchanged.error().message);
    return kExitFailed;
  }
  std::cout << report;
  return kExitDone;
}

}  // namespace cboard::cli
