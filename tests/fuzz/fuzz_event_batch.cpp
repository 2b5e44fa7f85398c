// Arbitrary bytes as a batch of events: an accepted batch is in bounds and encodes to the same bytes.
#include <algorithm>
#include <fuzz/fuzz.hpp>
#include <mobula/wire/event_batch.hpp>
#include <mobula/wire/messages.hpp>

namespace fuzz_event_batch {

using namespace mobula;

namespace {

int run_target(const std::uint8_t* data, std::size_t size) {
  static wire::EventBatch batch;
  const core::ByteView bytes = fuzz::view(data, size);
  if (!wire::decode_event_batch(bytes, batch)) return 0;
  fuzz::require(!batch.events.empty(), "a batch has events");
  core::Bytes again;
  wire::begin_event_batch(batch.tick, again);
  for (const wire::EventBatch::Event& event : batch.events) {
    fuzz::require(event.bytes.size() <= wire::max_event_bytes, "an event in bounds");
    const bool added = wire::add_to_event_batch(event, again);
    fuzz::require(added || bytes.size() > wire::event_batch_bytes_shared,
                  "the events of a small datagram fit into one");
    if (!added) return 0;
  }
  fuzz::require(std::ranges::equal(again, bytes), "and encode to the same bytes");
  return 0;
}

const mobula::fuzz::Target target("event_batch", run_target);

}  // namespace
}  // namespace fuzz_event_batch
