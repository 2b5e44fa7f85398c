// Decodes a delta and validates all of it, without changing the mirror (wire/delta.hpp describes the format).
#pragma once

#include <mobula/client/mirror/mirror_state.hpp>
#include <mobula/core/bit_set.hpp>
#include <mobula/core/bit_stream.hpp>

namespace mobula::client {

/// One entity in a delta.
struct DeltaEntry {
  enum class Kind : std::uint8_t { delta, full, lost };
  Kind kind;
  bool owner;
  bool newest;             ///< Nothing newer of the entity was received.
  bool shown;              ///< The state goes into the registry.
  bool destroyed;          ///< For Kind::lost: destroyed, not just out of view.
  bool continues = false;  ///< For Kind::lost: its courses continue out of view.
  std::uint32_t id;
  ecs::Entity entity;
  ecs::PrototypeId prototype;
  std::size_t words;   ///< Where its words begin in DecodedDelta::words.
  std::size_t values;  ///< Where its components begin in DecodedDelta::values, if it is shown.
};

/// A decoded delta. It is reused from delta to delta to keep its memory.
struct DecodedDelta {
  std::vector<DeltaEntry> entries;
  std::vector<std::uint32_t> words;
  std::vector<std::byte> values;
  core::BitSet ids;  ///< Known ids that an entry names.
};

class DeltaDecoder {
 public:
  /// Decodes into `delta`. The mirror must have sent the acknowledgement that the header names.
  DeltaDecoder(const MirrorState& mirror, const wire::DeltaHeader& header, core::ByteView body, DecodedDelta& delta)
      : mirror_(mirror), header_(header), bits_(body), delta_(delta) {}

  /// Returns null, or what is wrong.
  const char* run();

 private:
  const char* read_moving();
  const char* read_changed();
  const char* read_full();
  const char* read_lost();
  const char* read_change(std::uint32_t id);
  const char* read_full_state(std::uint32_t id);
  const char* read_change_of_level(std::uint32_t id, ecs::Entity entity);
  const char* add_full(std::uint32_t id, ecs::Entity entity, ecs::PrototypeId prototype, bool owner, std::size_t words);
  const char* add(DeltaEntry entry);
  [[nodiscard]] bool is_news(const MirroredEntity& known, ecs::Entity entity) const;
  static std::uint32_t former_index(const MirroredEntity* known) { return known->former.index; }
  void find_former();
  [[nodiscard]] bool ended_since(ecs::Entity entity) const;
  [[nodiscard]] bool find_moving(std::uint32_t& id) const;
  bool read_id(std::uint32_t& id);
  bool is_first_entry(std::uint32_t id);

  const MirrorState& mirror_;
  const wire::DeltaHeader& header_;
  core::BitReader bits_;
  DecodedDelta& delta_;
  std::uint64_t next_id_ = 0;
  std::vector<std::uint32_t> level_words_;
  std::vector<const MirroredEntity*> former_;  // by index; empty unless the delta is late
};

}  // namespace mobula::client
