// Client of mobula-lobby, and at the same time of one of its rooms: two connections on one event loop. The lobby sends
// a connect token for a room as an event. Everything else works as with any other server.
#pragma once

#include <deque>
#include <mobula/client/pipe/pipe_client.hpp>
#include <mobula/net/event_loop.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mobula::client {

struct LobbyRoom {
  ecs::Entity entity;
  std::string name;
  std::uint32_t players = 0;
  std::uint32_t capacity = 0;
  std::uint16_t port = 0;
};

inline constexpr std::uint32_t lobby_board_side = 8;

/// A piece on a room's board. The gem has no name.
struct LobbyPiece {
  std::string name;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t points = 0;
  bool own = false;
};

/// Returns the board's rows: '.' is an empty square, '*' the gem, '@' the own piece, a letter another player's piece.
std::vector<std::string> board_lines(const std::vector<LobbyPiece>& pieces);

/// A player of the lobby. The server is not trusted with a terminal: all its text is made printable, and pieces outside
/// the board are ignored.
class LobbyPlayer {
 public:
  /// Enters the lobby. Errors: those of client::enter.
  static core::Result<std::unique_ptr<LobbyPlayer>> enter(net::EventLoop& loop, const Access& access, std::string name);

  /// Receives for `time`, then updates both connections and sends waiting commands.
  void run_for(core::Nanoseconds time);
  void close();

  /// Sends text to the players of the same room, or of the lobby if in no room.
  void send_chat(std::string_view text);
  void create_room(std::string_view name, std::uint32_t capacity);
  /// Requests a ticket for a room. The player leaves the current room when it arrives.
  void join_room(ecs::Entity room);
  void leave_room();
  void step(int x, int y);

  /// Returns the state of the lobby and of the board as this client knows it, sorted by handle.
  [[nodiscard]] std::vector<std::string> members() const;
  [[nodiscard]] std::vector<LobbyRoom> rooms() const;
  [[nodiscard]] std::vector<LobbyPiece> board() const;
  /// Returns the name of the room, empty if the player is in none.
  [[nodiscard]] const std::string& room() const { return room_name_; }
  /// Returns whether the player is in the world of the room, or of the lobby, and can send commands.
  [[nodiscard]] bool is_playing() const;
  /// Returns the lines since the last call, such as "anna: hello".
  [[nodiscard]] std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }
  /// Returns whether all commands have been executed or refused.
  [[nodiscard]] bool is_idle() const { return is_idle(lobby_) && is_idle(room_); }
  /// Returns whether the session is over for good.
  [[nodiscard]] bool over() const { return lobby_.client->over(); }
  /// Returns whether close() ended it.
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  // One connection with its waiting commands; one is sent per update.
  struct Side {
    std::unique_ptr<PipeClient> client;
    std::deque<core::Bytes> commands{};
  };

  LobbyPlayer(net::EventLoop& loop, const Access& access, std::string name)
      : loop_(loop), access_(access), name_(std::move(name)) {}

  [[nodiscard]] static bool is_idle(const Side& side) {
    return side.commands.empty() && (side.client == nullptr || side.client->connection().commands().size() == 0);
  }
  void update(Side& side);
  void on_event(core::ByteView bytes, bool from_lobby);
  void enter_room(std::string name, core::ByteView token);
  void add_line(std::string_view line);

  net::EventLoop& loop_;
  Access access_;
  std::string name_;
  Side lobby_;
  Side room_;  // its client is null outside of rooms
  std::string room_name_;
  std::vector<std::string> lines_;
  bool closed_ = false;
};

}  // namespace mobula::client
