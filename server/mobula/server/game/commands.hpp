// Typed commands of a game from its own .fbs: a root table whose field `body` is a union called Body, as in
// schema/demo_commands.fbs. Included by the sources that include the header which mobula_messages() generates.
//
//   core::Status move(World& world, const Player& player, const commands::Move& move, const CommandContext& context);
//
//   CommandTable MyGame::commands() {
//     Commands<commands::Command, commands::BodyTraits> all;
//     all.add<commands::Move>(move);
//     all.add<commands::Say>([this](…) {…}, {.per_second = 2, .burst = 5});
//     return all.table();
//   }
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <mobula/server/game/command_table.hpp>
#include <mobula/wire/input.hpp>

namespace mobula::server {

/// Fills a CommandTable with typed handlers.
template <class Root, template <class> class BodyTraits>
class Commands {
 public:
  /// Adds the handler of one member of the union, called as
  ///   core::Status handler(World&, const Player&, const Body&, const CommandContext&).
  /// A handler that refuses a command must not have changed anything.
  /// Default limit: two per player and tick. Checks that the command has no handler yet.
  template <class Body, class Handler>
  void add(Handler handler, std::optional<RateLimit> limit = {}) {
    table_.add(number_of<Body>(), EnumNameBody(BodyTraits<Body>::enum_value), typed<Body>(std::move(handler)), limit);
  }

  /// Adds one member of the union as a command of the step (Game::rules). It is verified and limited like others, then
  /// waits for the step of this tick. Players without an entity are refused. Default limit: two per player and tick.
  template <class Body>
  void add_predicted(std::optional<RateLimit> limit = {}) {
    table_.add_predicted(number_of<Body>(), EnumNameBody(BodyTraits<Body>::enum_value), {}, limit);
  }
  /// Adds a command of the step with a check, which is called as a handler is. The check may refuse the command. It
  /// changes nothing.
  template <class Body, class Check>
    requires std::is_invocable_v<Check&, World&, const Player&, const Body&, const CommandContext&>
  void add_predicted(Check check, std::optional<RateLimit> limit = {}) {
    table_.add_predicted(number_of<Body>(), EnumNameBody(BodyTraits<Body>::enum_value), typed<Body>(std::move(check)),
                         limit);
  }

  [[nodiscard]] const CommandTable& table() const { return table_; }

 private:
  static constexpr flatbuffers::uoffset_t depth_max = 16;
  // A table takes at least four bytes. The bound limits the time for buffers that refer to one table many times.
  static constexpr flatbuffers::uoffset_t tables_max = wire::command_bytes_max / 4;

  template <class Body, class Handler>
  static CommandTable::Handler typed(Handler handler) {
    return [handle = std::move(handler)](World& world, const Player& player, const void* body,
                                         const CommandContext& context) mutable -> core::Status {
      return handle(world, player, *static_cast<const Body*>(body), context);
    };
  }

  template <class Body>
  static constexpr std::uint8_t number_of() {
    constexpr auto type = BodyTraits<Body>::enum_value;
    static_assert(static_cast<int>(type) != 0, "not a member of the union Body");
    return static_cast<std::uint8_t>(type);
  }

  // The verifier accepts a missing body and a body of an unknown type.
  static std::optional<CommandTable::Opened> open(core::ByteView bytes) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    flatbuffers::Verifier verifier(data, bytes.size(), depth_max, tables_max);
    if (!verifier.VerifyBuffer<Root>(nullptr)) return std::nullopt;
    const Root& root = *flatbuffers::GetRoot<Root>(data);
    if (root.body() == nullptr) return std::nullopt;
    return CommandTable::Opened{static_cast<std::uint8_t>(root.body_type()), root.body()};
  }

  CommandTable table_{&open};
};

}  // namespace mobula::server
