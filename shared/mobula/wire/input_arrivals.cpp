#include <algorithm>
#include <mobula/core/assert.hpp>
#include <mobula/wire/input_arrivals.hpp>

namespace mobula::wire {
namespace {

constexpr unsigned arrivals_order = 0;

void remove(ReceivedBits& bits, std::uint32_t bit) { bits[bit / 64] &= ~(std::uint64_t{1} << bit % 64); }

// Returns the bits that the input acknowledges, of all that are noted.
ReceivedBits acknowledged(const InputDatagram& input) {
  ReceivedBits bits = input.received;
  std::fill(bits.begin() + input.words, bits.end(), 0);
  return bits;
}

SeenDeltas seen_of(const ReceivedBits& left, std::uint32_t newest) {
  const std::uint32_t first = next_received(left, 0);
  return first < received_bits_max ? SeenDeltas{newest - first, bits_from(left, first)} : SeenDeltas{};
}

}  // namespace

// --- Writing ---------------------------------------------------------------------------------------------------------

// The last command comes first: what arrived after it is missing in the sets of those before.
ArrivalWriter::ArrivalWriter(const InputDatagram& input, std::size_t commands) : input_(input), commands_(commands) {
  ReceivedBits left = acknowledged(input);
  std::size_t end = input.arrivals;
  for (std::size_t i = commands; i-- > 0;) {
    const std::uint8_t begin = input.commands[i].arrived_before;
    if (begin == arrivals_unknown || !list(i, begin, end, left)) {
      counts_[i] = arrivals_unknown_code;
      return;
    }
    end = begin;
  }
}

// Lists the arrivals from `begin` to `end`. Returns false if the input does not acknowledge one of them.
bool ArrivalWriter::list(std::size_t command, std::size_t begin, std::size_t end, ReceivedBits& left) {
  MOBULA_ASSERT(begin <= end && end <= input_arrivals_max, "arrivals are in the order of the commands");
  std::array<std::uint32_t, input_arrivals_max> ages;
  const auto last = std::transform(input_.arrived.begin() + begin, input_.arrived.begin() + end, ages.begin(),
                                   [&](std::uint32_t sequence) { return input_.newest - sequence; });
  std::sort(ages.begin(), last);
  std::uint32_t at = next_received(left, 0);
  for (std::size_t i = 0; i < end - begin; ++i) {
    std::uint8_t skips = 0;
    for (; at < std::min(ages[i], received_bits_max); at = next_received(left, at + 1)) ++skips;
    if (at != ages[i] || at >= received_bits_max) return false;
    skips_[begin + i] = skips;
    remove(left, at);
    at = next_received(left, at + 1);
  }
  counts_[command] = static_cast<std::uint8_t>(end - begin);
  first_[command] = static_cast<std::uint8_t>(begin);
  return true;
}

void ArrivalWriter::forget() {
  counts_ = {};
  counts_[commands_ - 1] = arrivals_unknown_code;
}

void ArrivalWriter::write(std::size_t command, core::BitWriter& bits) const {
  const std::uint8_t count = counts_[command];
  bits.write_golomb(count, arrivals_order);
  if (count == arrivals_unknown_code) return;
  for (std::size_t i = 0; i < count; ++i) bits.write_golomb(skips_[first_[command] + i], arrivals_order);
}

// --- Reading ---------------------------------------------------------------------------------------------------------

// A count above the greatest is malformed and has no list. So are lists of more than input_arrivals_max in all.
void ArrivalReader::read(core::BitReader& bits) {
  std::uint32_t count = bits.read_golomb(arrivals_order);
  const bool has_room = listed_ + count <= input_arrivals_max;
  first_[commands_] = static_cast<std::uint8_t>(listed_);
  for (std::uint32_t i = 0; i < count && count <= input_arrivals_max; ++i) {
    const std::uint32_t skips = bits.read_golomb(arrivals_order);
    if (has_room) skips_[listed_++] = skips;
  }
  if (count <= input_arrivals_max && !has_room) count = arrivals_unknown_code + 1;
  counts_[commands_++] = count;
}

// Takes the arrivals of a command out of `left`. Returns null, or what is malformed.
const char* ArrivalReader::resolve(std::size_t command, ReceivedBits& left, InputDatagram& input) {
  if (counts_[command] > arrivals_unknown_code) return "an input names at most 64 arrivals";
  std::uint32_t at = next_received(left, 0);
  for (std::uint32_t i = 0; i < counts_[command]; ++i) {
    for (std::uint32_t skips = skips_[first_[command] + i]; skips > 0 && at < received_bits_max; --skips)
      at = next_received(left, at + 1);
    if (at >= received_bits_max) return "it names the arrival of a delta that the input does not acknowledge";
    input.arrived[--free_] = input.newest - at;
    remove(left, at);
    at = next_received(left, at + 1);
  }
  return nullptr;
}

void ArrivalReader::finish(InputDatagram& input) {
  ReceivedBits left = acknowledged(input);
  std::size_t known = commands_;  // the first command whose arrivals are known
  for (; known > 0 && counts_[known - 1] != arrivals_unknown_code; --known) {
    InputCommand& command = input.commands[known - 1];
    if (const char* const malformed = resolve(known - 1, left, input); malformed != nullptr) {
      command.fault = malformed;
      break;
    }
    command.arrived_before = static_cast<std::uint8_t>(free_);
    command.seen = seen_of(left, input.newest);
  }
  const bool is_broken = known > 0 && counts_[known - 1] != arrivals_unknown_code;
  for (std::size_t i = 0; i < known; ++i) {
    input.commands[i].arrived_before = arrivals_unknown;
    if (!is_broken && i + 1 < known && counts_[i] != 0)
      input.commands[i].fault = "it names arrivals before unknown ones";
  }
  for (std::size_t i = known; i < commands_; ++i)
    input.commands[i].arrived_before = static_cast<std::uint8_t>(input.commands[i].arrived_before - free_);
  std::copy(input.arrived.begin() + static_cast<std::ptrdiff_t>(free_), input.arrived.end(), input.arrived.begin());
  input.arrivals = static_cast<std::uint8_t>(input_arrivals_max - free_);
}

}  // namespace mobula::wire
