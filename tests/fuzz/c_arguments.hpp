// Arguments of one call of the C interface, chosen by the input. Most are what a host would give.
// Memory that a call writes to has a margin that must remain as it is.
#pragma once

#include <fuzz/c_world.hpp>
#include <fuzz/fuzz.hpp>
#include <mobula/core/base64.hpp>
#include <string>
#include <vector>

namespace mobula::fuzz {

inline void check_result(mobula_result result) {
  require(result <= MOBULA_NOTHING && result >= MOBULA_ERROR_BAD_RULES, "a result is a known code");
}

// Reads all of some memory.
inline void touch(const void* bytes, std::size_t size) {
  const volatile std::byte* const each = static_cast<const volatile std::byte*>(bytes);
  for (std::size_t i = 0; i < size; ++i) static_cast<void>(each[i]);
}

// Memory of a caller: `capacity` items and a margin behind them, or null.
template <class T>
class Room {
 public:
  Room(std::size_t capacity, bool is_null) : memory_(capacity * sizeof(T) + margin, fill), is_null_(is_null) {}
  [[nodiscard]] T* items() { return is_null_ ? nullptr : reinterpret_cast<T*>(memory_.data()); }
  void check() const {
    for (std::size_t i = memory_.size() - margin; i < memory_.size(); ++i)
      require(memory_[i] == fill, "nothing is written beyond a buffer");
  }

 private:
  static constexpr std::size_t margin = 64;
  static constexpr std::byte fill{0xa5};
  std::vector<std::byte> memory_;
  bool is_null_;
};

class Arguments {
 public:
  Arguments(Input& input, CWorld& world) : input_(input), world_(world) {
    const std::uint8_t chosen = input.byte();
    place_ = chosen % CWorld::places;
    client_ = world.handle(place_);
    if (chosen >= 0xf0) client_ = world.former();
    if (chosen >= 0xf8) client_ = {input.byte(), input.byte()};
  }

  [[nodiscard]] CWorld& world() { return world_; }
  [[nodiscard]] std::uint32_t place() const { return place_; }
  [[nodiscard]] mobula_client client() const { return client_; }

  // Returns whether the caller does what callers should, in 7 of 8 cases.
  bool is_usual() { return (input_.byte() & 7) != 7; }
  std::uint8_t byte() { return input_.byte(); }
  std::uint16_t word() { return input_.word(); }
  // Small numbers, and some that are as large as can be.
  std::uint32_t number() { return is_usual() ? byte() : ~std::uint32_t{byte()}; }
  std::uint32_t component() { return is_usual() ? byte() % 16u : number(); }
  std::int64_t time() { return is_usual() ? world_.now : static_cast<std::int64_t>(handle_bits()); }
  double tick() { return is_usual() ? byte() / 4.0 : static_cast<double>(static_cast<std::int64_t>(handle_bits())); }
  mobula_entity entity() { return is_usual() ? mobula_entity{1} << 32 | byte() % 64u : handle_bits(); }
  core::ByteView bytes() { return input_.bytes(is_usual() ? byte() : word()); }
  core::Bytes copied_bytes() {
    const core::ByteView read = bytes();
    return {read.begin(), read.end()};
  }
  std::string text() {
    const core::ByteView read = input_.bytes(byte());
    return {reinterpret_cast<const char*>(read.data()), read.size()};
  }
  std::string path() {
    static constexpr std::array known{"Transform/position.x", "Transform", "Health/current", "Name/text", "", "/"};
    return is_usual() ? known[byte() % known.size()] : text();
  }
  // A good token, as bytes or as text; or one that was cut or damaged.
  core::Bytes token() {
    core::Bytes token = transport::write_token(world_.next_token());
    if (!is_usual()) {
      const std::string text = core::to_base64(token);
      token.assign(reinterpret_cast<const std::byte*>(text.data()),
                   reinterpret_cast<const std::byte*>(text.data()) + text.size());
    }
    if (!is_usual()) token[word() % token.size()] ^= static_cast<std::byte>(byte());
    if (!is_usual()) token.resize(std::min<std::size_t>(token.size(), word()));
    return token;
  }

  // --- Results -----------------------------------------------------------------------------------------------------

  // call(items, capacity, count)
  template <class T, class Call>
  void read_array(Call&& call) {
    const std::uint32_t capacity = this->capacity();
    Room<T> room(capacity, !is_usual());
    std::uint32_t count = 0;
    std::uint32_t* const to = is_usual() ? &count : nullptr;
    const mobula_result result = call(room.items(), capacity, to);
    check_result(result);
    room.check();
    if (result == MOBULA_OK) require(to != nullptr && count <= capacity, "all that there is was written");
    if (result == MOBULA_ERROR_BUFFER_TOO_SMALL) require(count > capacity, "the number that is needed is more");
  }
  // call(text, capacity, length)
  template <class Call>
  void read_text(Call&& call) {
    const std::uint32_t capacity = this->capacity();
    Room<char> room(capacity, !is_usual());
    std::uint32_t length = 0;
    std::uint32_t* const to = is_usual() ? &length : nullptr;
    const mobula_result result = call(room.items(), capacity, to);
    check_result(result);
    room.check();
    if (result == MOBULA_OK)
      require(to != nullptr && length < capacity && room.items()[length] == '\0', "a text ends with a zero byte");
    if (result == MOBULA_ERROR_BUFFER_TOO_SMALL) require(length >= capacity, "the length that is needed is more");
  }
  // call(bytes, capacity)
  template <class Call>
  void read_bytes(Call&& call) {
    const std::uint32_t capacity = this->capacity();
    Room<std::byte> room(capacity, !is_usual());
    check_result(call(room.items(), capacity));
    room.check();
  }
  // call(entities, values, stride, capacity, count)
  template <class Call>
  void read_column(std::uint32_t component, Call&& call) {
    const std::uint32_t capacity = this->capacity();
    mobula_component_info info{};
    info.struct_size = sizeof info;
    static_cast<void>(mobula_client_component(client_, component, &info));
    const std::uint32_t stride = is_usual() ? 0 : byte();
    Room<mobula_entity> entities(capacity, !is_usual());
    Room<std::byte> values(std::size_t{capacity} * std::max(stride, info.size), !is_usual());
    std::uint32_t count = 0;
    std::uint32_t* const to = is_usual() ? &count : nullptr;
    const mobula_result result = call(entities.items(), values.items(), stride, capacity, to);
    check_result(result);
    entities.check();
    values.check();
    if (result == MOBULA_OK) require(to != nullptr && count <= capacity, "all of the column was written");
    if (result == MOBULA_ERROR_BUFFER_TOO_SMALL && count > 0) require(count > capacity, "the column is larger");
  }

 private:
  std::uint32_t capacity() {
    static constexpr std::array<std::uint32_t, 8> all{1000, 300, 64, 17, 4, 1, 0, 2000};
    return all[byte() % all.size()];
  }
  std::uint64_t handle_bits() {
    std::uint64_t bits = 0;
    for (int i = 0; i < 4; ++i) bits = bits << 16 | input_.word();
    return bits;
  }

  Input& input_;
  CWorld& world_;
  std::uint32_t place_;
  mobula_client client_;
};

}  // namespace mobula::fuzz
