#include <sys/select.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <lobby/lobby_player.hpp>
#include <mobula/client/pipe/access_options.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/process/command_line.hpp>
#include <mobula/process/log_output.hpp>
#include <mobula/process/standard_output.hpp>
#include <sstream>

namespace {

using mobula::client::LobbyPiece;
using mobula::client::LobbyPlayer;
using mobula::client::LobbyRoom;
using mobula::process::print;

constexpr const char* program = "mobula-lobby-client";

constexpr const char* help =
    "Text that you type is sent to all players in the same room. Commands:\n"
    "  /who          list the players of the lobby\n"
    "  /rooms        list the rooms\n"
    "  /new NAME     open a room and enter it\n"
    "  /join NUMBER  enter a room of that list\n"
    "  /back         return to the lobby\n"
    "  /board        show the room's board: * is the gem, @ is you\n"
    "  /left /right /up /down\n"
    "  /quit";

// Reads complete lines of standard input without blocking.
class InputLines {
 public:
  // Reads the available lines. Returns false at the end of the input.
  bool read(std::vector<std::string>& lines) {
    timeval at_once{};
    fd_set input;
    FD_ZERO(&input);
    FD_SET(STDIN_FILENO, &input);
    if (::select(STDIN_FILENO + 1, &input, nullptr, nullptr, &at_once) <= 0) return true;
    char bytes[4096];
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof(bytes));
    if (count <= 0) return false;
    begun_.append(bytes, static_cast<std::size_t>(count));
    for (std::size_t end = begun_.find('\n'); end != std::string::npos; end = begun_.find('\n')) {
      lines.push_back(begun_.substr(0, end));
      begun_.erase(0, end + 1);
    }
    return true;
  }

 private:
  std::string begun_;
};

void show_rooms(const LobbyPlayer& player) {
  const std::vector<LobbyRoom> rooms = player.rooms();
  if (rooms.empty()) print("no rooms: /new NAME opens one\n");
  for (std::size_t i = 0; i < rooms.size(); ++i)
    print(
        mobula::core::format("{}  {}, {} of {} players\n", i + 1, rooms[i].name, rooms[i].players, rooms[i].capacity));
}

void show_board(const LobbyPlayer& player) {
  const std::vector<LobbyPiece> pieces = player.board();
  for (const std::string& line : mobula::client::board_lines(pieces)) print(line + '\n');
  for (const LobbyPiece& piece : pieces)
    if (!piece.name.empty()) print(mobula::core::format("{}: {}\n", piece.name, piece.points));
}

void join(LobbyPlayer& player, std::string_view number) {
  const std::vector<LobbyRoom> rooms = player.rooms();
  std::size_t at = 0;
  std::istringstream(std::string(number)) >> at;
  if (at == 0 || at > rooms.size()) {
    print("there is no such room; /rooms shows them\n");
    return;
  }
  player.join_room(rooms[at - 1].entity);
}

struct Word {
  std::string_view word;
  void (*act)(LobbyPlayer& player, std::string_view rest);
};

constexpr Word words[] = {
    {"/who",
     [](LobbyPlayer& player, std::string_view) {
       for (const std::string& name : player.members()) print(name + '\n');
     }},
    {"/rooms", [](LobbyPlayer& player, std::string_view) { show_rooms(player); }},
    {"/new", [](LobbyPlayer& player, std::string_view name) { player.create_room(name, 4); }},
    {"/join", [](LobbyPlayer& player, std::string_view number) { join(player, number); }},
    {"/back", [](LobbyPlayer& player, std::string_view) { player.leave_room(); }},
    {"/board", [](LobbyPlayer& player, std::string_view) { show_board(player); }},
    {"/left", [](LobbyPlayer& player, std::string_view) { player.step(-1, 0); }},
    {"/right", [](LobbyPlayer& player, std::string_view) { player.step(1, 0); }},
    {"/up", [](LobbyPlayer& player, std::string_view) { player.step(0, -1); }},
    {"/down", [](LobbyPlayer& player, std::string_view) { player.step(0, 1); }},
    {"/quit", [](LobbyPlayer& player, std::string_view) { player.close(); }},
};

void handle_line(LobbyPlayer& player, std::string_view line) {
  if (line.empty()) return;
  if (line.front() != '/') return player.send_chat(line);
  const std::string_view word = line.substr(0, line.find(' '));
  const std::string_view rest = word.size() < line.size() ? line.substr(word.size() + 1) : "";
  for (const Word& known : words)
    if (known.word == word) return known.act(player, rest);
  print(std::string(help) + '\n');
}

int fail(const mobula::core::Error& error, int status) {
  std::cerr << program << ": " << error.message << '\n';
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mobula;
  client::AccessOptions access;
  std::string name;
  CLI::App app("Chats and plays in a lobby. Type to chat, /help for commands.", program);
  client::add_access_options(app, access);
  client::add_name_option(app, name);
  app.footer("Example:\n  mobula-lobby-client --connect 127.0.0.1:7777 --name anna");
  if (const auto status = process::parse_command_line(app, argc, argv)) return *status;
  const core::Result<client::Access> parsed = client::parse_access(std::move(access));
  if (!parsed) return fail(parsed.error(), 2);
  process::log_in_background();
  net::EventLoop loop;
  const auto player = LobbyPlayer::enter(loop, *parsed, name);
  if (!player) return fail(player.error(), 1);
  bool stops = false;  // not at once: the loop may be about to call a client that close() would destroy
  loop.on_stop_signal([&] { stops = true; });
  InputLines input;
  bool more = true;
  bool greeted = false;
  while (!(*player)->over()) {
    (*player)->run_for(mobula::client::update_interval);
    if (stops) (*player)->close();
    if (!greeted && (*player)->is_playing()) {
      greeted = true;
      print("you are in the lobby; type to chat, /help for commands\n");
    }
    std::vector<std::string> lines;
    more = more && input.read(lines);
    for (const std::string& line : lines) handle_line(**player, line);
    for (const std::string& line : (*player)->take_lines()) print(line + '\n');
    if (!more && (*player)->is_idle()) (*player)->close();
  }
  return process::end_output(program, (*player)->closed() ? 0 : 1);
}
