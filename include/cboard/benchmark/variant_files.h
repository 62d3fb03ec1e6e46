// The files of a model's variants, and their names.
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

// Names for files that a user lists: {"resnet18_fp32.onnx", "resnet18_int8.onnx"} is the model
// "resnet18" with the variants "fp32" and "int8". Names are the parts in which the stems differ,
// or the stems where such parts would be empty or equal.
struct NamedFiles {
  std::string model;
  std::vector<VariantFile> variants;
};
NamedFiles NameFiles(const std::vector<std::filesystem::path>& files);

// The same for arguments of a command: FILE, or NAME=FILE where the user chose the name. An argument
// that is the path of a file as it stands is never split. Fails with kInvalidArgument if a name or
// path is empty, or if two variants have the same name.
Result<NamedFiles> ParseVariantArguments(const std::vector<std::string>& arguments);

}  // namespace cboard::benchmark
