// A game's commands from its own .fbs: a root table whose field `body` is a union called Body, as in
// schema/demo_commands.fbs. For the sources that include the header which mobula_messages() makes of it.
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

template <class Root, template <class> class BodyTraits>
class Commands {
 public:
  // The handler is called as handler(World&, const Player&, const Body&, const CommandContext&) and gives a
  // core::Status: it refuses what is not allowed, having changed nothing. Without a limit a player may give it twice
  // for each tick.
  template <class Body, class Handler>
  void add(Handler handler, std::optional<RateLimit> limit = {}) {
    constexpr auto type = BodyTraits<Body>::enum_value;
    static_assert(static_cast<int>(type) != 0, "not a member of the union Body");
    table_.add(
        static_cast<std::uint8_t>(type), EnumNameBody(type),
        [handle = std::move(handler)](World& world, const Player& player, const void* body,
                                      const CommandContext& context) mutable -> core::Status {
          return handle(world, player, *static_cast<const Body*>(body), context);
        },
        limit);
  }

  [[nodiscard]] const CommandTable& table() const { return table_; }

 private:
  static constexpr flatbuffers::uoffset_t depth_max = 16;
  // Each takes four bytes or more; a buffer in which one is reached in many ways must not take long.
  static constexpr flatbuffers::uoffset_t tables_max = wire::command_bytes_max / 4;

  // A body that is missing, and one that the schema does not know, pass the verifier.
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
