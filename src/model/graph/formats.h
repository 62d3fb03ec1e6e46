// The readers of all model formats. Each reads a mapped file and returns a graph. OpenModel chooses
// the reader.
//
// Errors contain the place in the file; OpenModel adds the file's name.
#pragma once

#include <memory>

#include "cboard/model/model_graph.h"
#include "model/storage/mapped_file.h"

namespace cboard::model {

Result<ModelGraph> ReadOnnx(std::shared_ptr<const MappedFile> file, const InputShapes& shapes = {});
Result<ModelGraph> ReadSafetensors(std::shared_ptr<const MappedFile> file);
// Reads the file .index.json of a model that consists of several safetensors files in the same
// folder.
Result<ModelGraph> ReadSafetensorsIndex(std::shared_ptr<const MappedFile> file);
Result<ModelGraph> ReadGguf(std::shared_ptr<const MappedFile> file);
Result<ModelGraph> ReadTensorFlowGraph(std::shared_ptr<const MappedFile> file,
                                       const InputShapes& shapes = {});
// Reads the file saved_model.pb. Its variables are in the folder variables/ in the same directory.
Result<ModelGraph> ReadSavedModel(std::shared_ptr<const MappedFile> file,
                                  const InputShapes& shapes = {});
Result<ModelGraph> ReadTflite(std::shared_ptr<const MappedFile> file);
// Reads the .xml file. Its .bin file is in the same directory.
Result<ModelGraph> ReadOpenVino(std::shared_ptr<const MappedFile> file);

// Detects the format from the first bytes of a file. Returns nullopt if they are not sufficient.
// For known formats that are not supported, such as pickle archives, fails with kInvalidArgument
// and advice.
Result<std::optional<ModelFormat>> SniffFormat(std::string_view bytes);

// Reads a model in the given format. The model must consist of a single file. Fails with
// kInvalidArgument if `shapes` are given and the format always stores all shapes.
Result<ModelGraph> ReadModel(ModelFormat format, std::shared_ptr<const MappedFile> file,
                             const InputShapes& shapes = {});

}  // namespace cboard::model
