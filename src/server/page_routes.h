// Serves the files of the page. They are embedded in the program.
#pragma once

#include <memory>
#include <string>

#include "cboard/base/result.h"
#include "cboard/server/http_message.h"
#include "server/http/url.h"

namespace cboard::server {

// Thread-safe.
class Page {
 public:
  // `path_prefix` is the path of the page: "/board", or empty.
  explicit Page(const std::string& path_prefix);
  ~Page();

  // Returns the file at the path, or the page itself for addresses inside the page
  // ("/layers?model=alexnet"). Fails with kNotFound for names of missing files.
  Result<HttpResponse> Respond(const HttpRequest& request, const Target& target) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cboard::server
