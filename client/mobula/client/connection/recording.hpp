// The file of a recording: everything that one connection was given, and when. A connection has no clock, sockets or
// randomness of its own, so another connection that is given the same makes the same mirror.
//
//   8   "mobularc"
//   u32 version of this layout, 1
//   u32 version of the wire protocol
//   entries, until the file ends:
//     u8      kind
//     varint  nanoseconds since the previous entry; for the first entry since the clock's zero
//     varint  bytes of the body
//             body
//     u32     checksum: lower half of XXH3 of the entry so far, seeded with the previous entry's checksum
//
//   kind          body
//   begin         u8 1 if resources are requested; u8 number of addresses, the addresses; 2048 connect token;
//                 u32 length of the name, the name; the rest: schema that the client was compiled with, if any
//   address       source of the datagrams that follow: 16 ip, u16 port, u8 pipe
//   datagram      the datagram as received
//   update        none; the connection was updated
//   update_full   none; the connection was updated while its pipe was full
//   command       the command for the next update
//   pipe_closed   the cause, as text
//   rejoin        none; a new session began, with a rejoin token from an earlier datagram
//   close         none; the client left
//   end           none; the recording is complete. Without it the recorder was killed
//   reconnect     2048 connect token; a new session began with this token
//
// A token holds the keys of its session: a reader of the file can decrypt the session's datagrams. The keys are of no
// other use once the session is over. Transport settings besides token and addresses are not recorded: a replay uses
// the defaults.
#pragma once

#include <memory>
#include <mobula/client/connection/connection_config.hpp>
#include <string>

namespace mobula::client {

/// Kind of an input of a connection. The numbers are those of the file.
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
  reconnect,
  count
};

/// Longest body of a datagram, command or text, in bytes. Longer ones are truncated: no connection accepts them in
/// full.
inline constexpr std::size_t recorded_bytes_max = 0xffff;

/// Keeps the bytes of a recording: a file (files/recording_file.hpp), or memory.
class RecordingSink {
 public:
  virtual ~RecordingSink() = default;
  /// Appends bytes. Reason: "not written". A writer does not call it again after a failure.
  virtual core::Status write(core::ByteView bytes) = 0;
};

/// Gives the bytes of a recording.
class RecordingSource {
 public:
  virtual ~RecordingSource() = default;
  /// Writes the next bytes to `out`. Returns their number, which is less than `out` has only at the end.
  virtual std::size_t read(core::MutableBytes out) = 0;
};

/// A recording in memory.
class RecordedBytes final : public RecordingSource {
 public:
  explicit RecordedBytes(core::Bytes bytes) : bytes_(std::move(bytes)) {}
  std::size_t read(core::MutableBytes out) override;

 private:
  core::Bytes bytes_;
  std::size_t given_ = 0;
};

/// Writes the recording of one connection. The sink has each entry within a second. When a write fails it is logged
/// once and recording stops.
class RecordingWriter {
 public:
  /// Begins a recording in `sink`, which is not null. Writes nothing yet.
  explicit RecordingWriter(std::unique_ptr<RecordingSink> sink);
  /// Writes what is buffered. Without finish() the recording has no end entry and reads as cut off.
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // Inputs of the connection, in the order in which it is given them; see ConnectionInput. `now` never decreases.

  /// Records the settings, once and before all other inputs. Includes the connect token with its keys.
  void begin(const ConnectionConfig& config, core::Nanoseconds now);
  /// Records a datagram and its source. Truncates it to recorded_bytes_max, as commanded() and pipe_closed() do theirs.
  void received(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now);
  /// Records an update. `ready` states whether the pipe could take datagrams.
  void updated(bool ready, core::Nanoseconds now);
  /// Records the command for the next update, at the time of the previous input.
  void commanded(core::ByteView command);
  /// Records the end of the pipe and its cause.
  void pipe_closed(std::string_view why, core::Nanoseconds now);
  /// Records the start of a session with a rejoin token.
  void rejoined(core::Nanoseconds now);
  /// Records the start of a session with a new connect token, keys included.
  void reconnected(const transport::ConnectToken& token, core::Nanoseconds now);
  /// Records that the client left, at the time of the previous input. The recording goes on until finish().
  void closed();

  /// Completes the recording. Reason: "not written", also for an earlier failure.
  core::Status finish();

 private:
  void put(RecordedKind kind, core::Nanoseconds now, core::ByteView body = {});
  void flush();

  std::unique_ptr<RecordingSink> sink_;
  core::Bytes buffer_;
  core::Nanoseconds last_ = 0;
  core::Nanoseconds flushed_ = 0;
  std::uint32_t checksum_ = 0;
  transport::Address from_;
  core::Status written_ = core::Done{};
};

/// One input of a recording.
struct RecordedInput {
  RecordedKind kind = RecordedKind::end;
  core::Nanoseconds now = 0;  ///< Time of the recorded client's monotonic clock.
  core::ByteView body;        ///< Valid until the next input is read.
};

/// Reads a recording from front to back, one entry in memory at a time. The file may be damaged or hostile.
class RecordingReader {
 public:
  /// Reads the beginning. Reasons: "no recording", "other version", "cut off" (before the connection begins),
  /// "damaged".
  static core::Result<std::unique_ptr<RecordingReader>> read(std::unique_ptr<RecordingSource> source);
  RecordingReader(const RecordingReader&) = delete;
  RecordingReader& operator=(const RecordingReader&) = delete;

  /// Returns the settings of the connection, without a resource store.
  [[nodiscard]] const ConnectionConfig& config() const { return config_; }
  /// Returns whether the recorded connection had a resource store.
  [[nodiscard]] bool asks_for_resources() const { return asks_for_resources_; }
  /// Returns the time at which the connection was made.
  [[nodiscard]] core::Nanoseconds begin() const { return begin_; }

  /// Reads the next input into `input`. Returns false at the end. Address entries are not handed out. Reason:
  /// "damaged".
  core::Result<bool> next(RecordedInput& input);
  /// Returns the source of the datagram read last. Valid once a datagram was read.
  [[nodiscard]] const transport::Address& from() const { return from_; }
  /// Returns whether the file ended without an end entry. Every complete entry was handed out. False until next()
  /// returns false.
  [[nodiscard]] bool cut_off() const { return cut_off_; }

 private:
  explicit RecordingReader(std::unique_ptr<RecordingSource> source) : source_(std::move(source)) {}
  core::Status read_head();
  core::Status read_begin();
  core::Result<bool> read_entry(RecordedInput& input);
  bool read_bytes(std::size_t bytes);
  bool read_varint(std::uint64_t& value);
  [[nodiscard]] core::Error damaged(const char* how) const;

  std::unique_ptr<RecordingSource> source_;
  core::Bytes entry_;  // being read
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
