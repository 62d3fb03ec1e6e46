// Opens the file to which a command writes its result.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/temporary_folder.h"
#include "cboard/base/file.h"

namespace cboard::cli {

// An output. A regular file or an object in a bucket ("s3://bucket/key") is created or replaced
// only when it is complete; "-" is standard output.
class Output final : public ByteSink {
 public:
  static Result<Output> Open(const std::string& path);

  Output(Output&& other) noexcept = default;
  Output& operator=(Output&&) = delete;
  ~Output() override;

  Result<void> Write(ByteSpan bytes) override;

  // Completes the file. Without this call, the file is not created.
  Result<void> Finish();

 private:
  Output(std::optional<File> file, std::string final_path);

  std::optional<File> file_;                 // Empty: standard output.
  std::string final_path_;                   // Empty: the file is written in place.
  std::unique_ptr<TemporaryFolder> folder_;  // Holds the file until it is stored in a bucket.
};

}  // namespace cboard::cli
