// Arbitrary bytes as a reliable message: an accepted message stays the same when it is encoded and decoded again.
#include <fuzz/fuzz.hpp>
#include <mobula/wire/messages.hpp>

namespace fuzz_message {

using namespace mobula;

namespace {

int run_target(const std::uint8_t* data, std::size_t size) {
  const core::Result<wire::Message> decoded = wire::decode_message(fuzz::view(data, size));
  if (!decoded) return 0;
  const core::Bytes again = wire::encode(*decoded);
  const core::Result<wire::Message> twice = wire::decode_message(again);
  fuzz::require(twice.ok(), "a message that was accepted is accepted again");
  fuzz::require(wire::encode(*twice) == again, "and stays the same");
  return 0;
}

const mobula::fuzz::Target target("message", run_target);

}  // namespace
}  // namespace fuzz_message
