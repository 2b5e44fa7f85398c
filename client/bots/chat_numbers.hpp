// Numbers that a bot sends in the demo's chat. The server sends each message to all players of the world or zone, so
// the bot receives its own. A number that it receives twice is a command that was executed twice.
#pragma once

#include <mobula/core/bytes.hpp>
#include <string>
#include <vector>

namespace mobula::client {

class ChatNumbers {
 public:
  /// `key` distinguishes this bot's numbers from those of all others.
  explicit ChatNumbers(std::string key) : key_(std::move(key)) {}

  /// Returns a command that sends the next number, from 1 on.
  core::Bytes next_command();
  /// Returns whether an event of the demo has a number of this bot that was received before. Ignores other events.
  bool is_repeated(core::ByteView event);

 private:
  std::string key_;
  std::vector<bool> received_{true};  // by number; 0 is never sent
};

}  // namespace mobula::client
