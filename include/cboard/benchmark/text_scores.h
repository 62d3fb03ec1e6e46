// Error rates of recognized texts, and perplexity of language models.
//
//   TextErrors words;
//   words.Add(WordsOf("the cat sat"), WordsOf("the hat sat"));
//   words.Rate();  // 1/3
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::benchmark {

// Splits a text into words at blanks.
std::vector<std::string> WordsOf(std::string_view text);

// Splits UTF-8 into code points, including blanks. Each invalid byte is one character.
std::vector<std::string> CharactersOf(std::string_view text);

// Returns the edit distance: the smallest number of insertions, deletions and substitutions that
// turn `a` into `b`.
std::size_t EditDistance(std::span<const std::string> from, std::span<const std::string> to);

// Word error rate or character error rate: the number of edits divided by the number of tokens in
// the references.
class TextErrors {
 public:
  void Add(std::span<const std::string> reference, std::span<const std::string> text);
  double Rate() const;
  std::size_t token_count() const { return tokens_; }

 private:
  std::size_t edits_ = 0;
  std::size_t tokens_ = 0;
};

// Returns the tokens of the most likely CTC path: repeated tokens are merged and `blank` is
// removed.
std::vector<std::int64_t> DecodeCtc(std::span<const std::int64_t> best_tokens, std::int64_t blank);

// Perplexity: exp of the mean negative log likelihood.
class Perplexity {
 public:
  // Adds one position of a text: the logits of all tokens, and the next token. A position is
  // ignored if its next token is negative (padding) or has no logit.
  void Add(std::span<const double> logits, std::int64_t target);
  double Value() const;
  std::size_t token_count() const { return tokens_; }

 private:
  double sum_ = 0;
  std::size_t tokens_ = 0;
};

}  // namespace cboard::benchmark
