// The files of the page, which are inside the program.
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
  // `path_prefix` is where the page is: "/board", or empty.
  explicit Page(const std::string& path_prefix);
  ~Page();

  // The file that the path names, or the page itself for paths that are addresses inside it
  // ("/layers?model=alexnet"). Fails with kNotFound for names of files that are not there.
  Result<HttpResponse> Respond(const HttpRequest& request, const Target& target) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cboard::server
