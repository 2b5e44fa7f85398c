// One of many clients: joins when the ramp wants it, follows its behaviour, measures the arrival of ticks, and reports
// its end. Runs on the thread of the bots' loop. Outlives its connections, and keeps their counts.
#pragma once

#include <bots/behaviour.hpp>
#include <bots/chat_numbers.hpp>
#include <bots/interval_stats.hpp>
#include <bots/token_stock.hpp>
#include <limits>
#include <map>
#include <memory>
#include <mobula/client/pipe/pipe_client.hpp>

namespace mobula::client {

/// Number of failed or ended connections per reason.
class ReasonCounts {
 public:
  static constexpr std::size_t reasons_max = 32;  // further reasons count as "other"

  void add(const std::string& reason);
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& by_reason() const { return by_reason_; }

 private:
  std::map<std::string, std::uint64_t> by_reason_;
  std::uint64_t total_ = 0;
};

/// Results of all bots.
struct BotsTally {
  IntervalStats now;         // since the last reset
  ReasonCounts refusals;     // never joined
  ReasonCounts disconnects;  // joined, and lost against the bot's will
  std::string first_loss;    // reason of the first of these, with advice; empty if there is none
};

/// Rules that bots predict by, and the schema that these are compiled with.
struct BotRules {
  const prediction::Rules* rules = nullptr;  // null if the bots predict nothing
  std::shared_ptr<const reflect::Schema> schema = nullptr;
  PredictionConfig config = {};
  ResourceStore* level = nullptr;  // has the server's level, which a step reads
};

struct BotSetup {
  net::EventLoop& loop;
  const Access& access;
  TokenStock* tokens;  // null in a cluster, where each bot has an account
  BotsTally& tally;
  BotRules predicts = {};
};

class Bot {
 public:
  struct Self {
    std::uint32_t number = 0;  // from 0
    const Behaviour* behaviour = nullptr;
    std::uint64_t seed = 0;
    bool mirrors = true;  // false acknowledges deltas without reading them
  };

  // A longer time without a tick is a silence, which counts as an interval even before it ends.
  static constexpr core::Nanoseconds silence_max = core::second;

  Bot(const BotSetup& setup, const Self& self);
  Bot(const Bot&) = delete;
  Bot& operator=(const Bot&) = delete;

  /// Sets whether the ramp wants this bot in the game. A bot that is no longer wanted leaves in the next update.
  void want(bool wanted) { wanted_ = wanted; }
  /// Returns whether the next update opens a pipe, which takes a while.
  [[nodiscard]] bool about_to_join() const { return wanted_ && wants_in_ && client_ == nullptr; }
  /// Updates the bot. Called about once per tick. Errors: those of opening a pipe.
  core::Status update(core::Nanoseconds now);
  /// Adds the counts since the last call to the tally, and the current round trip.
  void count();
  /// Called at the end. Adds the current silence to the tally and returns its length, 0 if there is none.
  core::Nanoseconds note_silence(core::Nanoseconds now);
  /// Disconnects with a reason.
  void leave(core::Nanoseconds now);

  /// Returns the client. Null while the bot is out. The loop delivers for its simulated network.
  [[nodiscard]] PipeClient* client() { return client_.get(); }
  [[nodiscard]] const Connection* connection() const { return client_ != nullptr ? &client_->connection() : nullptr; }
  [[nodiscard]] bool playing() const { return place_ == Place::playing; }
  [[nodiscard]] bool ever_joined() const { return ever_joined_; }
  /// Returns whether the bot is out, or joining again, by its behaviour's choice.
  [[nodiscard]] bool out_by_choice() const { return self_.behaviour->returns && !failed_ && ever_joined_; }
  /// Returns whether the bot was refused or disconnected for good against its will.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  static constexpr core::Nanoseconds never = std::numeric_limits<core::Nanoseconds>::max();
  enum class Place : std::uint8_t { out, entering, playing };

  core::Status enter(core::Nanoseconds now);
  void check_connection(core::Nanoseconds now);
  void begin_to_play(core::Nanoseconds now);
  void lost(core::Nanoseconds now);
  void go_out(core::Nanoseconds now);
  void ask(BotMoment moment, core::Nanoseconds now);
  void act(const BotDecision& decision, core::Nanoseconds now);
  void note_ticks(core::Nanoseconds now);
  void note_loss(ReasonCounts& kind);
  void note_correction();
  void give_command(core::ByteView command);
  void note_repeated_numbers();
  void count_prediction();

  // Part of the current connection's counters that the tally contains already.
  struct Counted {
    net::ClientPipeCounters pipes;
    ConnectionStats connection;
    std::uint64_t losses_out = 0;
    std::uint64_t session_out = 0;
  };
  // The same for its prediction.
  struct CountedPrediction {
    PredictionStats stats;
    std::uint64_t corrections = 0;
  };

  BotSetup setup_;
  Self self_;
  Access access_;
  TokenSource tokens_;
  core::Random random_;
  ChatNumbers numbers_;
  std::unique_ptr<PipeClient> client_;
  Counted counted_;
  CountedPrediction counted_prediction_;
  Place place_ = Place::out;
  bool wanted_ = false;
  bool wants_in_ = true;
  bool by_choice_ = false;  // the bot itself broke the connection
  bool failed_ = false;
  bool ever_joined_ = false;
  std::uint32_t joins_ = 0;           // pipes opened
  std::uint64_t losses_ = 0;          // losses of the current client that are handled
  core::Nanoseconds entered_at_ = 0;  // or when to retry, without a token
  core::Nanoseconds next_decision_ = never;
  std::uint64_t ticks_ = 0;             // ticks of the current connection
  core::Nanoseconds last_tick_at_ = 0;  // 0 before its first tick
};

}  // namespace mobula::client
