// cut_model FILE STEP: opens every prefix of a model, and the model with every byte changed, STEP
// bytes apart, and reads what opens. Prints how many opened and how many were refused. Whatever the
// bytes are, the program must live to print.
#include <cstdlib>
#include <iostream>
#include <string>

#include "cboard/base/file.h"
#include "model/fuzz_model.h"

namespace cboard {
namespace {

bool Opens(ModelFormat format, const std::string& bytes) {
  const Result<ModelGraph> model =
      ReadModel(format, MappedFile::FromMemory(bytes, "/nonexistent/model"));
  if (model) WalkModel(*model);
  return model.has_value();
}

int Run(const std::string& path, std::size_t step) {
  const Result<std::string> file = ReadFile(path);
  if (!file || step == 0) return 2;
  const Result<std::optional<ModelFormat>> format = SniffFormat(*file);
  if (!format || !*format) return 2;
  std::size_t prefixes_opened = 0, prefixes = 0, changed_opened = 0, changed = 0;
  for (std::size_t size = 0; size < file->size(); size += step) {
    if (Opens(**format, file->substr(0, size))) ++prefixes_opened;
    ++prefixes;
  }
  for (std::size_t i = 0; i < file->size(); i += step) {
    for (const char change : {'\x01', '\x7f', '\xff'}) {
      std::string bytes = *file;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      if (Opens(**format, bytes)) ++changed_opened;
      ++changed;
    }
  }
  std::cout << prefixes_opened << ' ' << prefixes << ' ' << changed_opened << ' ' << changed
            << '\n';
  return 0;
}

}  // namespace
}  // namespace cboard

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return cboard::Run(argv[1], static_cast<std::size_t>(std::atoi(argv[2])));
}
