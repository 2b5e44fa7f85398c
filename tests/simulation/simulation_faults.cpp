// Begin and end of faults.
#include <simulation/player.hpp>

namespace mobula::sim {

void Simulation::begin_faults() {
  bool any_ended = false;
  for (const Fault& fault : plan_.faults) {
    if (fault.at + fault.ticks != outcome_.ticks) continue;
    end(fault);
    any_ended = true;
  }
  // The end of a fault may have ended overlapping ones.
  if (any_ended) apply_again([](const Fault&) { return true; });
  for (; next_fault_ < plan_.faults.size() && plan_.faults[next_fault_].at <= outcome_.ticks && outcome_.wrong.empty();
       ++next_fault_)
    begin(plan_.faults[next_fault_]);
}

// Applies the active faults again that `which` selects.
void Simulation::apply_again(const std::function<bool(const Fault&)>& which) {
  for (std::size_t i = 0; i < next_fault_; ++i)
    if (plan_.faults[i].at + plan_.faults[i].ticks > outcome_.ticks && which(plan_.faults[i])) apply(plan_.faults[i]);
}

void Simulation::begin(const Fault& fault) {
  trace(to_string(fault));
  apply(fault);
}

// Applies a fault. Lasting ones may be applied again.
void Simulation::apply(const Fault& fault) {
  Player& player = *players_[fault.who % players_.size()];
  const transport::Address& address = player.port.from;
  using Kind = Fault::Kind;
  using Way = transport::SimulatedNetwork::Way;
  switch (fault.kind) {
    case Kind::network: return network_.set_conditions(fault.network);
    case Kind::cut: return network_.cut(address);
    case Kind::deaf: return network_.cut(address, Way::to);
    case Kind::silent: return network_.cut(address, Way::from);
    case Kind::narrow: return network_.limit(address, 1100);
    case Kind::mute: player.mute = true; return;
    case Kind::clock_jump: player.ahead += fault.by; return;
    case Kind::clock_drift: player.drift = fault.by; return;
    case Kind::broken:
      if (player.connection != nullptr) player.connection->pipe_closed("broken", player.clock(now_));
      // A stalled server reads nothing, so it cannot see the end of a pipe either.
      if (fault.at % 2 != 0 || stalled_) return;
      census_.advance(now_);
      return server_->pipe_closed(address, now_);
    case Kind::full: server_port_->full = address; return;
    case Kind::slow: server_port_->slow = address; return;
    case Kind::moved: return move(player);
    case Kind::twice: return enter_twice(player);
    case Kind::kick: return kick(player);
    case Kind::ban:
      census_.disconnected_by_server(player.name);
      banned_.insert(player.name);
      if (const auto banned = server_->ban(player.name, "banned", 0); !banned) fail(banned.error().message);
      return;
    case Kind::stall: stalled_ = true; return;
    case Kind::drain: return server_->drain("drained", static_cast<std::uint32_t>(fault.by / core::second));
    case Kind::date: date_off_ = fault.by; return;
    case Kind::reload:
      if (!plan_.has_level) return;
      rebuilt_ = !rebuilt_;
      if (const auto changed = server_->reload_level(rebuilt_ ? test::rebuilt_hamlet() : test::hamlet()); !changed)
        fail("the level cannot be reloaded: " + changed.error().message);
      return;
    case Kind::reader: return begin_reading();
    case Kind::disk_full: return disk_.set_trouble(SimulatedDisk::Trouble::full);
    case Kind::disk_errors: return disk_.set_trouble(SimulatedDisk::Trouble::errors);
    case Kind::no_memory: return disk_.set_trouble(SimulatedDisk::Trouble::memory);
    case Kind::crash: disk_.lose_power_after(fault.operations); return revive();
    case Kind::stop: return restart_server();
    case Kind::node_killed:  // those of a cluster
    case Kind::node_paused:
    case Kind::node_ended:
    case Kind::node_cut:
    case Kind::parted:
    case Kind::node_date:
    case Kind::no_majority:
    case Kind::coordinator_full:
    case Kind::slow_coordinator:
    case Kind::map: return;
  }
}

void Simulation::unban(const Player& player) {
  banned_.erase(player.name);
  static_cast<void>(server_->unban(player.name));  // unknown after a restart
}

// Kicks the player, also while it is awaited.
void Simulation::kick(const Player& player) {
  for (const auto& session : server_->sessions()) {
    if (!session->joined || session->player.account != player.name) continue;
    census_.disconnected_by_server(player.name);
    static_cast<void>(server_->kick(session->player.id, "kicked"));  // a closing session has no player any more
    return;
  }
}

void Simulation::end(const Fault& fault) {
  Player& player = *players_[fault.who % players_.size()];
  switch (fault.kind) {
    case Fault::Kind::network: return network_.set_conditions(plan_.network);
    case Fault::Kind::cut:
    case Fault::Kind::deaf:
    case Fault::Kind::silent:
    case Fault::Kind::narrow: return network_.heal(player.port.from);
    case Fault::Kind::mute: player.mute = false; return;
    case Fault::Kind::clock_drift: player.drift = 0; return;
    case Fault::Kind::full: server_port_->full = {}; return;
    case Fault::Kind::slow: server_port_->slow = {}; return;
    case Fault::Kind::ban: return unban(player);
    case Fault::Kind::stall: stalled_ = false; return;
    case Fault::Kind::date: date_off_ = 0; return;
    case Fault::Kind::reader: reader_.reset(); return;
    case Fault::Kind::disk_full:
    case Fault::Kind::disk_errors:
    case Fault::Kind::no_memory: return disk_.set_trouble(SimulatedDisk::Trouble::none);
    default: return;
  }
}

}  // namespace mobula::sim
