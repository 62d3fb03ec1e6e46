// The files behind TensorBoard's PROJECTOR page. Nothing is written here: the caller gets their
// contents, and where each belongs.
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
  std::string directory;                    // Below the run's directory: "00007/my%2ftag".
  std::string tensors_tsv;                  // <directory>/tensors.tsv.
  std::optional<std::string> metadata_tsv;  // <directory>/metadata.tsv.
  std::string config_block;                 // To append to the run's projector_config.pbtxt.
};

// Numbers are written as Python would print them. Tabs and line breaks inside metadata become
// spaces, since they would shift every following label.
//
// details.label_images are checked and named, not drawn: the caller puts their sprite into
// <directory>/sprite.png.
//
// Fails with kInvalidArgument when the matrix is empty or not two-dimensional; when metadata or
// images are not one per row; when rows and header differ in columns, several columns have no
// header, or a single one has; when images are not square and of 1 or 3 channels, or their sprite
// would be over 8192 pixels wide; and when the tag cannot name a directory.
Result<EmbeddingFiles> MakeEmbeddingFiles(const TensorView& matrix, const EmbeddingDetails& details,
                                          std::int64_t step);

}  // namespace cboard::writer::summary
