// Arbitrary bytes as a client's input: what is decoded is in bounds, and an accepted input encodes to the same bytes.
#include <algorithm>
#include <fuzz/fuzz.hpp>
#include <mobula/wire/input.hpp>

namespace fuzz_input {

using namespace mobula;

namespace {

int run_target(const std::uint8_t* data, std::size_t size) {
  static wire::InputDatagram input;  // reused, as a server does
  const core::ByteView bytes = fuzz::view(data, size);
  if (!wire::decode_input(bytes, input)) return 0;
  fuzz::require(input.commands.size() <= wire::input_commands_max, "commands in bounds");
  fuzz::require(input.commands.empty() == (input.first_command == 0), "commands have numbers");
  for (const wire::InputCommand& command : input.commands) {
    fuzz::require(command.bytes.size() <= wire::command_bytes_max, "a command in bounds");
    fuzz::require(command.view_tick <= command.tick, "a view tick is not in the future");
    fuzz::require(command.seen.newest <= input.newest, "a client had seen no delta that it does not acknowledge");
    fuzz::require(command.arrived_before == wire::arrivals_unknown || command.arrived_before <= input.arrivals,
                  "arrivals in bounds");
  }
  const bool malformed = input.commands_fault != nullptr ||
                         std::ranges::any_of(input.commands, [](const auto& each) { return each.fault != nullptr; });
  if (malformed) return 0;
  core::Bytes again(wire::input_bytes_max);
  const wire::EncodedInput encoded = wire::encode_input(input, again);
  fuzz::require(encoded.commands == input.commands.size(), "the commands of a datagram fit into one");
  fuzz::require(std::ranges::equal(core::ByteView(again).first(encoded.bytes), bytes), "and encode to the same bytes");
  return 0;
}

const mobula::fuzz::Target target("input", run_target);

}  // namespace
}  // namespace fuzz_input
