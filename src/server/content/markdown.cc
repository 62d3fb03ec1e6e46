#include "server/content/markdown.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "cboard/base/strings.h"

namespace cboard::server {
namespace {

void AppendEscaped(std::string& html, std::string_view text, bool attribute) {
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += attribute ? "&quot;" : "\"";
        break;
      default:
        html += c;
    }
  }
}

// Returns true for addresses that a browser opens without running a script. The text before the
// first ':' is a scheme unless a '/', '?' or '#' comes first. Addresses with control characters or
// spaces in the scheme are refused, because browsers ignore these characters.
bool IsSafeAddress(std::string_view address) {
  const auto hidden = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == 0x7F; };
  if (std::ranges::any_of(address, hidden)) return false;
  const std::size_t end = address.find_first_of(":/?#");
  if (end == std::string_view::npos || address[end] != ':') return true;
  std::string scheme(address.substr(0, end));
  std::ranges::transform(scheme, scheme.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::array<std::string_view, 3> kSchemes = {"http", "https", "mailto"};
  return std::ranges::find(kSchemes, scheme) != kSchemes.end();
}

std::string_view TextOf(const MD_ATTRIBUTE& attribute) {
  return attribute.text == nullptr ? std::string_view()
                                   : std::string_view(attribute.text, attribute.size);
}

// Turns the parser's calls into HTML. While an image is open, its description is written to the
// `alt` attribute.
class Renderer {
 public:
  std::string Take() { return std::move(html_); }

  void EnterBlock(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        html_ += "<blockquote>\n";
        break;
      case MD_BLOCK_UL:
        html_ += "<ul>\n";
        break;
      case MD_BLOCK_OL:
        html_ += "<ol>\n";
        break;
      case MD_BLOCK_LI:
        html_ += "<li>";
        break;
      case MD_BLOCK_HR:
        html_ += "<hr>\n";
        break;
      case MD_BLOCK_H:
        html_ += "<h" + Level(detail) + ">";
        break;
      case MD_BLOCK_CODE:
        html_ += "<pre><code>";
        break;
      case MD_BLOCK_P:
        html_ += "<p>";
        break;
      case MD_BLOCK_TABLE:
        html_ += "<table>\n";
        break;
      case MD_BLOCK_THEAD:
        html_ += "<thead>\n";
        break;
      case MD_BLOCK_TBODY:
        html_ += "<tbody>\n";
        break;
      case MD_BLOCK_TR:
        html_ += "<tr>\n";
        break;
      case MD_BLOCK_TH:
        html_ += "<th>";
        break;
      case MD_BLOCK_TD:
        html_ += "<td>";
        break;
      case MD_BLOCK_DOC:
      case MD_BLOCK_HTML:
        break;
    }
  }

  void LeaveBlock(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        html_ += "</blockquote>\n";
        break;
      case MD_BLOCK_UL:
        html_ += "</ul>\n";
        break;
      case MD_BLOCK_OL:
        html_ += "</ol>\n";
        break;
      case MD_BLOCK_LI:
        html_ += "</li>\n";
        break;
      case MD_BLOCK_H:
        html_ += "</h" + Level(detail) + ">\n";
        break;
      case MD_BLOCK_CODE:
        html_ += "</code></pre>\n";
        break;
      case MD_BLOCK_P:
        html_ += "</p>\n";
        break;
      case MD_BLOCK_TABLE:
        html_ += "</table>\n";
        break;
      case MD_BLOCK_THEAD:
        html_ += "</thead>\n";
        break;
      case MD_BLOCK_TBODY:
        html_ += "</tbody>\n";
        break;
      case MD_BLOCK_TR:
        html_ += "</tr>\n";
        break;
      case MD_BLOCK_TH:
        html_ += "</th>\n";
        break;
      case MD_BLOCK_TD:
        html_ += "</td>\n";
        break;
      case MD_BLOCK_DOC:
      case MD_BLOCK_HR:
      case MD_BLOCK_HTML:
        break;
    }
  }

  void EnterSpan(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_IMG && images_++ == 0) {
      html_ += "<img alt=\"";
      return;
    }
    if (images_ > 0) return;
    if (type == MD_SPAN_A) {
      const auto& link = *static_cast<const MD_SPAN_A_DETAIL*>(detail);
      html_ += "<a";
      WriteAddress("href", TextOf(link.href));
      WriteTitle(TextOf(link.title));
      html_ += ">";
    } else {
      html_ += Element(type, "<");
    }
  }

  void LeaveSpan(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_IMG && --images_ == 0) {
      const auto& image = *static_cast<const MD_SPAN_IMG_DETAIL*>(detail);
      html_ += "\"";
      WriteAddress("src", TextOf(image.src));
      WriteTitle(TextOf(image.title));
      html_ += ">";
      return;
    }
    if (images_ == 0) html_ += Element(type, "</");
  }

  void Text(MD_TEXTTYPE type, std::string_view text) {
    switch (type) {
      case MD_TEXT_BR:
        html_ += images_ > 0 ? " " : "<br>\n";
        break;
      case MD_TEXT_SOFTBR:
        html_ += images_ > 0 ? " " : "\n";
        break;
      case MD_TEXT_ENTITY:  // "&nbsp;", which the parser has validated.
        html_ += text;
        break;
      default:
        AppendEscaped(html_, text, images_ > 0);
    }
  }

 private:
  static std::string Level(void* detail) {
    return std::to_string(static_cast<const MD_BLOCK_H_DETAIL*>(detail)->level);
  }

  static std::string Element(MD_SPANTYPE type, std::string_view opening) {
    std::string_view name;
    if (type == MD_SPAN_EM) name = "em";
    if (type == MD_SPAN_STRONG) name = "strong";
    if (type == MD_SPAN_CODE) name = "code";
    if (type == MD_SPAN_A) name = "a";
    return name.empty() ? std::string() : std::string(opening).append(name).append(">");
  }

  // Writes entities in an address as plain characters ("&colon;" is not turned into ':'), so that
  // none can hide a scheme.
  void WriteAddress(std::string_view name, std::string_view address) {
    if (!IsSafeAddress(address)) return;
    html_.append(" ").append(name).append("=\"");
    AppendEscaped(html_, address, true);
    html_ += "\"";
  }

  void WriteTitle(std::string_view title) {
    if (title.empty()) return;
    html_ += " title=\"";
    AppendEscaped(html_, title, true);
    html_ += "\"";
  }

  std::string html_;
  int images_ = 0;  // Open ones.
};

// Returns true for the second line of a table: |---|:-:|.
bool IsDelimiterRow(std::string_view line) {
  return line.find_first_not_of(" \t\r|:-") == std::string_view::npos &&
         line.find('|') != std::string_view::npos && line.find('-') != std::string_view::npos;
}

// Writes |-|-| as |---|---|: md4c 0.4 requires three dashes, GitHub and TensorBoard one. Fenced and
// indented code is unchanged.
std::string WithLongDelimiters(std::string_view text) {
  std::string result;
  char fence = 0;  // The character of the open fence.
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    const std::string_view line = text.substr(0, size);
    text.remove_prefix(size);
    const std::string_view content = line.substr(0, line.find('\n'));
    const std::size_t indent = std::min(content.find_first_not_of(' '), content.size());
    const std::string_view inner = content.substr(indent);
    if (inner.starts_with("```") || inner.starts_with("~~~")) {
      if (fence == 0) {
        fence = inner.front();
      } else if (fence == inner.front()) {
        fence = 0;
      }
    }
    if (fence != 0 || indent > 3 || !IsDelimiterRow(content)) {
      result += line;
      continue;
    }
    for (std::size_t i = 0; i < line.size(); ++i) {
      result += line[i];
      const bool is_first = line[i] == '-' && (i == 0 || line[i - 1] != '-');
      if (is_first) result += "--";
    }
  }
  return result;
}

Renderer& RendererOf(void* user) { return *static_cast<Renderer*>(user); }

}  // namespace

std::string MarkdownToSafeHtml(std::string_view source) {
  std::string text = ToValidUtf8(source);
  const std::size_t null_bytes = std::erase(text, '\0');
  text = WithLongDelimiters(text);
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    RendererOf(user).EnterBlock(type, detail);
    return 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
    RendererOf(user).LeaveBlock(type, detail);
    return 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
    RendererOf(user).EnterSpan(type, detail);
    return 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void* detail, void* user) {
    RendererOf(user).LeaveSpan(type, detail);
    return 0;
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* chars, MD_SIZE size, void* user) {
    RendererOf(user).Text(type, std::string_view(chars, size));
    return 0;
  };
  Renderer renderer;
  if (md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &renderer) != 0) {
    return EscapeHtml(text);  // The parser ran out of memory.
  }
  std::string html = renderer.Take();
  while (html.ends_with('\n')) html.pop_back();
  if (null_bytes == 0) return html;
  return "<!-- WARNING: discarded " + std::to_string(null_bytes) +
         " null bytes in markdown string after UTF-8 decoding -->\n" + html;
}

std::string EscapeHtml(std::string_view text) {
  std::string html;
  AppendEscaped(html, ToValidUtf8(text), false);
  return html;
}

}  // namespace cboard::server
