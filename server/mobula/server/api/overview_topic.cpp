// Overview of the live feed: one row per tick.
#include <mobula/server/api/query_impl.hpp>

namespace mobula::server::api {
namespace {

struct Facts {
  std::uint64_t missed = 0;
  std::vector<TickRow> rows = {};
  std::uint32_t ticks_per_second = 0;
  std::size_t entities = 0;
  std::size_t players = 0;
  std::size_t sessions = 0;
  NewcomerStats newcomers;
  core::Nanoseconds lost = 0;
  Traffic traffic;
  std::uint64_t deltas = 0;
  std::uint64_t commands = 0;
  std::uint64_t rejoins = 0;
  std::uint64_t corrections = 0;
  std::map<std::string, std::uint64_t> refusals;
  transport::DropCounters drops;
};

json row_json(const TickRow& row) {
  json values = {row.tick, core::in_seconds(row.start_delay), core::in_seconds(row.duration)};
  for (const core::Nanoseconds phase : row.phases) values.push_back(core::in_seconds(phase));
  values.push_back(row.sent_bytes);
  values.push_back(row.received_bytes);
  values.push_back(row.sessions);
  values.push_back(row.newcomers);
  return values;
}

json columns() {
  json names = {"tick", "start_late", "duration"};
  for (std::size_t phase = 0; phase < tick_phase_count; ++phase)
    names.push_back(to_string(static_cast<TickPhase>(phase)));
  for (const char* name : {"sent_bytes", "received_bytes", "sessions", "newcomers"}) names.push_back(name);
  return names;
}

json frame_json(const Facts& frame, const std::string& world) {
  json rows = json::array();
  for (const TickRow& row : frame.rows) rows.push_back(row_json(row));
  json drops = json::object();
  for (std::size_t i = 1; i < frame.drops.counts.size(); ++i)
    if (frame.drops.counts[i] != 0)
      drops[std::string(to_string(static_cast<transport::Drop>(i)))] = frame.drops.counts[i];
  return {{"world", world},
          {"unix_seconds", unix_seconds()},
          {"ticks_per_second", frame.ticks_per_second},
          {"entities", frame.entities},
          {"players", frame.players},
          {"sessions", frame.sessions},
          {"newcomers",
           {{"present", frame.newcomers.present},
            {"waiting", frame.newcomers.waiting},
            {"longest_wait", core::in_seconds(frame.newcomers.longest_wait)},
            {"arrived", frame.newcomers.arrived}}},
          {"lost_seconds", core::in_seconds(frame.lost)},
          {"missed", frame.missed},
          {"columns", columns()},
          {"rows", std::move(rows)},
          {"totals",
           {{"sent_bytes", frame.traffic.sent_bytes},
            {"received_bytes", frame.traffic.received_bytes},
            {"sent_datagrams", frame.traffic.sent_datagrams},
            {"received_datagrams", frame.traffic.received_datagrams},
            {"deltas", frame.deltas},
            {"commands", frame.commands},
            {"rejoins", frame.rejoins},
            {"corrections", frame.corrections}}},
          {"refusals", frame.refusals},
          {"drops", std::move(drops)}};
}

class OverviewFeed final : public admin::Feed {
 public:
  OverviewFeed(ApiPtr api, std::string world) : api_(std::move(api)), name_(std::move(world)) {}

  Frame next() override {
    const core::Result<Inspection*> world = find_world(*api_, name_);
    if (!world) return [error = world.error()]() -> core::Result<std::string> { return error; };
    return [frame = std::make_shared<const Facts>(read(**world)),
            name = (*world)->name()]() -> core::Result<std::string> { return text_of(frame_json(*frame, name)); };
  }

 private:
  Facts read(Inspection& world) {
    const Server& server = world.server();
    const ServerStats& stats = server.stats();
    Facts frame{.ticks_per_second = world.world().ticks_per_second(),
                .entities = world.registry().entities().size(),
                .players = server.players(),
                .sessions = server.endpoint().sessions().size(),
                .newcomers = server.newcomers(),
                .lost = world.times().lost,
                .traffic = traffic(world.pipes()),
                .deltas = stats.deltas_sent,
                .commands = stats.commands,
                .rejoins = stats.rejoins,
                .corrections = stats.corrections,
                .refusals = stats.refusals,
                .drops = server.endpoint().counters().dropped};
    const TickLog& ticks = world.ticks();
    if (first_) next_ = ticks.first();
    if (next_ > ticks.end()) next_ = ticks.first();  // a new world of the same name
    frame.missed = next_ < ticks.first() ? ticks.first() - next_ : 0;
    for (next_ += frame.missed; next_ < ticks.end(); ++next_) frame.rows.push_back(ticks.row(next_));
    first_ = false;
    return frame;
  }

  ApiPtr api_;
  std::string name_;
  bool first_ = true;
  std::uint64_t next_ = 0;  // next row
};

}  // namespace

admin::Topic overview_topic(const ApiPtr& api) {
  return {"overview", 4, [api](std::string_view request) -> core::Result<std::shared_ptr<admin::Feed>> {
            core::Result<std::string> world = world_in(json::parse(request), {});
            if (!world) return world.error();
            return std::shared_ptr<admin::Feed>(std::make_shared<OverviewFeed>(api, std::move(*world)));
          }};
}

}  // namespace mobula::server::api
