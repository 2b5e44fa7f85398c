#include <limits>
#include <mobula/core/assert.hpp>
#include <mobula/wire/delta.hpp>
#include <optional>

namespace mobula::wire {
namespace {

constexpr std::uint8_t complete_flag = 2;
constexpr std::uint8_t verifies_flag = 4;
constexpr std::uint8_t body_flag = 8;
constexpr std::uint8_t feedback_flag = 16;
constexpr std::uint8_t long_flag = 32;
constexpr std::uint8_t without_early_flag = 64;
constexpr std::uint8_t lost_continue_flag = 128;
constexpr std::uint8_t known_flags =
    complete_flag | verifies_flag | body_flag | feedback_flag | long_flag | without_early_flag | lost_continue_flag;
constexpr std::size_t feedback_size = 6;

core::Error malformed_delta(const char* what) { return {"malformed delta", what}; }

std::uint8_t flags_of(const DeltaHeader& header) {
  return static_cast<std::uint8_t>(
      (header.complete ? complete_flag : 0) | (header.verifies ? verifies_flag : 0) |
      (header.body != 0 ? body_flag : 0) | (header.commands != CommandFeedback{} ? feedback_flag : 0) |
      (header.short_numbers ? 0 : long_flag) | (header.without_early ? without_early_flag : 0) |
      (header.lost_continue ? lost_continue_flag : 0));
}

constexpr std::size_t size_of(std::uint8_t flags) {
  return 1 + 3 * ((flags & long_flag) != 0 ? sizeof(std::uint32_t) : sizeof(std::uint16_t)) +
         ((flags & feedback_flag) != 0 ? feedback_size : 0) + ((flags & verifies_flag) != 0 ? delta_hash_size : 0) +
         ((flags & body_flag) != 0 ? delta_body_number_size : 0);
}
static_assert(size_of(long_flag | feedback_flag) == delta_header_size_max);

// Returns the number with these low bits that is nearest to `known`. Nothing if it is no number of 32 bits, or if two
// are equally near.
std::optional<std::uint32_t> complete(std::uint16_t low, std::uint32_t known) {
  const auto distance = static_cast<std::int16_t>(low - known);
  const std::int64_t number = std::int64_t{known} + distance;
  if (distance == std::numeric_limits<std::int16_t>::min() || number < 0 ||
      number > std::numeric_limits<std::uint32_t>::max())
    return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

class HeaderReader {
 public:
  explicit HeaderReader(core::ByteView bytes) : at_(bytes.data()) {}
  template <class T>
  T take() {
    const T value = core::load<T>(at_);
    at_ += sizeof(T);
    return value;
  }
  // Returns a number that may be short.
  std::optional<std::uint32_t> number(bool is_short, std::uint32_t known) {
    return is_short ? complete(take<std::uint16_t>(), known) : take<std::uint32_t>();
  }

 private:
  const std::byte* at_;
};

}  // namespace

std::size_t header_size(const DeltaHeader& header) { return size_of(flags_of(header)); }

std::size_t write_header(const DeltaHeader& header, core::MutableBytes to) {
  MOBULA_ASSERT(to.size() >= header_size(header), "the buffer holds a header");
  std::byte* at = to.data();
  const auto put = [&](auto value) {
    core::store(at, value);
    at += sizeof(value);
  };
  put(flags_of(header));
  for (const std::uint32_t number : {header.sequence, header.tick, header.ack})
    header.short_numbers ? put(static_cast<std::uint16_t>(number)) : put(number);
  if (header.commands != CommandFeedback{}) {
    put(header.commands.done);
    put(header.commands.held);
    put(header.commands.margin);
  }
  if (header.verifies) put(header.hash);
  if (header.body != 0) put(header.body);
  return static_cast<std::size_t>(at - to.data());
}

core::Result<DeltaHeader> read_delta_header(core::ByteView datagram, const KnownNumbers& known) {
  if (datagram.empty()) return malformed_delta("shorter than its header");
  const auto flags = std::to_integer<std::uint8_t>(datagram[0]);
  if ((flags & ~known_flags) != 0) return malformed_delta("header out of range");
  if (datagram.size() < size_of(flags)) return malformed_delta("shorter than its header");
  HeaderReader reader(datagram.subspan(1));
  DeltaHeader header{.complete = (flags & complete_flag) != 0,
                     .verifies = (flags & verifies_flag) != 0,
                     .lost_continue = (flags & lost_continue_flag) != 0,
                     .short_numbers = (flags & long_flag) == 0,
                     .without_early = (flags & without_early_flag) != 0};
  const std::optional<std::uint32_t> sequence = reader.number(header.short_numbers, known.sequence);
  const std::optional<std::uint32_t> tick = reader.number(header.short_numbers, known.tick);
  const std::optional<std::uint32_t> ack = reader.number(header.short_numbers, known.ack);
  if (!sequence || *sequence == 0 || !tick || *tick == 0 || !ack) return malformed_delta("header out of range");
  if (header.short_numbers && *sequence < known.long_sequence)
    return core::Error{"too late", "its short numbers are of before a delta with long ones"};
  header.sequence = *sequence;
  header.tick = *tick;
  header.ack = *ack;
  if ((flags & feedback_flag) != 0) {
    header.commands.done = reader.take<std::uint32_t>();
    header.commands.held = reader.take<std::uint8_t>();
    header.commands.margin = reader.take<std::int8_t>();
  }
  if (header.verifies) header.hash = reader.take<std::uint64_t>();
  if ((flags & body_flag) == 0) return header;
  if (datagram.size() != size_of(flags)) return malformed_delta("a delta whose body was sent is a header and a number");
  header.body = reader.take<std::uint32_t>();
  if (header.body == 0) return malformed_delta("bodies are numbered from 1");
  return header;
}

}  // namespace mobula::wire
