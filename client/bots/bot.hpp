// One of many clients: comes in when it is wanted, does what its behaviour says, notes when ticks arrive, and says what
// became of it. One thread, that of the bots' loop. It outlives its connections; what they counted it keeps.
#pragma once

#include <bots/behaviour.hpp>
#include <bots/interval_stats.hpp>
#include <bots/token_stock.hpp>
#include <limits>
#include <map>
#include <memory>
#include <mobula/client/pipe/pipe_client.hpp>

namespace mobula::client {

// Why connections were not made, or ended: how many for each reason.
class ReasonCounts {
 public:
  static constexpr std::size_t reasons_max = 32;  // what else there is counts as "other"

  void add(const std::string& reason);
  [[nodiscard]] std::uint64_t total() const { return total_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& by_reason() const { return by_reason_; }

 private:
  std::map<std::string, std::uint64_t> by_reason_;
  std::uint64_t total_ = 0;
};

// What all bots write into.
struct BotsTally {
  IntervalStats now;         // since somebody emptied it
  ReasonCounts refusals;     // never got in
  ReasonCounts disconnects;  // was in, and did not want to go
  std::string first_loss;    // what the first of all these said, with advice; empty: there was none
};

struct BotSetup {
  net::EventLoop& loop;
  const Access& access;
  TokenStock& tokens;
  BotsTally& tally;
};

class Bot {
 public:
  struct Self {
    std::uint32_t number = 0;  // from 0
    const Behaviour* behaviour = nullptr;
    std::uint64_t seed = 0;
    bool mirrors = true;  // the others acknowledge what comes unread
  };

  // Longer without a tick, and it is a silence: an interval even before it ends.
  static constexpr core::Nanoseconds silence_max = core::second;

  Bot(const BotSetup& setup, const Self& self) : setup_(setup), self_(self), random_(self.seed) {}
  Bot(const Bot&) = delete;
  Bot& operator=(const Bot&) = delete;

  // From the ramp. Who is not wanted any more leaves with the next update.
  void want(bool wanted) { wanted_ = wanted; }
  // Whether the next update would open a pipe, which takes a while.
  [[nodiscard]] bool about_to_join() const { return wanted_ && wants_in_ && client_ == nullptr; }
  // Once per tick or so. Fails if a pipe cannot be opened.
  core::Status update(core::Nanoseconds now);
  // Adds to the tally what was counted since the last time, and the round trip as it is.
  void count();
  // At the end: adds a silence that goes on, and gives its length; 0: there is none.
  core::Nanoseconds note_silence(core::Nanoseconds now);
  // Leaves with a disconnect message.
  void leave(core::Nanoseconds now);

  // Null: it is out. Its simulated network is handed out by the loop.
  [[nodiscard]] PipeClient* client() { return client_.get(); }
  [[nodiscard]] Connection* connection() { return client_ != nullptr ? &client_->connection() : nullptr; }
  [[nodiscard]] bool playing() const { return place_ == Place::playing; }
  [[nodiscard]] bool ever_joined() const { return ever_joined_; }
  // It is out, or on its way in again, because its behaviour wants that.
  [[nodiscard]] bool away_by_wish() const { return self_.behaviour->returns && !failed_ && ever_joined_; }
  // It should be in, and was turned away or thrown out for good.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  static constexpr core::Nanoseconds never = std::numeric_limits<core::Nanoseconds>::max();
  enum class Place : std::uint8_t { out, entering, playing };

  core::Status enter(core::Nanoseconds now);
  void take_news(core::Nanoseconds now);
  void begin_to_play(core::Nanoseconds now);
  void lost(core::Nanoseconds now);
  void go_out(core::Nanoseconds now);
  void ask(BotMoment moment, core::Nanoseconds now);
  void act(const BotDecision& decision, core::Nanoseconds now);
  void note_ticks(core::Nanoseconds now);
  void note_loss(ReasonCounts& kind);

  // Of the present connection, what the tally has already.
  struct Counted {
    net::ClientPipeCounters pipes;
    ConnectionStats connection;
    std::uint64_t losses_out = 0;
  };

  BotSetup setup_;
  Self self_;
  core::Random random_;
  std::unique_ptr<PipeClient> client_;
  Counted counted_;
  Place place_ = Place::out;
  bool wanted_ = false;
  bool wants_in_ = true;
  bool by_wish_ = false;  // the connection is broken because the bot broke it
  bool failed_ = false;
  bool ever_joined_ = false;
  std::uint32_t joins_ = 0;           // pipes opened
  std::uint64_t losses_ = 0;          // of the present client, that are dealt with
  core::Nanoseconds entered_at_ = 0;  // or when to try again, while there is no token
  core::Nanoseconds next_decision_ = never;
  std::uint64_t ticks_ = 0;             // of the present connection
  core::Nanoseconds last_tick_at_ = 0;  // 0: none since it plays
};

}  // namespace mobula::client
