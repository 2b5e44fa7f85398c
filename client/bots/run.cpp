#include <sys/resource.h>

#include <algorithm>
#include <bots/loop_watch.hpp>
#include <bots/run.hpp>
#include <mobula/client/connection/resource_memory.hpp>
#include <mobula/client/pipe/fetch_resources.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/log.hpp>
#include <mobula/net/event_loop.hpp>

namespace mobula::client {
namespace {

constexpr core::Nanoseconds tick_interval = 50 * core::millisecond;
constexpr std::size_t slice_count = 25;
constexpr core::Nanoseconds slice_length = tick_interval / slice_count;
constexpr core::Nanoseconds last_read_max = core::second;
// Opening a pipe takes a while, which must not delay the others' updates.
constexpr std::uint32_t joins_per_slice_max = 16;
constexpr std::uint32_t files_besides_pipes = 64;
constexpr std::int64_t samples_max = 600;
constexpr core::Nanoseconds sample_length_least = 250 * core::millisecond;

core::Status check_open_files(std::uint32_t bots) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= bots + files_besides_pipes) return core::Done{};
  return core::Error{"too few open files",
                     core::format("{} bots need {} open files, and this process may have {} (raise it with ulimit -n)",
                                  bots, bots + files_besides_pipes, limit.rlim_cur)};
}

// Short enough for a curve, long enough for bounded memory.
core::Nanoseconds sample_length(core::Nanoseconds run) {
  const core::Nanoseconds fine = std::clamp(run / 20, sample_length_least, core::second);
  return std::max(fine, run / samples_max);
}

class BotsRun {
 public:
  explicit BotsRun(const BotsOptions& options) : options_(options) {}

  core::Status open();
  core::Status run();
  BotsReport finish();

 private:
  core::Status make_bots();
  core::Status update(std::size_t slice, core::Nanoseconds now);
  void follow_ramp(core::Nanoseconds elapsed);
  void sample(core::Nanoseconds now);
  void read_arrived();
  std::span<PipeClient* const> simulated();
  void detect_game();
  void note_end(Bot& bot, bool wanted, core::Nanoseconds now);
  void note_mirror(Bot& bot);

  const BotsOptions& options_;
  net::EventLoop loop_;
  std::unique_ptr<LoopWatch> watch_;
  std::unique_ptr<TokenStock> tokens_;  // null in a cluster
  ResourceMemory level_;                // received before the run if bots predict
  BotsTally tally_;
  std::vector<std::unique_ptr<Bot>> bots_;
  std::vector<PipeClient*> simulated_;  // bots whose simulated networks the loop delivers
  BotsReport report_;
  std::uint32_t wanted_ = 0;
  bool sends_commands_ = false;  // some behaviour sends commands, and the server's game is not known yet
  core::Nanoseconds began_ = 0;
  core::Nanoseconds sampled_at_ = 0;
  core::Nanoseconds sampled_cpu_ = 0;
};

core::Status BotsRun::open() {
  loop_.on_stop_signal([this] { loop_.stop(); });
  const std::uint32_t most = options_.ramp.most();
  if (const core::Status enough = check_open_files(most); !enough) return enough;
  core::Result<std::unique_ptr<LoopWatch>> watch = LoopWatch::open(loop_);
  if (!watch) return watch.error();
  watch_ = std::move(*watch);
  if (!is_in_cluster(options_.access)) {
    core::Result<std::unique_ptr<TokenStock>> tokens = TokenStock::open(options_.access, most);
    if (!tokens) return tokens.error();
    tokens_ = std::move(*tokens);
  }
  if (options_.predicts.rules != nullptr)
    if (const core::Status fetched = fetch_resources(loop_, options_.access, level_); !fetched) return fetched;
  report_.clients = most;
  report_.verify = std::min(options_.verify, most);
  return make_bots();
}

core::Status BotsRun::make_bots() {
  core::Result<BehaviourMix> mix = options_.behaviours;
  if (mix->parts.empty()) mix = parse_behaviours("wander");
  if (!mix) return mix.error();
  const std::vector<const Behaviour*> assigned = assign_behaviours(*mix, options_.ramp.most());
  sends_commands_ = std::ranges::any_of(mix->parts, [](const auto& part) { return part.behaviour->commands; });
  BotSetup setup{loop_, options_.access, tokens_.get(), tally_, options_.predicts};
  setup.predicts.level = &level_;
  for (std::uint32_t i = 0; i < assigned.size(); ++i)
    bots_.push_back(std::make_unique<Bot>(
        setup,
        Bot::Self{.number = i, .behaviour = assigned[i], .seed = options_.seed + i, .mirrors = i < options_.verify}));
  return core::Done{};
}

core::Status BotsRun::run() {
  began_ = sampled_at_ = core::monotonic_now();
  sampled_cpu_ = LoopWatch::cpu_time();
  const core::Nanoseconds end = began_ + options_.ramp.length();
  const core::Nanoseconds sample_every = sample_length(options_.ramp.length());
  core::Nanoseconds next = began_;
  for (std::size_t slice = 0; !loop_.stopped() && core::monotonic_now() < end; slice = (slice + 1) % slice_count) {
    run_until(loop_, next, simulated());
    const core::Nanoseconds now = core::monotonic_now();
    follow_ramp(now - began_);
    if (const core::Status updated = update(slice, now); !updated) return updated;
    const bool next_step = options_.ramp.step_at(now - began_) != options_.ramp.step_at(sampled_at_ - began_);
    if (next_step || now - sampled_at_ >= sample_every) sample(now);
    next = std::max(next + slice_length, now - tick_interval);  // a loop far behind does not catch up
  }
  return core::Done{};
}

void BotsRun::follow_ramp(core::Nanoseconds elapsed) {
  const std::uint32_t wanted = options_.ramp.clients_at(elapsed);
  for (; wanted_ < wanted; ++wanted_) bots_[wanted_]->want(true);
  for (; wanted_ > wanted; --wanted_) bots_[wanted_ - 1]->want(false);
}

core::Status BotsRun::update(std::size_t slice, core::Nanoseconds now) {
  watch_->probe();
  std::uint32_t joins = 0;
  for (std::size_t i = slice; i < bots_.size(); i += slice_count) {
    Bot& bot = *bots_[i];
    if (bot.about_to_join() && ++joins > joins_per_slice_max) continue;
    const core::Status updated = bot.update(now);
    if (updated) continue;
    if (tally_.now.counts[Count::joins] + report_.whole.counts[Count::joins] == 0) return updated;
    tally_.refusals.add(updated.error().message);
  }
  return core::Done{};
}

// Returns the bots with simulated networks. Rebuilt, because bots join and leave.
std::span<PipeClient* const> BotsRun::simulated() {
  simulated_.clear();
  if (options_.access.simulated == transport::NetworkConditions{}) return {};
  for (const std::unique_ptr<Bot>& bot : bots_)
    if (bot->client() != nullptr) simulated_.push_back(bot->client());
  return simulated_;
}

void BotsRun::sample(core::Nanoseconds now) {
  std::uint32_t playing = 0;
  for (const std::unique_ptr<Bot>& bot : bots_) {
    bot->count();
    playing += bot->playing() ? 1 : 0;
  }
  IntervalStats& interval = tally_.now;
  interval.length = now - sampled_at_;
  const core::Nanoseconds cpu = LoopWatch::cpu_time();
  interval.cpu = cpu - sampled_cpu_;
  interval.bots_time = playing * interval.length;
  interval.lags_us.merge(watch_->lags_us());
  watch_->lags_us().clear();
  const std::size_t step = options_.ramp.step_at(sampled_at_ - began_);
  while (report_.steps.size() <= step) report_.steps.push_back({options_.ramp.steps()[report_.steps.size()], {}});
  report_.steps[step].measured.add(interval);
  report_.whole.add(interval);
  const double seconds = core::in_seconds(now - began_);
  report_.samples.push_back(sample_of(interval, seconds, wanted_, playing));
  interval.clear();
  sampled_at_ = now;
  sampled_cpu_ = cpu;
  detect_game();
  if (options_.progress) options_.progress(report_.samples.back());
}

// Determines the game by the schema of a mirror, if there is one.
void BotsRun::detect_game() {
  if (report_.foreign_game || !sends_commands_) return;
  const auto mirrors = [](const auto& bot) {
    return bot->connection() != nullptr && bot->connection()->mirror() != nullptr;
  };
  const auto found = std::ranges::find_if(bots_, mirrors);
  if (found == bots_.end()) return;
  report_.foreign_game = (*found)->connection()->mirror()->schema().find("Avatar") == nullptr;
  sends_commands_ = report_.foreign_game;
  if (report_.foreign_game)
    core::log_warn("bots",
                   "this server's game is not the demo and refuses the bots' commands; use --behaviour idle or churn");
}

// Reads what has arrived by the end. A loop that is late would otherwise take a bot for one that the server has left
// without ticks.
void BotsRun::read_arrived() {
  const core::Nanoseconds end = core::monotonic_now() + last_read_max;
  watch_->probe();
  while (watch_->waits() && !loop_.stopped() && core::monotonic_now() < end)
    run_until(loop_, core::monotonic_now() + slice_length, simulated());
}

BotsReport BotsRun::finish() {
  const core::Nanoseconds now = core::monotonic_now();
  read_arrived();
  for (std::size_t i = 0; i < bots_.size(); ++i) {
    note_end(*bots_[i], i < wanted_, now);
    note_mirror(*bots_[i]);
  }
  sample(core::monotonic_now());
  for (const std::unique_ptr<Bot>& bot : bots_) bot->leave(now);
  report_.first_loss = report_.first_loss.empty() ? tally_.first_loss : report_.first_loss;
  report_.refusals = tally_.refusals;
  report_.disconnects = tally_.disconnects;
  report_.stopped = loop_.stopped();
  if (tokens_ != nullptr) {
    report_.token_failures = tokens_->failures();
    report_.token_failure = tokens_->last_failure();
  }
  return std::move(report_);
}

// Counts whether the bot is where it should be.
void BotsRun::note_end(Bot& bot, bool wanted, core::Nanoseconds now) {
  report_.joined += bot.ever_joined() ? 1 : 0;
  const core::Nanoseconds silence = bot.note_silence(now);
  const bool out = wanted && !bot.playing() && !bot.out_by_choice();
  if (!bot.failed() && silence == 0 && !out) return;
  ++report_.lost;
  if (!report_.first_loss.empty() || !tally_.first_loss.empty()) return;
  report_.first_loss =
      silence > 0 ? core::format("nothing received for {:.1f} s", core::in_seconds(silence)) : "no answer so far";
}

void BotsRun::note_mirror(Bot& bot) {
  if (!bot.playing() || bot.connection()->mirror() == nullptr) return;
  const std::uint32_t entities = bot.connection()->mirror()->size();
  report_.entities_min = report_.mirrors == 0 ? entities : std::min(report_.entities_min, entities);
  report_.entities_max = std::max(report_.entities_max, entities);
  ++report_.mirrors;
}

}  // namespace

core::Result<BotsReport> run_bots(const BotsOptions& options) {
  BotsRun run(options);
  if (const core::Status opened = run.open(); !opened) return opened.error();
  if (const core::Status done = run.run(); !done) return done.error();
  return run.finish();
}

}  // namespace mobula::client
