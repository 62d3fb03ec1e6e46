// Derives the model's name and the variants' names from a list of files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cboard/base/result.h"

namespace cboard::benchmark {

struct VariantFile {
  std::string name;  // "int8"
  std::filesystem::path path;
};

// Names for the files that a user lists. {"resnet18_fp32.onnx", "resnet18_int8.onnx"} is the model
// "resnet18" with the variants "fp32" and "int8". The name of a variant is the part in which the
// file names without extension differ, or the whole file name without extension if these parts
// would be empty or equal.
struct NamedFiles {
  std::string model;
  std::vector<VariantFile> variants;
};
NamedFiles NameFiles(const std::vector<std::filesystem::path>& files);

// Parses command-line arguments: FILE, or NAME=FILE to choose the name. An argument that is the
// path of an existing file is never split. Fails with kInvalidArgument if a name or path is empty,
// or if two variants have the same name.
Result<NamedFiles> ParseVariantArguments(const std::vector<std::string>& arguments);

}  // namespace cboard::benchmark
