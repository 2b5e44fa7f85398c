#include <bit>
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
constexpr std::uint8_t outcomes_flag = 128;  // in `held`
constexpr unsigned late_bits = 5;
constexpr std::uint8_t late_end = (1u << late_bits) - 1;
static_assert(commands_held_max < outcomes_flag && command_ticks_late_max < late_end);
static_assert(commands_held_max * (1 + late_bits) <= delta_outcomes_size_max * 8);

core::Error malformed_delta(const char* what) { return {"malformed delta", what}; }

std::uint8_t flags_of(const DeltaHeader& header) {
  return static_cast<std::uint8_t>((header.complete ? complete_flag : 0) | (header.verifies ? verifies_flag : 0) |
                                   (header.body != 0 ? body_flag : 0) | (header.commands.empty() ? 0 : feedback_flag) |
                                   (header.short_numbers ? 0 : long_flag) |
                                   (header.without_early ? without_early_flag : 0) |
                                   (header.lost_continue ? lost_continue_flag : 0));
}

// Returns the size without outcomes.
constexpr std::size_t size_of(std::uint8_t flags) {
  return 1 + 3 * ((flags & long_flag) != 0 ? sizeof(std::uint32_t) : sizeof(std::uint16_t)) +
         ((flags & feedback_flag) != 0 ? feedback_size : 0) + ((flags & verifies_flag) != 0 ? delta_hash_size : 0) +
         ((flags & body_flag) != 0 ? delta_body_number_size : 0);
}
static_assert(size_of(long_flag | feedback_flag) == delta_header_size_max);

void write_outcomes(const CommandFeedback& feedback, core::MutableBytes to) {
  core::BitWriter bits(to);
  const auto end = static_cast<std::uint32_t>(std::bit_width(feedback.unusual));
  std::size_t next = 0;
  for (std::uint32_t age = 0; age < end; ++age) {
    const bool is_unusual = (feedback.unusual >> age & 1) != 0;
    bits.write_bool(is_unusual);
    if (is_unusual) bits.write(feedback.late[next++], late_bits);
  }
  if (end < commands_held_max) bits.write(late_end << 1 | 1, 1 + late_bits);
  MOBULA_ASSERT(bits.ok(), "outcomes have the size that was computed");
}

// Reads outcomes. Returns null, or what is malformed.
const char* read_outcomes(core::BitReader& bits, CommandFeedback& feedback) {
  std::size_t count = 0;
  std::uint32_t age = 0;
  bool was_unusual = false;  // the outcome of the last listed command
  for (; age < commands_held_max; ++age) {
    const bool is_unusual = bits.read_bool();
    const auto late = static_cast<std::uint8_t>(is_unusual ? bits.read(late_bits) : 0);
    if (late == late_end) break;
    was_unusual = is_unusual;
    if (!is_unusual) continue;
    feedback.unusual |= std::uint64_t{1} << age;
    feedback.late[count++] = late;
  }
  const auto padding = static_cast<unsigned>((8 - bits.position() % 8) % 8);
  const bool is_padded = bits.read(padding) == 0;
  if (!bits.ok()) return "shorter than its header";
  if (!was_unusual || !is_padded || age > feedback.done) return "outcomes out of range";
  return nullptr;
}

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
  explicit HeaderReader(core::ByteView bytes) : bytes_(bytes) {}
  template <class T>
  T take() {
    const T value = core::load<T>(bytes_.data());
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  // Returns a number that may be short.
  std::optional<std::uint32_t> number(bool is_short, std::uint32_t known) {
    return is_short ? complete(take<std::uint16_t>(), known) : take<std::uint32_t>();
  }

  // Reads feedback. Returns null, or what is malformed.
  const char* feedback(CommandFeedback& out) {
    out.done = take<std::uint32_t>();
    const auto held = take<std::uint8_t>();
    out.held = static_cast<std::uint8_t>(held & ~outcomes_flag);
    out.margin = take<std::int8_t>();
    if (out.held > commands_held_max || out.empty()) return "feedback out of range";
    if ((held & outcomes_flag) == 0) return nullptr;
    core::BitReader bits(bytes_);
    if (const char* const malformed = read_outcomes(bits, out); malformed != nullptr) return malformed;
    bytes_ = bytes_.subspan(bits.position() / 8);
    return nullptr;
  }
  [[nodiscard]] std::size_t left() const { return bytes_.size(); }

 private:
  core::ByteView bytes_;
};

}  // namespace

std::size_t outcomes_size(const CommandFeedback& feedback) {
  if (feedback.unusual == 0) return 0;
  const auto listed = static_cast<std::uint32_t>(std::bit_width(feedback.unusual));
  const std::size_t end = listed < commands_held_max ? 1 + late_bits : 0;
  return (listed + feedback.outcomes() * late_bits + end + 7) / 8;
}

std::size_t header_size(const DeltaHeader& header) {
  return size_of(flags_of(header)) + outcomes_size(header.commands);
}

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
  if (const CommandFeedback& commands = header.commands; !commands.empty()) {
    const std::size_t outcomes = outcomes_size(commands);
    put(commands.done);
    put(static_cast<std::uint8_t>(commands.held | (outcomes > 0 ? outcomes_flag : 0)));
    put(commands.margin);
    if (outcomes > 0) write_outcomes(commands, {at, outcomes});
    at += outcomes;
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
  if ((flags & feedback_flag) != 0)
    if (const char* const malformed = reader.feedback(header.commands); malformed != nullptr)
      return malformed_delta(malformed);
  if (reader.left() < (header.verifies ? delta_hash_size : 0) + ((flags & body_flag) != 0 ? delta_body_number_size : 0))
    return malformed_delta("shorter than its header");
  if (header.verifies) header.hash = reader.take<std::uint64_t>();
  if ((flags & body_flag) == 0) return header;
  if (reader.left() != delta_body_number_size)
    return malformed_delta("a delta whose body was sent is a header and a number");
  header.body = reader.take<std::uint32_t>();
  if (header.body == 0) return malformed_delta("bodies are numbered from 1");
  return header;
}

}  // namespace mobula::wire
