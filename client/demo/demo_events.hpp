// Events of the demo game, from bytes of schema/demo_events.fbs.
#pragma once

#include <mobula/core/bytes.hpp>
#include <string_view>

namespace mobula::client {

/// Returns the text of a chat message, within the event. Empty for other and for malformed events.
std::string_view chat_text(core::ByteView event);

}  // namespace mobula::client
