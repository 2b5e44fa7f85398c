// Metrics for Prometheus: counters and histograms in base units, none per player. The simulation thread copies values;
// text is made of them on the admin thread. A simulation that does not answer is a metric, too.
#include <prometheus/text_serializer.h>

#include <array>
#include <mobula/core/log.hpp>
#include <mobula/process/log_output.hpp>
#include <mobula/server/api/courses.hpp>
#include <mobula/server/api/process_facts.hpp>
#include <mobula/server/api/query_impl.hpp>
#include <optional>
#include <sstream>

namespace mobula::server::api {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using transport::Pipe;
using Labels = std::vector<ClientMetric::Label>;

// Maximum number of refusal reasons per world, as games choose them. The rest is "other".
constexpr std::size_t reasons_max = 64;
// Bounds of bytes are below powers of two, where core::Histogram counts exactly: 16 bytes to 1 MB.
constexpr unsigned bytes_log2_min = 4;
constexpr unsigned bytes_log2_max = 20;

constexpr std::array<std::pair<Pipe, const char*>, 3> pipes{
    {{Pipe::udp, "udp"}, {Pipe::tcp, "tcp"}, {Pipe::websocket, "websocket"}}};

// Courses of a field, with the names of its component.
struct CourseLabels {
  std::string component;
  std::string type;
  FieldCourses field;
};

// Copied values of a world.
struct WorldFacts {
  std::string name;
  std::uint32_t ticks_per_second = 0;
  TickTimes times;
  std::array<core::TimeHistogram, tick_phase_count> phases;
  ServerStats stats;
  PredictedStepStats step;
  transport::ServerCounters datagrams;
  std::array<Traffic, pipes.size()> traffic{};
  std::array<std::uint32_t, pipes.size()> connections{};
  std::array<net::StreamCounters, pipes.size()> streams{};  // all zero for UDP
  std::vector<CommandInfo> commands;
  std::vector<ecs::SystemInfo> systems;
  std::optional<store::StoreStatus> store = {};  // nothing if the world is not saved
  std::size_t entities = 0;
  std::size_t published = 0;
  std::size_t players = 0;
  std::size_t spectators = 0;
  std::size_t sessions = 0;
  std::uint32_t greatest_correction_mm = 0;  // in the present sessions
  NewcomerStats newcomers;
  std::uint32_t pools = 0;
  std::uint32_t prototypes = 0;
  std::vector<CourseLabels> courses = {};
};

WorldFacts read(Inspection& world) {
  const Server& server = world.server();
  WorldFacts facts{.name = world.name(),
                   .ticks_per_second = world.world().ticks_per_second(),
                   .times = world.times(),
                   .phases = {},
                   .stats = server.stats(),
                   .step = server.predicted_step(),
                   .datagrams = server.endpoint().counters(),
                   .commands = {server.commands().begin(), server.commands().end()},
                   .systems = {server.schedule().systems().begin(), server.schedule().systems().end()},
                   .entities = world.registry().entities().size(),
                   .published = server.published().size(),
                   .players = server.players(),
                   .spectators = server.spectators(),
                   .sessions = server.endpoint().sessions().size(),
                   .newcomers = server.newcomers(),
                   .pools = world.registry().pool_count(),
                   .prototypes = world.registry().prototypes().count()};
  for (ecs::PoolId pool = 0; pool < facts.pools; ++pool)
    for (FieldCourses& field : courses_of(world, pool))
      facts.courses.push_back(
          {world.registry().pool(pool).instance_name(), world.registry().pool(pool).type().name, std::move(field)});
  for (const std::unique_ptr<ClientSession>& session : server.sessions())
    facts.greatest_correction_mm = std::max(facts.greatest_correction_mm, session->prediction.greatest_correction_mm);
  if (world.store() != nullptr) facts.store = world.store()->status();
  for (std::size_t i = 0; i < tick_phase_count; ++i) facts.phases[i] = world.ticks().phase(static_cast<TickPhase>(i));
  for (std::size_t i = 0; i < pipes.size() && world.pipes() != nullptr; ++i) {
    facts.traffic[i] = traffic(*world.pipes(), pipes[i].first);
    if (pipes[i].first == Pipe::udp) continue;
    facts.connections[i] = world.pipes()->connections(pipes[i].first);
    facts.streams[i] = world.pipes()->stream_counters(pipes[i].first);
  }
  return facts;
}

// Metric families under construction, in the order of their first value.
class Families {
 public:
  void counter(const char* name, const char* help, double value, Labels labels = {}) {
    add(name, help, MetricType::Counter, std::move(labels)).counter.value = value;
  }
  void gauge(const char* name, const char* help, double value, Labels labels = {}) {
    add(name, help, MetricType::Gauge, std::move(labels)).gauge.value = value;
  }
  void bytes(const char* name, const char* help, const core::Histogram& bytes, Labels labels) {
    ClientMetric::Histogram& target = histogram(name, help, std::move(labels));
    for (unsigned log2 = bytes_log2_min; log2 <= bytes_log2_max; ++log2) {
      const std::uint64_t bound = (std::uint64_t{1} << log2) - 1;
      target.bucket.push_back({bytes.count_up_to(bound), static_cast<double>(bound)});
    }
    end(target, bytes.count(), static_cast<double>(bytes.sum()));
  }
  void times(const char* name, const char* help, const core::TimeHistogram& times, Labels labels) {
    ClientMetric::Histogram& target = histogram(name, help, std::move(labels));
    const auto counts = times.counts_up_to_bounds();
    for (std::size_t i = 0; i < counts.size(); ++i)
      target.bucket.push_back({counts[i], core::in_seconds(core::TimeHistogram::bounds[i])});
    end(target, times.count(), core::in_seconds(static_cast<double>(times.sum())));
  }
  [[nodiscard]] const std::vector<MetricFamily>& all() const { return families_; }

 private:
  ClientMetric& add(const char* name, const char* help, MetricType type, Labels labels) {
    auto family = std::ranges::find(families_, name, &MetricFamily::name);
    if (family == families_.end()) family = families_.insert(families_.end(), MetricFamily{name, help, type, {}});
    family->metric.emplace_back();
    family->metric.back().label = std::move(labels);
    return family->metric.back();
  }

  ClientMetric::Histogram& histogram(const char* name, const char* help, Labels labels) {
    return add(name, help, MetricType::Histogram, std::move(labels)).histogram;
  }
  static void end(ClientMetric::Histogram& target, std::uint64_t count, double sum) {
    target.sample_count = count;
    target.sample_sum = sum;
    target.bucket.push_back({count, std::numeric_limits<double>::infinity()});
  }

  std::vector<MetricFamily> families_;
};

Labels of_world(const WorldFacts& world, std::initializer_list<ClientMetric::Label> more = {}) {
  Labels labels{{"world", world.name}};
  labels.insert(labels.end(), more);
  return labels;
}

void add_process(const Api& api, bool answered, Families& families) {
  const ProcessFacts facts = process_facts();
  const core::Nanoseconds ticked_at = api.pulse->ticked_at;
  families.gauge("mobula_build_info", "1, labelled with the version", 1, {{"version", std::string(version())}});
  families.gauge("mobula_simulation_answers", "1 if the simulation answered this scrape, else 0", answered ? 1 : 0);
  if (ticked_at != 0)
    families.gauge("mobula_last_tick_age_seconds", "Time since the end of the last tick of any world",
                   core::in_seconds(core::monotonic_now() - ticked_at));
  families.gauge("mobula_draining", "1 while new clients are refused, else 0", api.pulse->draining ? 1 : 0);
  families.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970", api.started_unix_seconds);
  families.counter("mobula_dropped_log_lines_total", "Log lines that were not read in time or could not be written",
                   static_cast<double>(process::dropped_log_lines()));
  families.counter("process_cpu_seconds_total", "User and system time", facts.cpu_seconds);
  families.gauge("process_resident_memory_bytes", "Resident memory", static_cast<double>(facts.resident_bytes));
  families.gauge("process_open_fds", "Open file descriptors", static_cast<double>(facts.open_files));
}

void add_ticks(const WorldFacts& world, Families& families) {
  families.gauge("mobula_tick_period_seconds", "Configured time between ticks", 1.0 / world.ticks_per_second,
                 of_world(world));
  families.times("mobula_tick_duration_seconds", "Duration of ticks", world.times.duration_ns, of_world(world));
  families.times("mobula_tick_start_delay_seconds", "Delay of the begin of ticks", world.times.start_delay_ns,
                 of_world(world));
  for (std::size_t i = 0; i < tick_phase_count; ++i)
    families.times("mobula_tick_phase_duration_seconds", "Duration of the phases of ticks", world.phases[i],
                   of_world(world, {{"phase", std::string(to_string(static_cast<TickPhase>(i)))}}));
  families.counter("mobula_lost_seconds_total", "World time lost against the clock", core::in_seconds(world.times.lost),
                   of_world(world));
  families.gauge("mobula_overloaded", "1 while the world is overloaded, else 0", world.times.overloaded ? 1 : 0,
                 of_world(world));
}

void add_zone(const WorldFacts& world, Families& families) {
  if (!world.stats.zone) return;
  const ZoneStats& zone = *world.stats.zone;
  const Labels labels = of_world(world);
  families.gauge("mobula_zone_neighbours", "Neighbouring zones that are connected", zone.neighbours, labels);
  families.gauge("mobula_zone_ghosts", "Entities of other zones that are shown here", zone.ghosts, labels);
  const auto counter = [&](const char* name, const char* help, std::uint64_t value, const Labels& of) {
    families.counter(name, help, static_cast<double>(value), of);
  };
  counter("mobula_zone_ghost_checks_total", "Ghosts compared with the mirror", zone.ghost_checks, labels);
  counter("mobula_zone_ghosts_corrected_total", "Ghosts that the game had changed", zone.ghosts_corrected, labels);
  counter("mobula_zone_mirror_checks_total", "Ticks of neighbours compared by hash", zone.mirror_checks, labels);
  counter("mobula_zone_mirror_mismatches_total", "Ticks of neighbours that differed", zone.mirror_mismatches, labels);
  counter("mobula_zone_forwards_total", "Messages and events for entities passed on to other zones", zone.forwards,
          labels);
  counter("mobula_zone_forwards_dropped_total", "Messages and events for entities that could not be passed on",
          zone.forwards_dropped, labels);
  for (const auto& [direction, value] : {std::pair("out", zone.crossings_out), std::pair("in", zone.crossings_in)})
    counter("mobula_zone_crossings_total", "Roots of entities that have crossed a border", value,
            of_world(world, {{"direction", direction}}));
}

void add_world(const WorldFacts& world, Families& families) {
  const Labels labels = of_world(world);
  families.gauge("mobula_entities", "Living entities", static_cast<double>(world.entities), labels);
  families.gauge("mobula_published_entities", "Entities that clients can see", static_cast<double>(world.published),
                 labels);
  families.gauge("mobula_players", "Players in the world, disconnected ones included",
                 static_cast<double>(world.players), labels);
  families.gauge("mobula_spectators", "Spectators", static_cast<double>(world.spectators), labels);
  families.gauge("mobula_sessions", "Connected clients", static_cast<double>(world.sessions), labels);
  families.gauge("mobula_pools", "Pools of components", world.pools, labels);
  families.gauge("mobula_prototypes", "Compositions of components", world.prototypes, labels);
}

void add_newcomers(const WorldFacts& world, Families& families) {
  const Labels labels = of_world(world);
  const NewcomerStats& newcomers = world.newcomers;
  families.gauge("mobula_newcomers", "Connected clients that have not arrived", newcomers.present, labels);
  families.gauge("mobula_newcomers_waiting", "Newcomers that the last tick had no time for", newcomers.waiting, labels);
  families.gauge("mobula_newcomer_wait_seconds", "Time since the first of the newcomers connected",
                 core::in_seconds(newcomers.longest_wait), labels);
  families.times("mobula_arrival_seconds",
                 "Time from a client's connection until it has received all that it sees, or has had 32 turns",
                 newcomers.arrival_ns, labels);
}

void add_stream(const WorldFacts& world, std::size_t pipe, Families& families) {
  const std::string name = pipes[pipe].second;
  families.gauge("mobula_connections", "Open connections of stream pipes", world.connections[pipe],
                 of_world(world, {{"pipe", name}}));
  for (std::size_t end = 0; end < world.streams[pipe].ended.size(); ++end)
    families.counter(
        "mobula_ended_connections_total", "Ended connections of stream pipes, by reason",
        static_cast<double>(world.streams[pipe].ended[end]),
        of_world(world, {{"pipe", name}, {"reason", std::string(to_string(static_cast<net::StreamEnd>(end)))}}));
}

void add_traffic(const WorldFacts& world, Families& families) {
  for (std::size_t i = 0; i < pipes.size(); ++i) {
    const Labels labels = of_world(world, {{"pipe", pipes[i].second}});
    const Traffic& traffic = world.traffic[i];
    families.counter("mobula_sent_bytes_total", "Bytes of datagrams, without headers of UDP and below",
                     static_cast<double>(traffic.sent_bytes), labels);
    families.counter("mobula_received_bytes_total", "Bytes of datagrams, without headers of UDP and below",
                     static_cast<double>(traffic.received_bytes), labels);
    families.counter("mobula_sent_datagrams_total", "Datagrams sent", static_cast<double>(traffic.sent_datagrams),
                     labels);
    families.counter("mobula_received_datagrams_total", "Datagrams received, valid or not",
                     static_cast<double>(traffic.received_datagrams), labels);
    if (pipes[i].first != Pipe::udp) add_stream(world, i, families);
  }
  for (std::size_t drop = 1; drop < world.datagrams.dropped.counts.size(); ++drop)
    families.counter("mobula_dropped_datagrams_total", "Received datagrams that were dropped",
                     static_cast<double>(world.datagrams.dropped.counts[drop]),
                     of_world(world, {{"reason", std::string(to_string(static_cast<transport::Drop>(drop)))}}));
}

void add_refusals(const WorldFacts& world, Families& families) {
  std::size_t listed = 0;
  std::uint64_t others = 0;
  for (const auto& [reason, count] : world.stats.refusals) {
    if (listed++ < reasons_max) {
      families.counter("mobula_refusals_total", "Commands, messages and clients that were refused",
                       static_cast<double>(count), of_world(world, {{"reason", reason}}));
    } else {
      others += count;
    }
  }
  if (others > 0)
    families.counter("mobula_refusals_total", "", static_cast<double>(others), of_world(world, {{"reason", "other"}}));
}

void add_late_commands(const WorldFacts& world, Families& families) {
  const LateCommands& late = world.stats.late_commands;
  for (const auto& [result, count] :
       {std::pair("run", late.run), std::pair("dropped", late.dropped), std::pair("missing", late.missing)})
    families.counter("mobula_late_commands_total", "Commands that did not run in their own tick, by result",
                     static_cast<double>(count), of_world(world, {{"result", result}}));
}

void add_rewind(const WorldFacts& world, Families& families) {
  const RewindStats& rewind = world.stats.rewind;
  families.counter("mobula_rewound_views_total", "Views of clients that were rewound",
                   static_cast<double>(rewind.views), of_world(world));
  for (const auto& [reason, count] : rewind.refusals)
    families.counter("mobula_refused_views_total", "Claims of views that were refused", static_cast<double>(count),
                     of_world(world, {{"reason", reason}}));
}

void add_predictions(const WorldFacts& world, Families& families) {
  const PredictionTotals& totals = world.stats.predictions;
  const Labels labels = of_world(world);
  const auto count = [&](const char* name, const char* help, std::uint64_t value, const Labels& of) {
    families.counter(name, help, static_cast<double>(value), of);
  };
  count("mobula_client_predicted_ticks_total", "Ticks that clients have predicted", totals.ticks, labels);
  count("mobula_client_replayed_ticks_total", "Ticks that clients have computed again", totals.ticks_replayed, labels);
  count("mobula_client_rollbacks_total", "Returns of clients to an earlier tick", totals.rollbacks, labels);
  for (const auto& [cause, value] :
       {std::pair("late", totals.late_mispredictions), std::pair("remote", totals.remote_mispredictions),
        std::pair("level", totals.level_mispredictions)})
    count("mobula_client_mispredictions_total", "Ticks that clients have mispredicted, by cause", value,
          of_world(world, {{"cause", cause}}));
  count("mobula_client_prediction_stalls_total", "Times that a client could not predict further", totals.stalls,
        labels);
  count("mobula_client_corrections_total", "Rollbacks of clients that moved a position", totals.corrections, labels);
  families.counter("mobula_client_correction_meters_total", "Sum of the distances of these corrections",
                   static_cast<double>(totals.corrections_mm) / 1000, labels);
  families.gauge("mobula_client_greatest_correction_meters", "Greatest correction that a present client has reported",
                 static_cast<double>(world.greatest_correction_mm) / 1000, labels);
}

void add_replication(const WorldFacts& world, Families& families) {
  const Labels labels = of_world(world);
  families.counter("mobula_deltas_total", "Deltas sent", static_cast<double>(world.stats.deltas_sent), labels);
  families.counter("mobula_delta_bytes_total", "Bytes of deltas sent",
                   static_cast<double>(world.stats.delta_bytes_sent), labels);
  families.bytes("mobula_client_tick_bytes", "Bytes of deltas for one client in one tick", world.stats.client_bytes,
                 labels);
  families.counter("mobula_commands_total", "Commands done", static_cast<double>(world.stats.commands), labels);
  families.counter("mobula_replaced_total", "Log-ins that replaced another client of the account",
                   static_cast<double>(world.stats.replaced), labels);
  families.counter("mobula_rejoins_total", "Players that rejoined", static_cast<double>(world.stats.rejoins), labels);
  families.counter("mobula_corrections_total", "Entities corrected in mirrors",
                   static_cast<double>(world.stats.corrections), labels);
}

void add_courses(const WorldFacts& world, Families& families) {
  for (const auto& [component, type, field] : world.courses) {
    const Labels labels = of_world(world, {{"component", component}, {"type", type}, {"field", field.path}});
    families.counter("mobula_new_courses_total", "New courses of fields with dead reckoning",
                     static_cast<double>(field.stats.new_courses), labels);
    families.counter("mobula_course_checks_total", "Comparisons of such fields with their courses, once per tick",
                     static_cast<double>(field.stats.checks), labels);
    families.gauge("mobula_courses_under_way", "Components whose field is not at rest", field.stats.under_way, labels);
  }
}

void add_store(const WorldFacts& world, Families& families) {
  if (!world.store) return;
  const store::StoreStatus& store = *world.store;
  const Labels labels = of_world(world);
  families.counter("mobula_checkpoints_total", "Checkpoints written to the store",
                   static_cast<double>(store.checkpoints), labels);
  families.counter("mobula_checkpoint_failures_total", "Checkpoints that failed and were tried again",
                   static_cast<double>(store.failures), labels);
  families.gauge("mobula_store_failing", "1 while writing to the store fails, else 0", store.error.empty() ? 0 : 1,
                 labels);
  families.gauge("mobula_last_checkpoint_time_seconds", "Last checkpoint, in seconds since 1970; 0 before the first",
                 static_cast<double>(store.unix_time), labels);
  families.gauge("mobula_last_checkpoint_duration_seconds", "Duration of writing the last checkpoint",
                 core::in_seconds(store.write_time), labels);
  families.gauge("mobula_last_checkpoint_rows", "Rows written or deleted by the last checkpoint", store.rows, labels);
  families.gauge("mobula_store_file_bytes", "Size of the store's file", static_cast<double>(store.file_bytes), labels);
  families.gauge("mobula_store_log_bytes", "Size of the store's write-ahead log", static_cast<double>(store.log_bytes),
                 labels);
  families.gauge("mobula_incarnation", "Number of starts of the world", store.incarnation, labels);
}

void add_step(const WorldFacts& world, Families& families) {
  const Labels labels = of_world(world);
  families.counter("mobula_step_commands_total", "Commands that the step of the rules has received",
                   static_cast<double>(world.step.commands), labels);
  families.counter("mobula_step_overruns_total", "Steps of the rules that took longer than a tick",
                   static_cast<double>(world.step.overruns), labels);
}

void add_game(const WorldFacts& world, Families& families) {
  for (const CommandInfo& command : world.commands)
    for (const auto& [result, count] : {std::pair("done", command.done), std::pair("refused", command.refused)})
      families.counter("mobula_game_commands_total", "Commands of the game, by result", static_cast<double>(count),
                       of_world(world, {{"command", command.name}, {"result", result}}));
  for (const ecs::SystemInfo& system : world.systems)
    families.counter("mobula_system_seconds_total", "Time spent in systems of the game",
                     core::in_seconds(system.times.total_ns), of_world(world, {{"system", system.name}}));
}

admin::Response answer(const Api& api, const std::vector<WorldFacts>& worlds, bool answered) {
  Families families;
  add_process(api, answered, families);
  for (const WorldFacts& world : worlds)
    for (const auto add : {add_ticks, add_world, add_newcomers, add_traffic, add_replication, add_courses, add_store,
                           add_game, add_late_commands, add_step, add_refusals, add_rewind, add_predictions, add_zone})
      add(world, families);
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, families.all());
  return {200, text.str(), "text/plain; version=0.0.4; charset=utf-8"};
}

admin::Reply scrape(const ApiPtr& api) {
  return admin::Query{[api]() -> admin::Finish {
                        const std::vector<Inspection*> all = api->worlds();
                        const auto worlds = std::make_shared<std::vector<WorldFacts>>();
                        worlds->reserve(all.size());
                        for (Inspection* world : all) worlds->push_back(read(*world));
                        return [api, worlds] { return answer(*api, *worlds, true); };
                      },
                      [api] { return answer(*api, {}, false); }};
}

}  // namespace

std::vector<admin::Route> metrics_routes(const ApiPtr& api) {
  return {{"GET", "/metrics", [api](const Request&) { return scrape(api); }}};
}

}  // namespace mobula::server::api
