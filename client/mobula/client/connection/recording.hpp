// A recording: all that one Connection was given, and when. A Connection has no clock, sockets or randomness of its
// own, so the same given to another makes the same mirror: a session whose pipe is a file.
//
//   8   "mobularc"
//   u32 version of this layout, 1
//   u32 version of the wire protocol
//   entries, until the file ends:
//     u8      kind
//     varint  nanoseconds since the entry before; of the first: since the clock's zero
//     varint  bytes of the body
//             body
//     u32     checksum: XXH3 of the entry so far, its seed the checksum of the entry before; the lower half
//
//   kind          body
//   begin         u8 1: resources are asked for; u8 number of addresses, the addresses; 2048 connect token;
//                 u32 length of the name, the name; the rest: schema that the client was compiled with, if any
//   address       where the datagrams that follow came from: 16 ip, u16 port, u8 pipe
//   datagram      as it was received
//   update        none: the connection was updated
//   update_full   none: the same, while the pipe could take nothing
//   command       what is sent with the next update
//   pipe_closed   why, as text
//   rejoin        none: the session begins anew, with a token that came in a datagram
//   close         none: the client left
//   end           none: nothing follows; without it whoever recorded was cut off
//   enter_again   2048 connect token: the client came in anew, with that
//
// A token holds the keys of its session: who has the file can read all that was said. They are good for nothing else
// once the session is over. Settings of the transport other than token and addresses are not in it: its defaults.
#pragma once

#include <iosfwd>
#include <memory>
#include <mobula/client/connection/connection.hpp>
#include <string>

namespace mobula::client {

enum class RecordedKind : std::uint8_t {
  begin,
  address,
  datagram,
  update,
  update_full,
  command,
  pipe_closed,
  rejoin,
  close,
  end,
  enter_again,
  count
};

// A longer datagram, command or text is cut: it would be good for nothing anyway.
inline constexpr std::size_t recorded_bytes_max = 0xffff;

// Writes the file as the connection goes on; what is there is in the file a second later. When that fails it says so
// once, and records no more.
class RecordingWriter {
 public:
  // A file that is there is replaced. Reason: "not written".
  static core::Result<std::unique_ptr<RecordingWriter>> create(const std::string& path);
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // The connection's side. Time does not run backwards.
  void begin(const ConnectionConfig& config, core::Nanoseconds now);
  void received(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now);
  // `ready`: whether its pipe was.
  void updated(bool ready, core::Nanoseconds now);
  void commanded(core::ByteView command);
  void pipe_closed(std::string_view why, core::Nanoseconds now);
  void rejoined(core::Nanoseconds now);
  void entered_again(const transport::ConnectToken& token, core::Nanoseconds now);
  void closed();

  // The file is whole. Reason: "not written", also for what failed before.
  core::Status finish();

 private:
  RecordingWriter(std::string path, int file) : path_(std::move(path)), file_(file) {}
  void put(RecordedKind kind, core::Nanoseconds now, core::ByteView body = {});
  void flush();

  std::string path_;
  int file_;
  core::Bytes buffer_;
  core::Nanoseconds last_ = 0;
  core::Nanoseconds flushed_ = 0;
  std::uint32_t checksum_ = 0;
  transport::Address from_;
  bool failed_ = false;
};

struct RecordedInput {
  RecordedKind kind = RecordedKind::end;
  core::Nanoseconds now = 0;
  core::ByteView body;  // until the next one is read
};

// Reads a recording from front to back, one entry in memory at a time. It may be damaged, or made by an enemy.
class RecordingReader {
 public:
  // Reasons: "missing", "no recording", "other version", "cut off" (before the connection begins), "damaged".
  static core::Result<std::unique_ptr<RecordingReader>> open(const std::string& path);
  static core::Result<std::unique_ptr<RecordingReader>> read(std::unique_ptr<std::istream> stream);
  ~RecordingReader();
  RecordingReader(const RecordingReader&) = delete;
  RecordingReader& operator=(const RecordingReader&) = delete;

  // What the connection was made with, and when; it has no store.
  [[nodiscard]] const ConnectionConfig& config() const { return config_; }
  [[nodiscard]] bool asks_for_resources() const { return asks_for_resources_; }
  [[nodiscard]] core::Nanoseconds begin() const { return begin_; }

  // The next input; addresses are not handed out. False: there are no more. Reason: "damaged".
  core::Result<bool> next(RecordedInput& input);
  // Where the datagram came from.
  [[nodiscard]] const transport::Address& from() const { return from_; }
  // It ended without an end. All that is whole was handed out.
  [[nodiscard]] bool cut_off() const { return cut_off_; }

 private:
  explicit RecordingReader(std::unique_ptr<std::istream> stream);
  core::Status read_head();
  core::Status read_begin();
  core::Result<bool> read_entry(RecordedInput& input);
  bool take(std::size_t bytes);
  bool take_varint(std::uint64_t& value);
  [[nodiscard]] core::Error damaged(const char* how) const;

  std::unique_ptr<std::istream> stream_;
  core::Bytes entry_;  // the present one
  std::uint64_t entries_ = 0;
  std::uint32_t checksum_ = 0;
  core::Nanoseconds last_ = 0;
  ConnectionConfig config_;
  core::Nanoseconds begin_ = 0;
  transport::Address from_;
  bool asks_for_resources_ = false;
  bool has_address_ = false;
  bool over_ = false;
  bool cut_off_ = false;
};

}  // namespace mobula::client
