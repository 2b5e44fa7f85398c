#include <exception>
#include <mobula/core/thrown_fields.hpp>
#include <mobula/server/api/inspection.hpp>

namespace mobula::server {
namespace {

template <class Counters>
Traffic traffic_of(const Counters& counters) {
  return {counters.bytes_sent, counters.datagrams_sent, counters.bytes_received, counters.datagrams_received};
}

}  // namespace

Traffic traffic(const net::ServerPipes& pipes, transport::Pipe pipe) {
  return pipe == transport::Pipe::udp ? traffic_of(pipes.udp_counters()) : traffic_of(pipes.stream_counters(pipe));
}

Traffic traffic(const net::ServerPipes* pipes) {
  Traffic sum;
  if (pipes == nullptr) return sum;
  for (const transport::Pipe pipe : {transport::Pipe::udp, transport::Pipe::tcp, transport::Pipe::websocket}) {
    const Traffic one = traffic(*pipes, pipe);
    sum.sent_bytes += one.sent_bytes;
    sum.sent_datagrams += one.sent_datagrams;
    sum.received_bytes += one.received_bytes;
    sum.received_datagrams += one.received_datagrams;
  }
  return sum;
}

Inspection::Inspection(std::string name, World world)
    : name_(std::move(name)), world_(std::move(world)), ticks_(std::make_unique<TickLog>()) {}

core::Status Inspection::run(const std::function<void()>& query) {
  if (!world_.run) {
    query();
    return core::Done{};
  }
  std::exception_ptr own;
  const auto run_query = [&] {
    try {
      query();
    } catch (...) {
      if (!core::thrown_log_fields().running.empty()) throw;
      own = std::current_exception();
    }
  };
  core::Status ran = world_.run(run_query);
  if (own) std::rethrow_exception(own);
  return ran;
}

void Inspection::note_tick() {
  TickRow row{.tick = world_.server.world().tick() - 1,
              .sessions = static_cast<std::uint32_t>(world_.server.endpoint().sessions().size()),
              .newcomers = world_.server.newcomers().present,
              .start_delay = static_cast<core::Nanoseconds>(times().start_delay_ns.sum()) - totals_.start_delay,
              .duration = static_cast<core::Nanoseconds>(times().duration_ns.sum()) - totals_.duration};
  totals_.start_delay += row.start_delay;
  totals_.duration += row.duration;
  for (std::size_t phase = 0; phase < tick_phase_count; ++phase) {
    const core::Nanoseconds spent = world_.server.phases().spent(static_cast<TickPhase>(phase));
    row.phases[phase] = spent - totals_.phases[phase];
    totals_.phases[phase] = spent;
  }
  const Traffic all = traffic(world_.pipes);
  row.sent_bytes = all.sent_bytes - totals_.sent_bytes;
  row.received_bytes = all.received_bytes - totals_.received_bytes;
  totals_.sent_bytes = all.sent_bytes;
  totals_.received_bytes = all.received_bytes;
  ticks_->add(row);
}

index::Properties& Inspection::properties() {
  if (!properties_) properties_.emplace(registry(), world().schema(), world().names());
  return *properties_;
}

std::optional<std::uint32_t> Inspection::in_level(ecs::Entity entity) {
  const std::span<const ecs::Entity> entities = world().level_entities();
  if (placed_version_ != world().level_version()) {
    placed_version_ = world().level_version();
    placed_.clear();
    for (std::uint32_t i = 0; i < entities.size(); ++i)
      if (entities[i]) placed_.emplace(entities[i].index, i);
  }
  const auto found = placed_.find(entity.index);
  if (found == placed_.end() || entities[found->second] != entity) return std::nullopt;
  return found->second;
}

ecs::Defragmenter& Inspection::defragmenter(ecs::PoolId lead, ecs::PoolId follower) {
  if (!defragmentation_ || defragmentation_->lead != lead || defragmentation_->follower != follower)
    defragmentation_.emplace(Defragmentation{lead, follower, ecs::Defragmenter(registry(), lead, {follower})});
  return defragmentation_->defragmenter;
}

}  // namespace mobula::server
