#include <mobula/schema/wire_generated.h>

#include <mobula/core/bit_stream.hpp>
#include <mobula/core/golomb.hpp>
#include <mobula/wire/input.hpp>
#include <mobula/wire/input_arrivals.hpp>
#include <optional>

namespace mobula::wire {
namespace {

static_assert(sizeof(flat::InputStart) == input_start_size);

constexpr unsigned step_order = 0;
constexpr unsigned size_order = 4;
constexpr unsigned lag_order = 10;
constexpr std::size_t commands_start_size = 8;
constexpr std::uint32_t lag_end = (std::uint32_t{view_lag_ticks_max} + 1) * 256;

core::Error malformed_input(const char* what) { return {"malformed input", what}; }

std::uint32_t lag_of(const InputCommand& command) {
  const std::uint64_t view = std::uint64_t{command.view_tick} * 256 + command.view_fraction;
  const std::uint64_t tick = std::uint64_t{command.tick} * 256;
  MOBULA_ASSERT(view <= tick && tick - view < lag_end, "a view is 0 to 65535 ticks before its command's tick");
  return static_cast<std::uint32_t>(tick - view);
}

std::size_t bits_of(const InputCommand& command) {
  MOBULA_ASSERT(command.bytes.size() <= command_bytes_max, "a command is longer than 512 bytes");
  return core::golomb_bits(static_cast<std::uint32_t>(command.bytes.size()), size_order) +
         core::golomb_bits(lag_of(command), lag_order);
}

// Returns how many commands, from the first on, fit without their arrivals.
std::size_t count_fitting(const InputDatagram& input, std::size_t bytes_max) {
  std::size_t bits = 0;
  std::size_t bytes = input_start_size + input.words * sizeof(std::uint64_t) + commands_start_size;
  std::size_t count = 0;
  for (; count < input.commands.size() && count < input_commands_max; ++count) {
    const InputCommand& command = input.commands[count];
    if (count > 0) {
      MOBULA_ASSERT(command.tick >= input.commands[count - 1].tick, "commands are by ascending tick");
      bits += core::golomb_bits(command.tick - input.commands[count - 1].tick, step_order);
    }
    bits += bits_of(command);
    bytes += command.bytes.size();
    if (bytes + (bits + 7) / 8 > bytes_max) break;
  }
  return count;
}

// Returns the number of bytes; nothing if the commands do not fit.
std::optional<std::size_t> write_commands(std::span<const InputCommand> commands, const ArrivalWriter& arrivals,
                                          core::MutableBytes to) {
  core::BitWriter bits(to);
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (i > 0) bits.write_golomb(commands[i].tick - commands[i - 1].tick, step_order);
    bits.write_golomb(static_cast<std::uint32_t>(commands[i].bytes.size()), size_order);
    bits.write_golomb(lag_of(commands[i]), lag_order);
    arrivals.write(i, bits);
  }
  if (!bits.ok()) return std::nullopt;
  std::size_t size = bits.bytes();
  for (const InputCommand& command : commands) {
    if (command.bytes.size() > to.size() - size) return std::nullopt;
    if (!command.bytes.empty()) std::memcpy(&to[size], command.bytes.data(), command.bytes.size());
    size += command.bytes.size();
  }
  return size;
}

// Writes as many of the first `count` commands as fit with their arrivals. A command that does not even fit alone is
// sent without.
EncodedInput write_fitting(const InputDatagram& input, std::size_t count, core::MutableBytes to) {
  const std::span<const InputCommand> commands(input.commands);
  for (; count > 0; --count) {
    ArrivalWriter arrivals(input, count);
    if (const auto bytes = write_commands(commands.first(count), arrivals, to)) return {*bytes, count};
    if (count > 1) continue;
    arrivals.forget();
    if (const auto bytes = write_commands(commands.first(count), arrivals, to)) return {*bytes, count};
  }
  MOBULA_ASSERT(false, "the least buffer holds any one command");
  return {};
}

// Whether it acknowledges deltas before the first.
bool has_impossible_bits(const InputDatagram& input) {
  for (std::uint32_t word = 0; word < input_words_max; ++word) {
    const std::uint32_t possible = input.newest > word * 64 ? input.newest - word * 64 : 0;
    if (possible < 64 && input.received[word] >> possible != 0) return true;
  }
  return false;
}

// Decodes the commands: first the description of each, then their bytes. run() returns null, or a mistake that hides
// where the commands end. Mistakes within one command are marked in it.
class CommandsDecoder {
 public:
  CommandsDecoder(core::ByteView from, InputDatagram& out) : from_(from), bits_(from), out_(out) {}

  const char* run(std::uint32_t first_tick) {
    std::uint64_t tick = first_tick;
    ecs::Tick last = first_tick;
    for (std::size_t i = 0; i < out_.commands.size(); ++i) {
      if (i > 0) tick += bits_.read_golomb(step_order);
      const bool has_tick = tick <= 0xffffffffull;
      if (has_tick) last = static_cast<ecs::Tick>(tick);
      describe(out_.commands[i], last, sizes_[i]);
      if (!has_tick) out_.commands[i].fault = "its tick is above 2^32 - 1";
      arrivals_.read(bits_);
      if (!bits_.ok()) return "ends within its commands";
    }
    const std::size_t padding = (8 - bits_.position() % 8) % 8;
    if (bits_.read(static_cast<unsigned>(padding)) != 0) return "the padding bits are not zero";
    arrivals_.finish(out_);
    return hand_out_bytes(from_.subspan(bits_.position() / 8));
  }

 private:
  void describe(InputCommand& command, ecs::Tick due, std::uint32_t& size) {
    size = bits_.read_golomb(size_order);
    const std::uint32_t lag = bits_.read_golomb(lag_order);
    const std::uint64_t tick = std::uint64_t{due} * 256;
    const bool has_view = lag < lag_end && lag <= tick;
    const std::uint64_t view = has_view ? tick - lag : tick;
    command = {.tick = due,
               .view_tick = static_cast<ecs::Tick>(view / 256),
               .view_fraction = static_cast<std::uint8_t>(view),
               .bytes = {}};
    if (!has_view) command.fault = "its view is before tick 0, or more than 65535 ticks before its tick";
    if (size > command_bytes_max) command.fault = "it is longer than 512 bytes";
  }

  const char* hand_out_bytes(core::ByteView rest) {
    for (std::size_t i = 0; i < out_.commands.size(); ++i) {
      if (sizes_[i] > rest.size()) return "ends within a command";
      if (sizes_[i] <= command_bytes_max) out_.commands[i].bytes = rest.first(sizes_[i]);
      rest = rest.subspan(sizes_[i]);
    }
    return rest.empty() ? nullptr : "bytes after the last command";
  }

  core::ByteView from_;
  core::BitReader bits_;
  InputDatagram& out_;
  ArrivalReader arrivals_;
  std::array<std::uint32_t, input_commands_max> sizes_{};
};

// Decodes `count` commands. Returns null, or what is malformed.
const char* decode_commands(core::ByteView rest, std::size_t count, InputDatagram& out) {
  out.commands.resize(count);
  if (count == 0) return rest.empty() ? nullptr : "bytes without commands";
  if (rest.size() < commands_start_size) return "ends before its commands";
  out.first_command = core::load<std::uint32_t>(rest.data());
  const auto first_tick = core::load<std::uint32_t>(rest.data() + sizeof(std::uint32_t));
  if (out.first_command == 0 || out.first_command + std::uint64_t{count} > std::uint64_t{1} << 32)
    return "a command's number is 1 to 2^32 - 1";
  return CommandsDecoder(rest.subspan(commands_start_size), out).run(first_tick);
}

}  // namespace

void forget_acknowledgement(InputDatagram& input) {
  input.newest = 0;
  input.words = 1;
  input.received = {};
  input.arrivals = 0;
  for (InputCommand& command : input.commands) {
    command.arrived_before = arrivals_unknown;
    command.seen = {};
  }
}

EncodedInput encode_input(const InputDatagram& input, core::MutableBytes to) {
  MOBULA_ASSERT(to.size() >= input_bytes_least, "the buffer holds an input with one command");
  to = to.first(std::min(to.size(), input_bytes_max));
  MOBULA_ASSERT(input.ack > 0 && input.words >= 1 && input.words <= input_words_max, "an input out of range");
  const std::size_t count = count_fitting(input, to.size());
  std::size_t size = input_start_size + input.words * sizeof(std::uint64_t);
  EncodedInput encoded;
  if (count > 0) {
    MOBULA_ASSERT(input.first_command > 0, "commands are numbered from 1");
    encoded = write_fitting(input, count, to.subspan(size + commands_start_size));
    core::store(&to[size], input.first_command);
    core::store(&to[size + sizeof(std::uint32_t)], input.commands[0].tick);
    size += commands_start_size;
  }
  core::store(to.data(),
              flat::InputStart(input.ack, input.newest, input.words, static_cast<std::uint8_t>(encoded.commands), 0));
  std::memcpy(&to[input_start_size], input.received.data(), input.words * sizeof(std::uint64_t));
  return {size + encoded.bytes, encoded.commands};
}

core::Status decode_input(core::ByteView datagram, InputDatagram& out) {
  if (datagram.size() > input_bytes_max) return malformed_input("longer than 1190 bytes");
  if (datagram.size() < input_start_size) return malformed_input("shorter than its header of 12 bytes");
  const auto start = core::load<flat::InputStart>(datagram.data());
  if (start.ack() == 0 || start.reserved() != 0) return malformed_input("a header out of range");
  if (start.words() == 0 || start.words() > input_words_max) return malformed_input("an input has 1 to 4 words");
  const core::ByteView rest = datagram.subspan(input_start_size);
  const std::size_t words_bytes = start.words() * sizeof(std::uint64_t);
  if (rest.size() < words_bytes) return malformed_input("ends within its words");
  out.ack = start.ack();
  out.newest = start.newest();
  out.words = start.words();
  out.received = {};
  std::memcpy(out.received.data(), rest.data(), words_bytes);
  if (has_impossible_bits(out)) return malformed_input("acknowledges a delta before the first");
  out.arrivals = 0;
  out.first_command = 0;
  out.commands_fault = start.commands() > input_commands_max
                           ? "more than 32 commands"
                           : decode_commands(rest.subspan(words_bytes), start.commands(), out);
  if (out.commands_fault != nullptr) {
    out.commands.clear();
    out.arrivals = 0;
    out.first_command = 0;
  }
  return core::Done{};
}

}  // namespace mobula::wire
