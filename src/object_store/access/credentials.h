// Where keys come from: the environment, a profile file, the role of a container or a machine.
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

// One key of a section in an INI file, as ~/.aws/credentials is one; empty if it is not there.
std::string IniValue(std::string_view text, std::string_view section, std::string_view key);

// ~/.aws/<name>, or the file that `variable` names; empty if it cannot be read.
std::string ReadProfileFile(const char* variable, std::string_view name);

// $AWS_PROFILE, or "default".
std::string ProfileName();

// Thread-safe. Temporary keys are asked for again before they expire.
class CredentialSource {
 public:
  CredentialSource(std::string scheme, HttpClient& client)
      : scheme_(std::move(scheme)), client_(client) {}

  // Without keys in any place: empty ones.
  Credentials Get();

  // After the store said that keys have expired.
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
