#include <bit>
#include <mobula/wire/received_deltas.hpp>

namespace mobula::wire {

ReceivedBits later(const ReceivedBits& bits, std::uint32_t steps) {
  ReceivedBits result{};
  const std::size_t words = steps / 64;
  const unsigned rest = steps % 64;
  for (std::size_t word = words; word < input_words_max; ++word) {
    result[word] = bits[word - words] << rest;
    if (rest > 0 && word > words) result[word] |= bits[word - words - 1] >> (64 - rest);
  }
  return result;
}

std::uint64_t bits_from(const ReceivedBits& bits, std::uint32_t first) {
  const std::size_t word = first / 64;
  const unsigned rest = first % 64;
  if (word >= input_words_max) return 0;
  const std::uint64_t low = bits[word] >> rest;
  return rest > 0 && word + 1 < input_words_max ? low | bits[word + 1] << (64 - rest) : low;
}

std::uint32_t next_received(const ReceivedBits& bits, std::uint32_t first) {
  for (std::uint32_t at = first; at < received_bits_max; at += 64 - at % 64)
    if (const std::uint64_t rest = bits[at / 64] >> at % 64; rest != 0)
      return at + static_cast<std::uint32_t>(std::countr_zero(rest));
  return received_bits_max;
}

}  // namespace mobula::wire
