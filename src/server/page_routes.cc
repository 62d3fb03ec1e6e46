#include "server/page_routes.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>

#include "cboard/base/bytes.h"
#include "cboard/base/strings.h"
#include "server/http/content_coding.h"
#include "server/http/etag.h"
#include "server/page_files.h"

namespace cboard::server {
namespace {

constexpr std::string_view kIndex = "index.html";

std::string_view ContentTypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

// A file of the page as it is sent: made once, shared by all answers.
struct ServedFile {
  std::string content_type;
  std::string etag;
  std::shared_ptr<const std::string> body;
  std::shared_ptr<const std::string> gzip_body;  // nullptr when that is not smaller.
  bool named_by_content = false;                 // Its name changes with its bytes.
};

ServedFile Serve(std::string_view name, std::string body) {
  ServedFile served{.content_type = std::string(ContentTypeOf(name)),
                    .etag = EtagOf(body),
                    .named_by_content = name.starts_with("assets/")};
  if (std::optional<std::string> packed = Gzip(body, kSmallGzip)) {
    served.gzip_body = std::make_shared<const std::string>(*std::move(packed));
  }
  served.body = std::make_shared<const std::string>(std::move(body));
  return served;
}

// Everything in the page is addressed relative to <base>, so that it works below any prefix.
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

using Files = std::map<std::string, ServedFile, std::less<>>;

// Compressed when first asked for: a start must not wait for it.
const Files& SharedFiles() {
  static const Files* const files = [] {
    auto* const served = new Files();
    for (const PageFile& file : PageFiles()) {
      if (file.name == kIndex) continue;
      served->emplace(file.name,
                      Serve(file.name, std::string(AsText(std::as_bytes(file.content)))));
    }
    return served;
  }();
  return *files;
}

// The addresses inside the page, all one step deep; ui/src/shell/pages.ts has the pages themselves.
constexpr auto kPages = std::to_array<std::string_view>(
    {"", "compare", "files", "graph", "hardware", "histograms", "hparams", "images", "layers",
     "overview", "report", "scalars", "text", "tuning"});

bool IsPageAddress(std::string_view path) {
  return std::ranges::find(kPages, path.substr(1)) != kPages.end();
}

std::string IndexFor(const std::string& prefix) {
  for (const PageFile& file : PageFiles()) {
    if (file.name == kIndex) {
      return WithBase(std::string(AsText(std::as_bytes(file.content))), prefix);
    }
  }
  return {};
}

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
  ServedFile index;
};

Page::Page(const std::string& path_prefix)
    : state_(std::make_unique<State>(State{Serve(kIndex, IndexFor(path_prefix))})) {}

Page::~Page() = default;

Result<HttpResponse> Page::Answer(const HttpRequest& request, const Target& target) const {
  if (request.method != "GET" && request.method != "HEAD") {
    HttpResponse response = ErrorResponse(405, "invalid_argument", "the page answers GET only");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  const std::string_view name = std::string_view(target.path).substr(1);
  const Files& files = SharedFiles();
  if (const auto found = files.find(name); found != files.end()) return ResponseOf(found->second);
  if (name == kIndex || IsPageAddress(target.path)) return ResponseOf(state_->index);
  // A person who mistyped gets the page, which says so and leads back; a program gets the error.
  // One step deep only, since the page's files are addressed relative to it.
  const bool is_person = request.Header("Accept").find("text/html") != std::string_view::npos;
  if (is_person && name.find('/') == std::string_view::npos) {
    HttpResponse response = ResponseOf(state_->index);
    response.status = 404;
    return response;
  }
  return Fail(ErrorCode::kNotFound, "there is nothing at " + Quoted(target.path));
}

}  // namespace cboard::server
