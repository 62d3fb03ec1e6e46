#include "object_store/http/http_client.h"

#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <mutex>
#include <vector>

#include "cboard/base/strings.h"

namespace cboard::object_store {
namespace {

// The functions of libcurl that this program uses.
struct Curl {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_reset) easy_reset;
  decltype(&::curl_easy_setopt) easy_setopt;
  decltype(&::curl_easy_perform) easy_perform;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_getinfo) easy_getinfo;
  decltype(&::curl_easy_strerror) easy_strerror;
  decltype(&::curl_slist_append) slist_append;
  decltype(&::curl_slist_free_all) slist_free_all;
};

template <typename Function>
bool Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Result<const Curl*> LoadCurl() {
  static std::mutex mutex;
  // The library is never unloaded, because other threads may have open connections.
  static const Curl* loaded = nullptr;
  const std::scoped_lock lock(mutex);
  if (loaded != nullptr) return loaded;
  void* library = nullptr;
  for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"}) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    return Fail(ErrorCode::kFailedPrecondition,
                "a bucket cannot be read without libcurl, which is not installed; install it, for "
                "example with 'apt install libcurl4'");
  }
  Curl curl = {};
  const bool has_all = Find(library, "curl_global_init", curl.global_init) &&
                       Find(library, "curl_easy_init", curl.easy_init) &&
                       Find(library, "curl_easy_reset", curl.easy_reset) &&
                       Find(library, "curl_easy_setopt", curl.easy_setopt) &&
                       Find(library, "curl_easy_perform", curl.easy_perform) &&
                       Find(library, "curl_easy_cleanup", curl.easy_cleanup) &&
                       Find(library, "curl_easy_getinfo", curl.easy_getinfo) &&
                       Find(library, "curl_easy_strerror", curl.easy_strerror) &&
                       Find(library, "curl_slist_append", curl.slist_append) &&
                       Find(library, "curl_slist_free_all", curl.slist_free_all);
  if (!has_all || curl.global_init(CURL_GLOBAL_ALL) != CURLE_OK) {
    return Fail(ErrorCode::kFailedPrecondition,
                "the installed libcurl is too old or incomplete; install a newer version");
  }
  loaded = new Curl(curl);
  return loaded;
}

struct Receiver {
  HttpResponse response;
  std::uint64_t max_bytes = 0;
  bool is_too_long = false;
};

std::size_t TakeBody(char* bytes, std::size_t one, std::size_t count, void* to) {
  auto& receiver = *static_cast<Receiver*>(to);
  if (receiver.response.body.size() + count * one > receiver.max_bytes) {
    receiver.is_too_long = true;
    return 0;  // Returning 0 ends the transfer.
  }
  receiver.response.body.append(bytes, count * one);
  return count * one;
}

std::size_t TakeHeader(char* bytes, std::size_t one, std::size_t count, void* to) {
  constexpr std::size_t kMaxHeaders = 200;
  auto& headers = static_cast<Receiver*>(to)->response.headers;
  std::string_view line(bytes, count * one);
  // A new status line starts a new response. Discards the headers of the interim response before
  // it.
  if (line.starts_with("HTTP/")) headers.clear();
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || headers.size() >= kMaxHeaders) return count * one;
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  line.remove_prefix(colon + 1);
  const auto is_space = [](char c) { return c == ' ' || c == '\r' || c == '\n' || c == '\t'; };
  while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
  headers[name] = line;
  return count * one;
}

std::size_t GiveBody(char* buffer, std::size_t one, std::size_t count, void* from) {
  auto& body = *static_cast<std::string_view*>(from);
  const std::size_t length = std::min(one * count, body.size());
  std::copy_n(body.data(), length, buffer);
  body.remove_prefix(length);
  return length;
}

class CurlClient final : public HttpClient {
 public:
  CurlClient(const Curl& curl, std::string ca_file) : curl_(curl), ca_file_(std::move(ca_file)) {}

  ~CurlClient() override {
    for (CURL* handle : idle_) curl_.easy_cleanup(handle);
  }

  Result<HttpResponse> Send(const HttpRequest& request) override {
    CURL* const handle = Take();
    if (handle == nullptr) {
      return Fail(ErrorCode::kResourceExhausted,
                  "there is not enough memory for another connection");
    }
    Receiver receiver{.response = {}, .max_bytes = request.max_response_bytes};
    std::string_view body = request.body;
    curl_slist* headers = nullptr;
    for (const auto& [name, value] : request.headers) {
      headers = curl_.slist_append(headers, (name + ": " + value).c_str());
    }
    // With an empty Expect header, libcurl does not wait before it sends the body.
    headers = curl_.slist_append(headers, "Expect:");
    Set(handle, CURLOPT_URL, request.url.c_str());
    Set(handle, CURLOPT_NOSIGNAL, 1L);
    Set(handle, CURLOPT_CONNECTTIMEOUT,
        request.timeout_seconds > 0 ? request.timeout_seconds : 10L);
    Set(handle, CURLOPT_TIMEOUT, static_cast<long>(request.timeout_seconds));
    Set(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);  // Fails after half a minute without any bytes.
    Set(handle, CURLOPT_LOW_SPEED_TIME, 30L);
    Set(handle, CURLOPT_WRITEFUNCTION, &TakeBody);
    Set(handle, CURLOPT_WRITEDATA, &receiver);
    Set(handle, CURLOPT_HEADERFUNCTION, &TakeHeader);
    Set(handle, CURLOPT_HEADERDATA, &receiver);
    Set(handle, CURLOPT_HTTPHEADER, headers);
    if (!ca_file_.empty()) Set(handle, CURLOPT_CAINFO, ca_file_.c_str());
    if (request.method == "DELETE") Set(handle, CURLOPT_CUSTOMREQUEST, "DELETE");
    if (request.method == "PUT") {
      Set(handle, CURLOPT_UPLOAD, 1L);
      Set(handle, CURLOPT_READFUNCTION, &GiveBody);
      Set(handle, CURLOPT_READDATA, &body);
      Set(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
      if (request.headers.contains("x-aws-ec2-metadata-token-ttl-seconds")) {
        // Uses no proxy for requests to the machine's own metadata service.
        Set(handle, CURLOPT_PROXY, "");
      }
    }
    const CURLcode code = curl_.easy_perform(handle);
    long status = 0;
    curl_.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    curl_.slist_free_all(headers);
    Return(handle);
    if (receiver.is_too_long) {
      return Fail(ErrorCode::kResourceExhausted,
                  "the server's response is longer than the maximum of " +
                      HumanBytes(static_cast<double>(request.max_response_bytes)));
    }
    if (code != CURLE_OK) {
      return Fail(ErrorCode::kUnavailable, curl_.easy_strerror(code));
    }
    receiver.response.status = static_cast<int>(status);
    return std::move(receiver.response);
  }

 private:
  template <typename Value>
  void Set(CURL* handle, CURLoption option, Value value) {
    curl_.easy_setopt(handle, option, value);
  }

  CURL* Take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return curl_.easy_init();
    CURL* const handle = idle_.back();
    idle_.pop_back();
    return handle;
  }

  // Resets the options of a handle. Its connection stays open for the next request.
  void Return(CURL* handle) {
    curl_.easy_reset(handle);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(handle);
  }

  const Curl& curl_;
  std::string ca_file_;
  std::mutex mutex_;
  std::vector<CURL*> idle_;
};

}  // namespace

std::string_view HttpResponse::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

Result<std::unique_ptr<HttpClient>> HttpClient::Open(std::string ca_file) {
  CBOARD_ASSIGN_OR_RETURN(const Curl* const curl, LoadCurl());
  return std::make_unique<CurlClient>(*curl, std::move(ca_file));
}

}  // namespace cboard::object_store
