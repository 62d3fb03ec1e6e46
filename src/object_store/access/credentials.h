// Finds access keys: in the environment, a profile file, or the role of a container or a machine.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cboard/base/result.h"
#include "object_store/access/signature.h"
#include "object_store/http/http_client.h"

namespace cboard::object_store {

// Returns the value of a key in a section of an INI file, such as ~/.aws/credentials. Returns an
// empty text if there is none.
std::string IniValue(std::string_view text, std::string_view section, std::string_view key);

// Reads ~/.aws/<name>, or the file whose path is in the environment variable `variable`. Returns an
// empty text if it cannot be read.
std::string ReadProfileFile(const char* variable, std::string_view name);

// Returns the value of $AWS_PROFILE, or "default" if it is not set.
std::string ProfileName();

// Supplies credentials. Thread-safe. Temporary keys are renewed before they expire.
class CredentialSource {
 public:
  CredentialSource(std::string scheme, HttpClient& client)
      : scheme_(std::move(scheme)), client_(client) {}

  // Returns the current credentials. They are empty if no keys were found.
  Credentials Get();

  // Discards the stored credentials. Call it when the store has reported that they have expired.
  void Forget();

 private:
  Credentials FromRole();
  std::optional<Credentials> ParseRole(const std::string& json);

  const std::string scheme_;
  HttpClient& client_;
  std::mutex mutex_;
  std::optional<Credentials> known_;
  std::chrono::steady_clock::time_point ask_again_ = {};
};

}  // namespace cboard::object_store
