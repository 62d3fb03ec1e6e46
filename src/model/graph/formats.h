// The readers of all formats: each reads a mapped file into a graph. OpenModel chooses the reader.
//
// Errors contain the place in the file; OpenModel adds the file's name.
#pragma once

#include <memory>

#include "cboard/model/model_graph.h"
#include "model/storage/mapped_file.h"

namespace cboard::model {

Result<ModelGraph> ReadOnnx(std::shared_ptr<const MappedFile> file, const InputShapes& shapes = {});
Result<ModelGraph> ReadSafetensors(std::shared_ptr<const MappedFile> file);
// Reads the .index.json of a model that consists of many safetensors files in the same folder.
Result<ModelGraph> ReadSafetensorsIndex(std::shared_ptr<const MappedFile> file);
Result<ModelGraph> ReadGguf(std::shared_ptr<const MappedFile> file);
Result<ModelGraph> ReadTensorFlowGraph(std::shared_ptr<const MappedFile> file,
                                       const InputShapes& shapes = {});
// Reads saved_model.pb; its variables are in the folder variables/ next to it.
Result<ModelGraph> ReadSavedModel(std::shared_ptr<const MappedFile> file,
                                  const InputShapes& shapes = {});
Result<ModelGraph> ReadTflite(std::shared_ptr<const MappedFile> file);
// Reads the .xml; its .bin is next to it.
Result<ModelGraph> ReadOpenVino(std::shared_ptr<const MappedFile> file);

// Detects the format from the first bytes of a file; nullopt if they are not sufficient. Fails with
// kInvalidArgument and advice for known formats that are not supported, such as pickle archives.
Result<std::optional<ModelFormat>> SniffFormat(std::string_view bytes);

// Reads bytes in the given format, which must use a single file. Fails with kInvalidArgument if
// shapes are given and the format always stores all shapes.
Result<ModelGraph> ReadModel(ModelFormat format, std::shared_ptr<const MappedFile> file,
                             const InputShapes& shapes = {});

}  // namespace cboard::model
