#include <demo/demo_events.hpp>
#include <mobula/schema/demo_events_generated.h>

namespace mobula::client {

std::string_view chat_text(core::ByteView event) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(event.data()), event.size());
  if (!demo::events::VerifyEventBuffer(verifier)) return {};
  const demo::events::ChatMessage* const message = demo::events::GetEvent(event.data())->body_as_ChatMessage();
  return message == nullptr ? std::string_view() : message->text()->string_view();
}

}  // namespace mobula::client
