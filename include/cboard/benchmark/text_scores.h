// Error rates of texts and perplexity of language models.
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

// The words between blanks.
std::vector<std::string> WordsOf(std::string_view text);

// The code points of UTF-8, blanks included; bytes that are not UTF-8 count one each.
std::vector<std::string> CharactersOf(std::string_view text);

// The smallest number of insertions, deletions and substitutions that make one list of the other.
std::size_t EditDistance(std::span<const std::string> from, std::span<const std::string> to);

// WER of words, CER of characters: all edits by all tokens of the references.
class TextErrors {
 public:
  void Add(std::span<const std::string> reference, std::span<const std::string> text);
  double Rate() const;
  std::size_t token_count() const { return tokens_; }

 private:
  std::size_t edits_ = 0;
  std::size_t tokens_ = 0;
};

// The tokens of the most likely path of CTC: repeated tokens are one, `blank` is left out.
std::vector<std::int64_t> DecodeCtc(std::span<const std::int64_t> best_tokens, std::int64_t blank);

// exp of the mean negative log likelihood.
class Perplexity {
 public:
  // One position: the logits of all tokens, and the token that follows. A negative target is
  // padding and does not count; so does one beyond the logits.
  void Add(std::span<const double> logits, std::int64_t target);
  double Value() const;
  std::size_t token_count() const { return tokens_; }

 private:
  double sum_ = 0;
  std::size_t tokens_ = 0;
};

}  // namespace cboard::benchmark
