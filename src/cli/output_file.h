// Where a command writes its result.
#pragma once

#include <optional>
#include <string>

#include "cboard/base/file.h"

namespace cboard::cli {

// A regular file appears, or is replaced, when all of it is written; "-" is standard output.
class Output final : public ByteSink {
 public:
  static Result<Output> Open(const std::string& path);

  Output(Output&& other) noexcept = default;
  Output& operator=(Output&&) = delete;
  ~Output() override;

  Result<void> Write(ByteSpan bytes) override;

  // Nothing appears without it.
  Result<void> Finish();

 private:
  Output(std::optional<File> file, std::string final_path);

  std::optional<File> file_;  // Nothing: standard output.
  std::string final_path_;    // Empty: written in place.
};

}  // namespace cboard::cli
