// cut_model FILE STEP: opens every prefix of a model, and the model with every byte changed, STEP
// bytes apart, and reads what opens. Prints how many opened and how many were refused, and the most
// bytes that were asked for at once. Whatever the bytes are, the program must live to print.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <new>
#include <string>

#include "cboard/base/file.h"
#include "model/testing/fuzz_model.h"

namespace {

std::size_t max_at_once = 0;

}  // namespace

// Asks as the library's own does, and takes notes.
void* operator new(std::size_t size) {
  max_at_once = std::max(max_at_once, size);
  if (void* memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace cboard {
namespace {

bool Opens(model::ModelFormat format, const std::string& bytes) {
  const Result<model::ModelGraph> model =
      model::ReadModel(format, model::MappedFile::FromMemory(bytes, "/nonexistent/model"));
  if (model) model::WalkModel(*model);
  return model.has_value();
}

int Run(const std::string& path, std::size_t step) {
  const Result<std::string> file = ReadFile(path);
  if (!file || step == 0) return 2;
  const Result<std::optional<model::ModelFormat>> format = model::SniffFormat(*file);
  if (!format || !*format) return 2;
  max_at_once = 0;  // Reading the file has a buffer of its own.
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
  std::cout << prefixes_opened << ' ' << prefixes << ' ' << changed_opened << ' ' << changed << ' '
            << max_at_once << '\n';
  return 0;
}

}  // namespace
}  // namespace cboard

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return cboard::Run(argv[1], static_cast<std::size_t>(std::atoi(argv[2])));
}
