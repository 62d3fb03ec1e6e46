// A cache of responses. Each response is valid until the next snapshot.
//
//   return cache.Respond(request, {.snapshot_version = 12, .text = "GET /runs", .route = "api"},
//                       [call] { return MakeResponse(call); });
//
// A page of charts sends the same requests in every window that shows it, and all windows send them
// at the same time after a change. From the second time on, a request gets the cached response on
// the thread that read the request. The response was compressed only once. For a request that was
// sent only once, only a hash is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "cboard/server/http_message.h"
#include "server/content/body_pool.h"

namespace cboard::server {

// Identifies a response.
struct CacheKey {
  std::uint64_t snapshot_version = 0;
  std::string text;             // Two requests with equal text and snapshot have equal responses.
  std::string_view route = {};  // HttpResponse::route of the response; a literal.
};

struct ResponseCacheLimits {
  // Maximum size of all cached responses, including their compressed copies.
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_response_bytes = std::size_t{16} << 20;  // Longer responses are not cached.
  std::size_t max_key_bytes = std::size_t{64} << 10;
};

struct ResponseCacheStatistics {
  std::uint64_t hits = 0;   // Cached responses.
  std::uint64_t made = 0;   // Number of responses that were computed.
  std::uint64_t bytes = 0;  // Held now.
};

// A cache of responses. Thread-safe. `boot_id` identifies this process: entity tags of other
// processes are not valid here.
class ResponseCache {
 public:
  explicit ResponseCache(std::string boot_id, ResponseCacheLimits limits = {});

  // Responds immediately if the response is cached, or if the client already has it (304).
  // Otherwise responds with HttpResponse::later, and `later` calls `make`. Only responses with
  // status 200 are cached. The cache must outlive the call of `later`.
  HttpResponse Respond(const HttpRequest& request, CacheKey wanted,
                       std::function<HttpResponse()> make);

  ResponseCacheStatistics statistics() const;

  // Returns the memory pool for response bodies.
  BodyPool& bodies() { return *bodies_; }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const HttpResponse> response;
    std::size_t bytes = 0;
  };
  using Entries = std::list<Entry>;  // Most recently used first.

  std::shared_ptr<const HttpResponse> Find(std::uint64_t version, const std::string& key);
  HttpResponse Make(std::uint64_t version, std::string key, bool gzip, std::string etag,
                    std::string_view route, const std::function<HttpResponse()>& make);
  bool WasRequestedBefore(std::uint64_t version, const std::string& key);
  void Keep(std::uint64_t version, std::string key, std::shared_ptr<const HttpResponse> response);
  Entries ForgetOlderThan(std::uint64_t version);

  const std::string boot_id_;
  const ResponseCacheLimits limits_;
  const std::shared_ptr<BodyPool> bodies_ = std::make_shared<BodyPool>();

  // The mutex protects the following members. It is held for lookups only, not while responses are
  // created.
  mutable std::mutex mutex_;
  std::uint64_t version_ = 0;
  Entries entries_;
  std::unordered_map<std::string_view, Entries::iterator> index_;  // Views of Entry::key.
  std::unordered_set<std::size_t> asked_;  // Hashes of requests that were sent once.
  ResponseCacheStatistics statistics_;
};

}  // namespace cboard::server
