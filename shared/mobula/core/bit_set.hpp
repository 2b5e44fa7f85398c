// Set of small numbers: one bit each, in words that can be iterated.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mobula::core {

/// Calls function(number) for each set bit of a word, in rising order. `first` is the number of its lowest bit.
template <class Function>
void each_bit(std::uint64_t word, std::size_t first, Function&& function) {
  for (; word != 0; word &= word - 1) function(first + static_cast<std::size_t>(std::countr_zero(word)));
}

/// Set of small numbers, one bit each.
class BitSet {
 public:
  static constexpr std::size_t word_bits = 64;

  /// Grows the set to hold numbers below `end`. Keeps its contents.
  void make_room(std::size_t end) {
    if (end > words_.size() * word_bits) words_.resize((end + word_bits - 1) / word_bits);
  }
  /// Returns whether the set has a number, which is below the `end` of make_room(). insert() and erase() require this
  /// too.
  [[nodiscard]] bool contains(std::size_t number) const { return (words_[number / word_bits] & bit(number)) != 0; }
  void insert(std::size_t number) { words_[number / word_bits] |= bit(number); }
  void erase(std::size_t number) { words_[number / word_bits] &= ~bit(number); }
  void clear() { words_.assign(words_.size(), 0); }
  /// Calls function(number) for each number of the set, in rising order. The function may erase its number.
  template <class Function>
  void each(Function&& function) const {
    for (std::size_t word = 0; word < words_.size(); ++word) each_bit(words_[word], word * word_bits, function);
  }

  /// Returns the words. Bit n of word w is set if w * word_bits + n is in the set.
  [[nodiscard]] std::span<const std::uint64_t> words() const { return words_; }

 private:
  static std::uint64_t bit(std::size_t number) { return std::uint64_t{1} << number % word_bits; }

  std::vector<std::uint64_t> words_;
};

}  // namespace mobula::core
