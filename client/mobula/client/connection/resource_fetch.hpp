// Fetches the server's resources, one after the other, into a store, and knows the levels among them.
#pragma once

#include <memory>
#include <mobula/client/connection/offered_levels.hpp>
#include <mobula/client/connection/resource_store.hpp>
#include <mobula/core/clock.hpp>
#include <mobula/core/result.hpp>
#include <mobula/wire/messages.hpp>
#include <optional>
#include <vector>

namespace mobula::client {

class ResourceFetch {
 public:
  /// A null `store` fetches nothing.
  explicit ResourceFetch(ResourceStore* store) : store_(store) {}

  /// Names in `hello` the resources and schemas that the store holds.
  void announce(wire::Hello& hello);
  /// Returns the announced resource with this identity. Null if none was announced.
  [[nodiscard]] std::shared_ptr<const resource::Resource> announced(const core::ContentHash& identity) const;
  /// Returns the schema with this fingerprint from an announced resource. Null if there is none.
  [[nodiscard]] std::shared_ptr<const reflect::Schema> schema(const core::ContentHash& fingerprint) const;

  /// Sets what the server offers. Resources that the store holds are not requested. The reception of one that is no
  /// longer offered ends; its bytes stay in the store.
  void on_offered(std::vector<wire::Resource> resources);
  /// Returns the next request to send. Nothing while a resource is being received, or if none is left. A resource that
  /// cannot be stored is skipped. One that another connection receives into the store is looked for once per second.
  [[nodiscard]] std::optional<wire::ResourceRequest> next_request(core::Nanoseconds now);
  /// Stores a part. A resource that cannot be stored is given up. Reasons: "out of turn" for one that was not
  /// requested; "out of order", "too large".
  core::Status on_part(const wire::ResourcePart& message);
  /// Forgets the reception and the requests of the session that has ended. Received bytes stay in the store.
  void end_session();
  /// Returns the levels that were offered to the player.
  [[nodiscard]] const OfferedLevels& levels() const { return levels_; }
  /// Forgets the levels, for another player.
  void begin_player() { levels_.clear(); }
  /// Returns the resource being received. Null if there is none.
  [[nodiscard]] const ResourceStore::Reception* reception() const { return reception_.get(); }

 private:
  // Notes a resource that the store holds: an offered level is here from now on. Returns false if the store lacks it.
  bool note_stored(const core::ContentHash& identity);

  ResourceStore* store_;
  std::vector<std::shared_ptr<const resource::Resource>> announced_;
  std::vector<wire::Resource> offered_;                  // still to be requested, the last one next
  std::unique_ptr<ResourceStore::Reception> reception_;  // null if none is under way
  std::vector<core::ContentHash> requested_;             // in this session
  OfferedLevels levels_;
  core::Nanoseconds next_attempt_ = 0;  // to receive what another connection receives
};

}  // namespace mobula::client
