// The readers of each format: from a mapped file to a graph. OpenModel chooses among them.
//
// Errors name the place in the file; OpenModel puts the file's name before it.
#pragma once

#include <memory>

#include "cboard/model/model_graph.h"
#include "model/storage/mapped_file.h"

namespace cboard::model {

Result<ModelGraph> ReadOnnx(std::shared_ptr<const MappedFile> file, const InputShapes& shapes = {});
Result<ModelGraph> ReadSafetensors(std::shared_ptr<const MappedFile> file);
// The .index.json of a model in many safetensors files, which are found beside it.
Result<ModelGraph> ReadSafetensorsIndex(std::shared_ptr<const MappedFile> file);
Result<ModelGraph> ReadGguf(std::shared_ptr<const MappedFile> file);
Result<ModelGraph> ReadTensorFlowGraph(std::shared_ptr<const MappedFile> file,
                                       const InputShapes& shapes = {});
// saved_model.pb; its variables are in the folder variables/ beside it.
Result<ModelGraph> ReadSavedModel(std::shared_ptr<const MappedFile> file,
                                  const InputShapes& shapes = {});
Result<ModelGraph> ReadTflite(std::shared_ptr<const MappedFile> file);
// The .xml; its .bin is beside it.
Result<ModelGraph> ReadOpenVino(std::shared_ptr<const MappedFile> file);

// The format of a file with these first bytes, as far as they tell. Fails with kInvalidArgument and
// advice for files of a known kind that are not read, such as archives of pickles.
Result<std::optional<ModelFormat>> SniffFormat(std::string_view bytes);

// Reads bytes as the given format; for formats of one file. Fails with kInvalidArgument when shapes
// are given to a format whose files store all of them.
Result<ModelGraph> ReadModel(ModelFormat format, std::shared_ptr<const MappedFile> file,
                             const InputShapes& shapes = {});

}  // namespace cboard::model
