#include "server/http/request_reader.h"

#include <utility>  // Must precede Asio 1.74, which does not include it.
// This comment separates two blocks, so that clang-format does not sort them together.
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/http/content_coding.h"

namespace cboard::server {
namespace {

namespace http = boost::beast::http;
using boost::system::error_code;

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

int StatusOfParseError(const error_code& error) {
  if (error == http::error::header_limit) return 431;
  if (error == http::error::body_limit) return 413;
  return 400;
}

}  // namespace

struct RequestReader::Parser : http::request_parser<http::string_body> {};

RequestReader::RequestReader(const RequestLimits& limits)
    : parser_(std::make_unique<Parser>()), limits_(limits) {
  parser_->header_limit(limits.max_header_bytes);
  parser_->body_limit(limits.max_body_bytes);
  parser_->eager(true);
}

RequestReader::~RequestReader() = default;

namespace {

// Detects a header line that continues in the next line ("obs-fold", RFC 9112). It is refused,
// because servers and proxies interpret it differently.
bool HasFoldedLine(std::string_view header) {
  header = header.substr(0, header.find("\r\n\r\n"));
  for (std::size_t end = header.find('\n'); end != header.npos; end = header.find('\n', end + 1)) {
    const std::string_view next = header.substr(end + 1);
    if (next.starts_with(' ') || next.starts_with('\t')) return true;
  }
  return false;
}

// Detects an ambiguous body length: a proxy that reads it differently would take the rest of the
// body for another client's request.
template <typename Header>
bool HasAmbiguousLength(const Header& header) {
  const std::size_t codings = header.count(http::field::transfer_encoding);
  const std::size_t lengths = header.count(http::field::content_length);
  if (codings == 0) return lengths > 1;
  return codings > 1 || lengths > 0 || header.version() < 11 ||
         !EqualIgnoringCase(Trimmed(View(header[http::field::transfer_encoding])), "chunked");
}

}  // namespace

std::size_t RequestReader::Take(std::string_view bytes) {
  error_code error;
  const bool had_header = parser_->is_header_done();
  const std::size_t used =
      parser_->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (error && error != http::error::need_more) refused_ = StatusOfParseError(error);
  const bool has_header = parser_->is_header_done();
  if (used > 0) has_line_ = true;
  if ((!has_line_ && bytes.size() > limits_.max_target_bytes &&
       bytes.find('\n') == std::string_view::npos) ||
      (has_header && parser_->get().target().size() > limits_.max_target_bytes)) {
    refused_ = 414;
  }
  // Refuses a request with two Host headers, because a proxy may have used the other one.
  if (has_header && parser_->get().count(http::field::host) > 1) refused_ = 400;
  if (has_header && HasAmbiguousLength(parser_->get())) refused_ = 400;
  if (!had_header && HasFoldedLine(bytes.substr(0, used))) refused_ = 400;
  return used;
}

bool RequestReader::done() const { return parser_->is_done(); }

bool RequestReader::WantsContinue() {
  return parser_->is_header_done() && !parser_->is_done() &&
         !std::exchange(asked_to_continue_, true) &&
         EqualIgnoringCase(View(parser_->get()[http::field::expect]), "100-continue");
}

ConnectionState RequestReader::state() const {
  return {.http_1_0 = parser_->get().version() < 11, .keep_alive = parser_->get().keep_alive()};
}

HttpRequest RequestReader::Message() {
  auto& parsed = parser_->get();
  HttpRequest request{.method = std::string(View(parsed.method_string())),
                      .target = std::string(View(parsed.target())),
                      .host = std::string(View(parsed[http::field::host]))};
  request.headers.reserve(16);
  for (const auto& field : parsed) {
    request.headers.emplace_back(View(field.name_string()), View(field.value()));
  }
  request.body = std::move(parsed.body());
  return request;
}

}  // namespace cboard::server
