#include <bots/chat_numbers.hpp>
#include <charconv>
#include <demo/demo_commands.hpp>
#include <demo/demo_events.hpp>
#include <mobula/core/format.hpp>

namespace mobula::client {
core::Bytes ChatNumbers::next_command() {
  received_.push_back(false);
  return chat_command(core::format("{} {}", key_, received_.size() - 1));
}

bool ChatNumbers::is_repeated(core::ByteView event) {
  if (received_.size() == 1) return false;  // most bots send none, and need not read events
  std::string_view text = chat_text(event);
  if (!text.starts_with(key_ + ' ')) return false;
  text.remove_prefix(key_.size() + 1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number >= received_.size()) return false;
  const bool repeated = received_[number];
  received_[number] = true;
  return repeated;
}

}  // namespace mobula::client
