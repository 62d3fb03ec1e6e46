#include "object_store/access/credentials.h"

#include <simdjson.h>

#include <cstdlib>
#include <filesystem>

#include "cboard/base/file.h"
#include "cboard/base/strings.h"

namespace cboard::object_store {
namespace {

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string_view TrimmedLine(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string TextMember(const simdjson::dom::element& json, const char* key) {
  std::string_view text;
  return json[key].get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

}  // namespace

std::string IniValue(std::string_view text, std::string_view section, std::string_view key) {
  bool is_here = false;
  for (const std::string_view line : Split(text, '\n')) {
    const std::string_view content = TrimmedLine(line);
    if (content.empty() || content.starts_with('#') || content.starts_with(';')) continue;
    if (content.starts_with('[')) {
      const std::string_view name = TrimmedLine(content.substr(1, content.find(']') - 1));
      is_here = name == section || name == "profile " + std::string(section);
      continue;
    }
    const std::size_t equals = content.find('=');
    if (is_here && equals != std::string_view::npos &&
        TrimmedLine(content.substr(0, equals)) == key) {
      return std::string(TrimmedLine(content.substr(equals + 1)));
    }
  }
  return "";
}

std::string ReadProfileFile(const char* variable, std::string_view name) {
  constexpr std::uint64_t kMaxBytes = 1 << 20;
  std::filesystem::path path = Variable(variable);
  if (path.empty() && !Variable("HOME").empty()) {
    path = std::filesystem::path(Variable("HOME")) / ".aws" / name;
  }
  if (path.empty()) return "";
  return ReadFile(path, kMaxBytes).value_or("");
}

std::string ProfileName() {
  std::string name = Variable("AWS_PROFILE");
  return name.empty() ? "default" : name;
}

Credentials CredentialSource::Get() {
  const std::scoped_lock lock(mutex_);
  if (known_ && std::chrono::steady_clock::now() < ask_again_) return *known_;
  ask_again_ = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  if (scheme_ == "gs" && !Variable("GS_ACCESS_KEY_ID").empty()) {
    return known_.emplace(
        Credentials{Variable("GS_ACCESS_KEY_ID"), Variable("GS_SECRET_ACCESS_KEY"), ""});
  }
  if (!Variable("AWS_ACCESS_KEY_ID").empty() && Variable("AWS_PROFILE").empty()) {
    return known_.emplace(Credentials{Variable("AWS_ACCESS_KEY_ID"),
                                      Variable("AWS_SECRET_ACCESS_KEY"),
                                      Variable("AWS_SESSION_TOKEN")});
  }
  const std::string file = ReadProfileFile("AWS_SHARED_CREDENTIALS_FILE", "credentials");
  const std::string profile = ProfileName();
  if (std::string key = IniValue(file, profile, "aws_access_key_id"); !key.empty()) {
    return known_.emplace(Credentials{std::move(key),
                                      IniValue(file, profile, "aws_secret_access_key"),
                                      IniValue(file, profile, "aws_session_token")});
  }
  return known_.emplace(scheme_ == "s3" ? FromRole() : Credentials{});
}

void CredentialSource::Forget() {
  const std::scoped_lock lock(mutex_);
  known_.reset();
}

std::optional<Credentials> CredentialSource::ParseRole(const std::string& json) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.parse(json).get(document) != simdjson::SUCCESS) return std::nullopt;
  Credentials keys{TextMember(document, "AccessKeyId"), TextMember(document, "SecretAccessKey"),
                   TextMember(document, "Token")};
  if (keys.access_key.empty()) return std::nullopt;
  return keys;
}

Credentials CredentialSource::FromRole() {
  constexpr int kTimeoutSeconds = 2;  // No response on machines outside of a cloud.
  const std::string relative = Variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
  std::string url = Variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (!relative.empty()) url = "http://169.254.170.2" + relative;
  if (!url.empty()) {
    HttpRequest request{.url = url, .timeout_seconds = kTimeoutSeconds};
    if (const std::string token = Variable("AWS_CONTAINER_AUTHORIZATION_TOKEN"); !token.empty()) {
      request.headers["Authorization"] = token;
    }
    const auto response = client_.Send(request);
    if (response && response->status == 200)
      return ParseRole(response->body).value_or(Credentials{});
    return {};
  }
  if (Variable("AWS_EC2_METADATA_DISABLED") == "true") return {};
  std::string service = Variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (service.empty()) service = "http://169.254.169.254";
  if (service.ends_with('/')) service.pop_back();
  const auto token = client_.Send({.method = "PUT",
                                   .url = service + "/latest/api/token",
                                   .headers = {{"x-aws-ec2-metadata-token-ttl-seconds", "21600"}},
                                   .timeout_seconds = kTimeoutSeconds});
  if (!token || token->status != 200) return {};
  const std::map<std::string, std::string> headers = {{"x-aws-ec2-metadata-token", token->body}};
  const std::string roles = service + "/latest/meta-data/iam/security-credentials/";
  const auto role =
      client_.Send({.url = roles, .headers = headers, .timeout_seconds = kTimeoutSeconds});
  if (!role || role->status != 200) return {};
  const std::string name(TrimmedLine(Split(role->body, '\n').front()));
  const auto keys =
      client_.Send({.url = roles + name, .headers = headers, .timeout_seconds = kTimeoutSeconds});
  if (!keys || keys->status != 200) return {};
  return ParseRole(keys->body).value_or(Credentials{});
}

}  // namespace cboard::object_store
