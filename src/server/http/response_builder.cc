#include "server/http/response_builder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <ctime>

#include "base/gzip.h"
#include "server/http/content_coding.h"
#include "server/http/etag.h"
#include "server/http/status_text.h"

namespace cboard::server {
namespace {

// Headers of every response, including errors.
constexpr std::string_view kSafeHeaders =
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n";

// Header for browsers that do not support frame-ancestors.
constexpr std::string_view kNoFrames = "X-Frame-Options: DENY\r\n";

// Header that is sent only over TLS: browsers then use TLS for this host for half a year.
constexpr std::string_view kTransportPolicy = "Strict-Transport-Security: max-age=15552000\r\n";

// Strict-Transport-Security is not sent for localhost, because the header applies to all ports of a
// host, and other programs also use localhost.
bool IsLocalName(std::string_view host) {
  host = host.substr(0, host.rfind(':'));
  return EqualIgnoringCase(host, "localhost") || host.starts_with("127.") || host == "[::1]";
}

// Content security policy of pages: no inline scripts, nothing from other sites.
constexpr std::string_view kPagePolicy =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; media-src 'self'; font-src 'self'; worker-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ";

// Content security policy for bytes from logs: if opened as a page, they must not run scripts or
// load anything.
constexpr std::string_view kBlobPolicy =
    "Content-Security-Policy: default-src 'none'; sandbox; frame-ancestors ";

// Returns true for content types in which browsers never run scripts; "image/svg+xml" and
// "text/html" are not among them.
bool IsScriptFree(std::string_view type) {
  constexpr auto kHarmless = std::to_array<std::string_view>(
      {"image/png", "image/gif", "image/jpeg", "image/bmp", "image/webp", "text/plain", "text/csv",
       "text/tab-separated-values", "text/x-protobuf", "application/json",
       "application/octet-stream", "arraybuffer"});
  type = TakeUntil(type, ';');
  return std::ranges::find(kHarmless, type) != kHarmless.end() || type.starts_with("audio/") ||
         type.starts_with("video/");
}

bool HasHeader(const HttpResponse& response, std::string_view name) {
  return std::ranges::any_of(
      response.headers, [&](const auto& header) { return EqualIgnoringCase(header.first, name); });
}

// Joins the values of a list header that is sent in several lines.
std::string ListOf(const HttpRequest& request, std::string_view name) {
  std::string list;
  for (const auto& [header, value] : request.headers) {
    if (!EqualIgnoringCase(header, name)) continue;
    if (!list.empty()) list += ',';
    list += value;
  }
  return list;
}

bool WantsGzip(const HttpRequest& request, const HttpResponse& response, std::size_t size) {
  return response.status == 200 && size >= kMinGzipBytes && !response.file && !response.events &&
         IsCompressible(response.content_type) && !HasHeader(response, "Content-Encoding") &&
         request.Header("Range").empty() && AcceptsGzip(ListOf(request, "Accept-Encoding"));
}

std::uint64_t SizeOf(const HttpResponse& response) {
  if (response.file) return response.file->length;
  return response.shared_body ? response.shared_body->size() : response.body.size();
}

}  // namespace

class ResponseBuilder {
 public:
  ResponseBuilder(const HttpRequest& request, HttpResponse&& response,
                  const ConnectionState& connection)
      : request_(request), response_(std::move(response)), connection_(connection) {}

  PreparedResponse Build() {
    if (response_.untrusted && !IsScriptFree(response_.content_type)) {
      response_.content_type = "application/octet-stream";
    }
    prepared_.status = response_.status;
    size_ = SizeOf(response_);
    const bool is_get = request_.method == "GET" || request_.method == "HEAD";
    if (is_get && response_.status == 200 && !response_.events) ApplyConditions();
    WriteHead();
    TakeBody();
    return std::move(prepared_);
  }

 private:
  void ApplyConditions() {
    const bool gzip = WantsGzip(request_, response_, size_);
    if (!HasHeader(response_, "Cache-Control")) FindEtag();
    if (!etag_.empty() && NotModified()) {
      prepared_.status = 304;
      if (gzip) etag_ += "-gzip";
      return;
    }
    if (gzip) {
      Compress();
    } else if (response_.file || response_.untrusted) {
      ApplyRange();
    }
  }

  void FindEtag() {
    if (!response_.etag.empty()) {
      etag_ = std::move(response_.etag);
      std::erase_if(etag_, [](char c) { return c <= ' ' || c == '"' || c == ',' || c >= 0x7F; });
    } else if (response_.file) {
      etag_ = EtagOf(*response_.file);
    } else {
      etag_ = EtagOf(response_.shared_body ? *response_.shared_body : response_.body);
    }
  }

  // Compares with the entity tags of the plain and of the compressed form, because a client with
  // either form has the current content.
  bool NotModified() const {
    const std::string known = ListOf(request_, "If-None-Match");
    return !known.empty() && (NamesEtag(known, etag_) || NamesEtag(known, etag_ + "-gzip"));
  }

  void Compress() {
    if (response_.gzip_body) {
      response_.shared_body = response_.gzip_body;
    } else {
      const std::string_view plain =
          response_.shared_body ? *response_.shared_body : response_.body;
      std::optional<std::string> packed = Gzip(plain);
      if (!packed) return;
      response_.body = *std::move(packed);
      response_.shared_body = nullptr;
    }
    size_ = SizeOf(response_);
    compressed_ = true;
    if (!etag_.empty()) etag_ += "-gzip";
  }

  void ApplyRange() {
    const std::string_view header = request_.Header("Range");
    const std::string_view condition = request_.Header("If-Range");
    if (header.empty() || (!condition.empty() && condition != "\"" + etag_ + "\"")) return;
    const RangeRequest wanted = ParseRange(header, size_);
    const std::string total = std::to_string(size_);
    if (wanted.kind == RangeKind::kUnsatisfiable) {
      prepared_.status = 416;
      response_.headers.emplace_back("Content-Range", "bytes */" + total);
      response_.file.reset();
      response_.body.clear();
      response_.shared_body = nullptr;
      size_ = 0;
    } else if (wanted.kind == RangeKind::kOne) {
      prepared_.status = 206;
      offset_ = wanted.range.offset;
      size_ = wanted.range.length;
      response_.headers.emplace_back("Content-Range", "bytes " + std::to_string(offset_) + "-" +
                                                          std::to_string(offset_ + size_ - 1) +
                                                          "/" + total);
    }
  }

  void WriteHead() {
    std::string& head = prepared_.head;
    head.reserve(1024);
    head += connection_.http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
    head += std::to_string(prepared_.status);
    head += ' ';
    head += StatusText(prepared_.status);
    head += "\r\n";
    Add("Date", HttpDate(std::chrono::system_clock::now()));
    const bool has_content = prepared_.status != 304 && prepared_.status != 204;
    if (has_content) Add("Content-Type", response_.content_type);
    if (has_content && !response_.events) {
      std::array<char, 24> digits = {};
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), size_).ptr;
      Add("Content-Length", {digits.data(), end});
    }
    if (compressed_) Add("Content-Encoding", "gzip");
    if (IsCompressible(response_.content_type)) Add("Vary", "Accept-Encoding");
    if (!etag_.empty()) Add("ETag", "\"" + etag_ + "\"");
    if (prepared_.status == 200 && (response_.file || response_.untrusted)) {
      Add("Accept-Ranges", "bytes");
    }
    if (!HasHeader(response_, "Cache-Control")) Add("Cache-Control", "no-cache");
    if (response_.untrusted && !HasHeader(response_, "Content-Disposition")) {
      const bool shown = response_.content_type.starts_with("image/") ||
                         response_.content_type.starts_with("audio/");
      Add("Content-Disposition", shown ? "inline" : "attachment");
    }
    for (const auto& [name, value] : response_.headers) Add(name, value);
    head += kSafeHeaders;
    if (request_.secure && !IsLocalName(request_.host)) head += kTransportPolicy;
    const std::string_view frames = connection_.frame_ancestors;
    if (frames.empty()) head += kNoFrames;
    head += response_.untrusted ? kBlobPolicy : kPagePolicy;
    head += frames.empty() || response_.untrusted ? "'none'" : frames;
    head += "\r\n";
    if (!connection_.keep_alive) {
      head += "Connection: close\r\n";
    } else if (connection_.http_1_0) {
      head += "Connection: keep-alive\r\n";
    }
    head += "\r\n";
  }

  // Removes line breaks, so that a header value cannot add headers.
  void Add(std::string_view name, std::string_view value) {
    std::string& head = prepared_.head;
    head += name;
    head += ": ";
    for (const char c : value) {
      if (c != '\r' && c != '\n' && c != '\0') head += c;
    }
    head += "\r\n";
  }

  void TakeBody() {
    if (request_.method == "HEAD" || prepared_.status == 304 || prepared_.status == 204 ||
        response_.events) {
      return;
    }
    if (response_.file) {
      prepared_.file = FileSlice{.file = std::move(response_.file->file),
                                 .offset = response_.file->offset + offset_,
                                 .length = size_};
      return;
    }
    prepared_.own_ = std::move(response_.body);
    prepared_.shared_ = std::move(response_.shared_body);
    prepared_.begin_ = static_cast<std::size_t>(offset_);
    prepared_.size_ = static_cast<std::size_t>(size_);
  }

  const HttpRequest& request_;
  HttpResponse response_;
  const ConnectionState connection_;
  PreparedResponse prepared_;
  std::string etag_;  // Without quotes.
  std::uint64_t offset_ = 0, size_ = 0;
  bool compressed_ = false;
};

PreparedResponse PrepareResponse(const HttpRequest& request, HttpResponse&& response,
                                 const ConnectionState& connection) {
  return ResponseBuilder(request, std::move(response), connection).Build();
}

bool IsSlowToPrepare(const HttpRequest& request, const HttpResponse& response) {
  constexpr std::size_t kLongBytes = 256 << 10;  // Takes about a millisecond to compress.
  const std::uint64_t size = SizeOf(response);
  return size >= kLongBytes && !response.gzip_body && WantsGzip(request, response, size);
}

std::string_view HttpDate(std::chrono::system_clock::time_point now) {
  struct Shown {
    std::time_t second = -1;
    std::array<char, 40> text = {};
    std::size_t length = 0;
  };
  static thread_local Shown shown;
  const std::time_t second = std::chrono::system_clock::to_time_t(now);
  if (second != shown.second) {
    std::tm parts = {};
    ::gmtime_r(&second, &parts);
    // Formats the date without strftime, because that depends on the user's locale.
    constexpr auto kDays = std::to_array({"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"});
    constexpr auto kMonths = std::to_array(
        {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"});
    const int length =
        std::snprintf(shown.text.data(), shown.text.size(), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                      kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                      kMonths[static_cast<std::size_t>(parts.tm_mon)], 1900 + parts.tm_year,
                      parts.tm_hour, parts.tm_min, parts.tm_sec);
    shown.length = std::min(static_cast<std::size_t>(length), shown.text.size() - 1);
    shown.second = second;
  }
  return {shown.text.data(), shown.length};
}

}  // namespace cboard::server
