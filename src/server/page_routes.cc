#include "server/page_routes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "base/gzip.h"
#include "cboard/base/bytes.h"
#include "cboard/base/strings.h"
#include "server/http/etag.h"
#include "server/page_files.h"

namespace cboard::server {
namespace {

// The file for addresses that have no HTML file of their own, such as "scalars.html".
constexpr std::string_view kIndex = "index.html";
constexpr std::string_view kFirstPage = "overview.html";

std::string_view ContentTypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

// A file of the page in the form in which it is sent. It is created once and shared by all
// responses.
struct ServedFile {
  std::string content_type;
  std::string etag;
  std::shared_ptr<const std::string> body;
  std::shared_ptr<const std::string> gzip_body;  // nullptr if compression does not make it smaller.
  bool named_by_content = false;                 // The file name contains a hash of the content.
};

// All addresses in the page are relative to <base>, so that the page works below any prefix.
std::string WithBase(std::string html, const std::string& prefix) {
  constexpr std::string_view kBase = R"(<base href="/")";
  if (const std::size_t at = html.find(kBase); at != std::string::npos) {
    std::string escaped;
    for (const char c : prefix) {
      escaped += c == '&' ? "&amp;" : c == '"' ? "&quot;" : c == '<' ? "&lt;" : std::string(1, c);
    }
    html.replace(at, kBase.size(), "<base href=\"" + escaped + "/\"");
  }
  return html;
}

ServedFile Serve(const PageFile& file, const std::string& prefix) {
  const auto text = [](std::span<const unsigned char> content) {
    return std::string(AsText(std::as_bytes(content)));
  };
  std::string body = text(file.content);
  if (file.name.ends_with(".html")) body = WithBase(std::move(body), prefix);
  ServedFile served{.content_type = std::string(ContentTypeOf(file.name)),
                    .etag = EtagOf(body),
                    .named_by_content = file.name.starts_with("assets/")};
  if (!file.gzip_content.empty()) {
    served.gzip_body = std::make_shared<const std::string>(text(file.gzip_content));
  } else if (std::optional<std::string> packed = Gzip(body, kSmallGzip)) {
    served.gzip_body = std::make_shared<const std::string>(*std::move(packed));
  }
  served.body = std::make_shared<const std::string>(std::move(body));
  return served;
}

// The file is created at the first request, so that the start of the program does not wait for
// unused files.
class LazyFile {
 public:
  LazyFile(const PageFile& file, const std::string& prefix) : file_(file), prefix_(prefix) {}

  const ServedFile& Get() {
    std::call_once(made_, [this] { served_ = Serve(file_, prefix_); });
    return served_;
  }

 private:
  const PageFile file_;
  const std::string& prefix_;  // The page's.
  std::once_flag made_;
  ServedFile served_;
};

HttpResponse ResponseOf(const ServedFile& file) {
  HttpResponse response{.content_type = file.content_type};
  response.shared_body = file.body;
  response.gzip_body = file.gzip_body;
  response.etag = file.etag;
  response.route = "page";
  if (file.named_by_content) {
    response.headers.emplace_back("Cache-Control", "public, max-age=31536000, immutable");
  }
  return response;
}

}  // namespace

struct Page::State {
  explicit State(std::string path_prefix) : prefix(std::move(path_prefix)) {
    for (const PageFile& file : PageFiles()) {
      files.try_emplace(std::string(file.name), file, prefix);
    }
  }

  const ServedFile* Find(std::string_view name) {
    const auto found = files.find(name);
    return found == files.end() ? nullptr : &found->second.Get();
  }

  const std::string prefix;
  std::map<std::string, LazyFile, std::less<>> files;  // The files borrow the prefix.
};

Page::Page(const std::string& path_prefix) : state_(std::make_unique<State>(path_prefix)) {}

Page::~Page() = default;

Result<HttpResponse> Page::Respond(const HttpRequest& request, const Target& target) const {
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response = ErrorResponse(405, "invalid_argument", "the page answers GET only");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  const std::string_view name = std::string_view(target.path).substr(1);
  if (name.empty()) {  // A build without the page has only the index file.
    const ServedFile* const first = state_->Find(kFirstPage);
    return ResponseOf(first != nullptr ? *first : *state_->Find(kIndex));
  }
  // The build writes a file for every page, all one directory deep: ui/src/app/page_list.ts.
  if (const std::string page = std::string(name) + ".html"; page != kIndex) {
    if (const ServedFile* const found = state_->Find(page)) return ResponseOf(*found);
  }
  if (const ServedFile* file = state_->Find(name)) return ResponseOf(*file);
  // If the address is wrong, a browser gets the page, which shows the error and a way back. A
  // program gets only the error. The page is sent only for addresses one level deep, because the
  // page refers to its files by relative addresses.
  const bool is_person = request.Header("Accept").find("text/html") != std::string_view::npos;
  // People also type "/layers/". The relative address keeps the prefix and the host.
  const std::size_t end = std::min(request.target.find('?'), request.target.size());
  std::string_view path = std::string_view(request.target).substr(0, end);
  if (is_person && name.find('/') == name.size() - 1 && path.ends_with('/')) {
    path.remove_suffix(1);
    const std::string without = "../" + std::string(path.substr(path.rfind('/') + 1));
    return HttpResponse{.status = 308,
                        .headers = {{"Location", without + request.target.substr(end)}}};
  }
  if (is_person && name.find('/') == std::string_view::npos) {
    HttpResponse response = ResponseOf(*state_->Find(kIndex));
    response.status = 404;
    return response;
  }
  return Fail(ErrorCode::kNotFound, "not found: " + Quoted(target.path));
}

}  // namespace cboard::server
