// Somebody in the lobby of mobula-lobby, and at the same time in one of its rooms: two connections on one event loop.
// The way into a room comes as an event in the lobby, a connect token; the rest is as with any other server.
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

// A piece on a room's board; without a name: the gem.
struct LobbyPiece {
  std::string name;
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t points = 0;
  bool own = false;
};

// The board's rows: '.' is a square, '*' the gem, '@' the own piece; others are the first letters of their names.
std::vector<std::string> board_lines(const std::vector<LobbyPiece>& pieces);

// The server is not to be trusted with a terminal: all text that comes from it is printable here, and all pieces are on
// the board.
class LobbyPlayer {
 public:
  // Reasons: those of client::enter.
  static core::Result<std::unique_ptr<LobbyPlayer>> enter(net::EventLoop& loop, const Access& access, std::string name);

  // Some time passes, in which datagrams are taken in; then what is to be said is said.
  void run_for(core::Nanoseconds time);
  void close();

  // To those in the same room; to those in the lobby if in none.
  void say(std::string_view text);
  void create_room(std::string_view name, std::uint32_t capacity);
  // Leaves the room in which the player is, once the way into the other has been given.
  void join_room(ecs::Entity room);
  void leave_room();
  void step(int x, int y);

  // What is now in the lobby and on the board, as far as it is known here, by handle.
  [[nodiscard]] std::vector<std::string> members() const;
  [[nodiscard]] std::vector<LobbyRoom> rooms() const;
  [[nodiscard]] std::vector<LobbyPiece> board() const;
  // Its name; empty: in none.
  [[nodiscard]] const std::string& room() const { return room_name_; }
  // In the world of the room, or of the lobby, and able to ask for something.
  [[nodiscard]] bool is_playing() const;
  // What has happened since the last call, a line each: "anna: hello".
  [[nodiscard]] std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }
  // Whether all that was asked for has been carried out, or refused.
  [[nodiscard]] bool is_idle() const { return is_idle(lobby_) && is_idle(room_); }
  // It is over for good, and whether by close().
  [[nodiscard]] bool over() const { return lobby_.client->over(); }
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  // One of the two, with what is still to be said there: a command for each update.
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
  void take_event(core::ByteView bytes, bool from_lobby);
  void enter_room(std::string name, core::ByteView token);
  void tell(std::string_view line);

  net::EventLoop& loop_;
  Access access_;
  std::string name_;
  Side lobby_;
  Side room_;  // its client null: in none
  std::string room_name_;
  std::vector<std::string> lines_;
  bool closed_ = false;
};

}  // namespace mobula::client
