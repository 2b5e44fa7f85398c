// Takes a delta apart and checks all of it, without changing what the mirror shows (wire/delta.hpp has the form).
#pragma once

#include <mobula/client/mirror/mirror.hpp>
#include <mobula/core/bit_stream.hpp>

namespace mobula::client {

struct Mirror::Entry {
  enum class Kind : std::uint8_t { change, whole, gone };
  Kind kind;
  bool owner;
  bool newest;     // nothing newer of it is there
  bool shown;      // and its index is its own
  bool destroyed;  // of what is gone; else it is out of view
  std::uint32_t id;
  ecs::Entity entity;
  ecs::PrototypeId prototype;
  std::size_t words;   // where they begin in words_
  std::size_t values;  // and its components in values_, if it is shown
};

class DeltaDecoder {
 public:
  DeltaDecoder(Mirror& mirror, const wire::DeltaHeader& header, core::ByteView body)
      : mirror_(mirror), header_(header), bits_(body) {}

  // Null, or what is wrong.
  const char* run();

 private:
  const char* moving();
  const char* changed();
  const char* appeared();
  const char* gone();
  const char* change(std::uint32_t id);
  const char* whole(std::uint32_t id);
  const char* since_level(std::uint32_t id, ecs::Entity entity);
  const char* appear(std::uint32_t id, ecs::Entity entity, ecs::PrototypeId prototype, bool owner, std::size_t words);
  const char* finish(Mirror::Entry entry);
  [[nodiscard]] ecs::Entity level_entity(std::uint32_t index) const;
  [[nodiscard]] bool is_news(const Mirror::Known& known, ecs::Entity entity) const;
  static std::uint32_t left_index(const Mirror::Known* known) { return known->left.index; }
  void find_left();
  [[nodiscard]] bool left_since(ecs::Entity entity) const;
  bool read_id(std::uint32_t& id);
  // Whether no entry before it has this id.
  bool first_of(std::uint32_t id);
  [[nodiscard]] ecs::Tick newest_tick() const;

  Mirror& mirror_;
  const wire::DeltaHeader& header_;
  core::BitReader bits_;
  std::uint64_t next_id_ = 0;
  std::vector<std::uint32_t> level_words_;
  std::vector<const Mirror::Known*> left_;  // by index; none unless the delta is late
};

}  // namespace mobula::client
