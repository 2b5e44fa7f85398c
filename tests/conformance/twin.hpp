// A connection in C++ and the same client of the C interface, side by side. Both are given the same inputs. They must
// send the same bytes, hand out the same changes and events, and hold the same mirror.
#pragma once

#include <conformance/c_client.hpp>
#include <mobula/client/connection/connection.hpp>
#include <string>

namespace mobula::conformance {

class Twin final : public client::ConnectionInput {
 public:
  /// `connection` was made at `now`, was given nothing yet, and outlives this. `level` is the one in its store of
  /// resources, if any.
  Twin(client::Connection& connection, core::Nanoseconds now, core::ByteView level = {});

  void receive(const transport::Address& from, core::ByteView datagram, core::Nanoseconds now) override;
  void update(core::Nanoseconds now, transport::Output& output) override;
  void set_command(core::ByteView command) override;
  void pipe_closed(std::string_view why, core::Nanoseconds now) override;
  void rejoin(core::Nanoseconds now) override;
  void reconnect(const transport::ConnectToken& token, core::Nanoseconds now) override;
  void close(transport::Output& output) override;

  /// Sets the number of updates between two comparisons of pictures. Each samples all entities of both clients.
  void set_pictures_each(std::uint64_t updates) { pictures_each_ = updates; }
  /// Returns the client of the C interface.
  [[nodiscard]] mobula_client c() const { return c_->handle(); }
  /// Returns the first difference; empty if there was none.
  [[nodiscard]] const std::string& difference() const { return difference_; }
  /// Returns the number of states of entities that were compared, each with all components.
  [[nodiscard]] std::uint64_t compared() const { return compared_; }
  /// Returns the number of values that were compared at moments between ticks.
  [[nodiscard]] std::uint64_t sampled() const { return sampled_; }
  [[nodiscard]] std::uint64_t changes() const { return changes_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  void differ(const std::string& what);
  void expect(bool equal, const char* what) {
    if (!equal) differ(what);
  }
  void expect_ok(mobula_result result, const char* call);
  template <class A, class B>
  void expect_equal(const A& c, const B& cpp, const char* what);
  void compare(core::Nanoseconds now);
  void compare_status();
  void compare_reason();
  void compare_changes();
  void compare_events();
  void compare_components();
  void compare_entities();
  void compare_entity(ecs::Entity entity);
  void compare_column(std::uint32_t component);
  void compare_pictures(core::Nanoseconds now);
  void compare_picture(std::uint32_t component, double view_tick);
  [[nodiscard]] ecs::PoolId pool_of(std::uint32_t component) const {
    return component < pools_.size() ? pools_[component] : ecs::no_pool;
  }
  [[nodiscard]] const client::Mirror& mirror() const { return *connection_.mirror(); }

  client::Connection& connection_;
  std::unique_ptr<CClient> c_;
  std::string difference_;
  std::vector<ecs::PoolId> pools_;  // by the C interface's number of the component
  std::uint32_t mirror_number_ = 0;
  std::uint64_t updates_ = 0;
  std::uint64_t pictures_each_ = 4;
  std::uint64_t compared_ = 0;
  std::uint64_t sampled_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace mobula::conformance
