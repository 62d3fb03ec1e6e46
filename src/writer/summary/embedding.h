// Makes the files for TensorBoard's PROJECTOR page. Does not write them: the caller gets their
// contents and paths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

struct EmbeddingFiles {
  std::string directory;                    // Path below the run's directory: "00007/my%2ftag".
  std::string tensors_tsv;                  // Content of <directory>/tensors.tsv.
  std::optional<std::string> metadata_tsv;  // Content of <directory>/metadata.tsv.
  std::string config_block;                 // Text to append to the run's projector_config.pbtxt.
};

// Makes the files of one embedding. Numbers are formatted as in Python. Tabs and line breaks inside
// metadata become spaces, because they would shift the labels after them.
//
// Checks details.label_images and gives their sprite a name, but does not draw it: the caller
// writes the sprite to <directory>/sprite.png.
//
// Fails with kInvalidArgument if the matrix is empty or not two-dimensional; if there is not one
// metadata row or image per row of the matrix; if metadata rows and header have different numbers
// of columns, if several columns have no header, or if a single column has a header; if images are
// not square or do not have 1 or 3 channels; if their sprite would be wider than 8192 pixels; and
// if the tag cannot be the name of a directory.
Result<EmbeddingFiles> MakeEmbeddingFiles(const TensorView& matrix, const EmbeddingDetails& details,
                                          std::int64_t step);

}  // namespace cboard::writer::summary
