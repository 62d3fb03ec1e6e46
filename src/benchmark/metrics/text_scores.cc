#include "cboard/benchmark/text_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cboard::benchmark {

std::vector<std::string> WordsOf(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(kBlanks); at != text.npos;
       at = text.find_first_not_of(kBlanks, at)) {
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> CharactersOf(std::string_view text) {
  std::vector<std::string> characters;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at]);
    std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    length = std::min(length, text.size() - at);
    for (std::size_t i = 1; i < length; ++i) {
      if ((static_cast<unsigned char>(text[at + i]) & 0xC0) != 0x80) length = 1;
    }
    characters.emplace_back(text.substr(at, length));
    at += length;
  }
  return characters;
}

std::size_t EditDistance(std::span<const std::string> from, std::span<const std::string> to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const std::size_t above = row[k + 1];
      row[k + 1] = std::min({diagonal + (from[i] == to[k] ? 0 : 1), above + 1, row[k] + 1});
      diagonal = above;
    }
  }
  return row.back();
}

void TextErrors::Add(std::span<const std::string> reference, std::span<const std::string> text) {
  edits_ += EditDistance(reference, text);
  tokens_ += reference.size();
}

double TextErrors::Rate() const {
  return tokens_ == 0 ? 0 : static_cast<double>(edits_) / static_cast<double>(tokens_);
}

std::vector<std::int64_t> DecodeCtc(std::span<const std::int64_t> best_tokens, std::int64_t blank) {
  std::vector<std::int64_t> tokens;
  std::int64_t former = blank;
  for (const std::int64_t token : best_tokens) {
    if (token != former && token != blank) tokens.push_back(token);
    former = token;
  }
  return tokens;
}

void Perplexity::Add(std::span<const double> logits, std::int64_t target) {
  if (target < 0 || static_cast<std::size_t>(target) >= logits.size()) return;
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  sum_ += largest + std::log(sum) - logits[static_cast<std::size_t>(target)];
  ++tokens_;
}

double Perplexity::Value() const {
  if (tokens_ == 0) return std::numeric_limits<double>::quiet_NaN();
  return std::exp(sum_ / static_cast<double>(tokens_));
}

}  // namespace cboard::benchmark
