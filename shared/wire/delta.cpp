#include <mobula/schema/wire_generated.h>

#include <mobula/wire/delta.hpp>

namespace mobula::wire {
namespace {

static_assert(sizeof(flat::DeltaHeader) == delta_header_size);
static_assert(sizeof(flat::InputHeader) == input_header_size);

constexpr unsigned gap_order = 3;
constexpr unsigned prototype_order = 4;
constexpr std::size_t entry_bits = 64 + 2;  // the longest gap, and the kind

core::Error malformed(const char* what) { return {"malformed delta", what}; }

}  // namespace

void write_header(const DeltaHeader& header, core::MutableBytes to) {
  MOBULA_ASSERT(to.size() >= delta_header_size, "room for a header");
  core::store(to.data(), flat::DeltaHeader(header.sequence, header.tick, header.verified_ack, header.entities,
                                           header.complete ? 1 : 0, header.verified_hash));
}

void write_header(const InputHeader& header, core::MutableBytes to) {
  MOBULA_ASSERT(to.size() >= input_header_size, "room for a header");
  const flatbuffers::span<const std::uint64_t, ack_history / 64> received(header.received);
  core::store(to.data(), flat::InputHeader(header.ack, header.newest, received));
}

core::Result<InputHeader> read_input_header(core::ByteView bytes) {
  if (bytes.size() < input_header_size) return core::Error{"truncated", "shorter than an input header"};
  const auto flat = core::load<flat::InputHeader>(bytes.data());
  InputHeader header{.ack = flat.ack(), .newest = flat.newest()};
  for (std::uint16_t i = 0; i < ack_history / 64; ++i) header.received[i] = flat.received()->Get(i);
  return header;
}

core::Result<DeltaHeader> read_delta_header(core::ByteView datagram) {
  if (datagram.size() < delta_header_size) return malformed("shorter than its header");
  const auto flat = core::load<flat::DeltaHeader>(datagram.data());
  if (flat.sequence() == 0 || flat.complete() > 1) return malformed("header out of range");
  return DeltaHeader{.sequence = flat.sequence(),
                     .tick = flat.tick(),
                     .verified_ack = flat.verified_ack(),
                     .entities = flat.entities(),
                     .complete = flat.complete() == 1,
                     .verified_hash = flat.verified_hash()};
}

std::size_t DeltaWriter::spawn_bits(const EntityRow& entity) const {
  std::size_t bits = entry_bits + 32 + 64;
  for (const ecs::PoolId pool : registry_.prototypes().pools(entity.prototype))
    bits += rows_.row(entity.entity.index, pool).bits;
  return bits;
}

std::size_t DeltaWriter::update_bits(const EntityRow& entity, ecs::Tick since) const {
  const std::span<const ecs::PoolId> pools = registry_.prototypes().pools(entity.prototype);
  std::size_t bits = 0;
  for (const ecs::PoolId pool : pools) {
    const Row row = rows_.row(entity.entity.index, pool);
    if (row.tick > since) bits += row.bits;
  }
  return bits == 0 ? 0 : bits + entry_bits + pools.size();
}

void DeltaWriter::begin(std::uint32_t index, std::uint64_t kind) {
  MOBULA_ASSERT(index >= next_index_, "entities come by ascending index");
  bits_.write_golomb(index - next_index_, gap_order);
  bits_.write(kind, 2);
  next_index_ = index + 1;
  ++entities_;
}

void DeltaWriter::spawn(const EntityRow& entity, std::uint32_t prototype) {
  begin(entity.entity.index, static_cast<std::uint64_t>(DecodedDelta::Kind::spawn));
  bits_.write(entity.entity.generation, 32);
  bits_.write_golomb(prototype, prototype_order);
  for (const ecs::PoolId pool : registry_.prototypes().pools(entity.prototype)) {
    const Row row = rows_.row(entity.entity.index, pool);
    bits_.write_bits(row.data, row.bits);
  }
}

void DeltaWriter::update(const EntityRow& entity, ecs::Tick since) {
  begin(entity.entity.index, static_cast<std::uint64_t>(DecodedDelta::Kind::update));
  const std::span<const ecs::PoolId> pools = registry_.prototypes().pools(entity.prototype);
  for (const ecs::PoolId pool : pools) bits_.write_bool(rows_.row(entity.entity.index, pool).tick > since);
  for (const ecs::PoolId pool : pools) {
    const Row row = rows_.row(entity.entity.index, pool);
    if (row.tick > since) bits_.write_bits(row.data, row.bits);
  }
}

void DeltaWriter::despawn(std::uint32_t index) {
  begin(index, static_cast<std::uint64_t>(DecodedDelta::Kind::despawn));
}

namespace {

class Decoder {
 public:
  Decoder(const DeltaContext& context, DecodedDelta& out) : context_(context), out_(out), bits_(out.body) {}

  core::Status run() {
    for (std::uint16_t i = 0; i < out_.header.entities; ++i) {
      const char* wrong = entry();
      if (wrong != nullptr) return malformed(wrong);
    }
    if (!bits_.ok()) return malformed("ends too early");
    if (bits_.left() >= 8 || bits_.read(static_cast<unsigned>(bits_.left())) != 0)
      return malformed("goes on after its end");
    return core::Done{};
  }

 private:
  // Null, or what is wrong.
  const char* entry() {
    const std::uint64_t index = next_index_ + bits_.read_golomb(gap_order);
    const std::uint64_t kind = bits_.read(2);
    if (!bits_.ok()) return "ends too early";
    if (index >= context_.index_limit) return "an index beyond the limit";
    next_index_ = index + 1;
    switch (kind) {
      case 0: return update(static_cast<std::uint32_t>(index));
      case 1: return spawn(static_cast<std::uint32_t>(index));
      case 2: return despawn(static_cast<std::uint32_t>(index));
      default: return "an entry of no known kind";
    }
  }

  const char* update(std::uint32_t index) {
    const EntityRow& known = context_.rows.entity(index);
    if (!known.entity) return "an update of an entity that is not there";
    begin(DecodedDelta::Kind::update, known.entity, known.prototype);
    const std::span<const ecs::PoolId> pools = context_.registry.prototypes().pools(known.prototype);
    const std::uint64_t mask = bits_.read(static_cast<unsigned>(pools.size()));
    for (std::size_t i = 0; i < pools.size(); ++i)
      if ((mask >> i & 1) != 0 && !row(pools[i], known.entity)) return "a component that cannot be read";
    return nullptr;
  }

  const char* spawn(std::uint32_t index) {
    const ecs::Entity entity{index, static_cast<std::uint32_t>(bits_.read(32))};
    const std::uint32_t id = bits_.read_golomb(prototype_order);
    if (!bits_.ok()) return "ends too early";
    if (!entity) return "a spawn of no entity";
    if (id >= context_.prototypes.size()) return "a prototype that was not announced";
    const ecs::PrototypeId prototype = context_.prototypes[id];
    if (id != 0 && prototype == ecs::empty_prototype) return "a prototype that was not announced";
    begin(DecodedDelta::Kind::spawn, entity, prototype);
    for (const ecs::PoolId pool : context_.registry.prototypes().pools(prototype))
      if (!row(pool, entity)) return "a component that cannot be read";
    return nullptr;
  }

  const char* despawn(std::uint32_t index) {
    begin(DecodedDelta::Kind::despawn, {index, 0}, ecs::empty_prototype);
    return nullptr;
  }

  void begin(DecodedDelta::Kind kind, ecs::Entity entity, ecs::PrototypeId prototype) {
    out_.entries.push_back({kind, entity, prototype, static_cast<std::uint32_t>(out_.all_parts.size()), 0});
  }

  // Decodes onto the entity's present component, or the default one, so that what is never sent stays.
  bool row(ecs::PoolId pool, ecs::Entity entity) {
    const ecs::ComponentType& type = context_.registry.pool(pool).type();
    const std::byte* present = context_.registry.try_read(entity, pool);
    const std::size_t value = out_.values.size();
    out_.values.resize(value + type.size);
    std::memcpy(&out_.values[value], present != nullptr ? present : type.default_value.data(), type.size);
    const std::size_t start = bits_.position();
    if (!context_.rows.codec(pool)->decode(bits_, &out_.values[value]) || !bits_.ok()) return false;
    out_.all_parts.push_back({pool, start, static_cast<std::uint32_t>(bits_.position() - start), value});
    ++out_.entries.back().parts;
    return true;
  }

  const DeltaContext& context_;
  DecodedDelta& out_;
  core::BitReader bits_;
  std::uint64_t next_index_ = 0;
};

}  // namespace

core::Status decode_delta(core::ByteView datagram, const DeltaContext& context, DecodedDelta& out) {
  const core::Result<DeltaHeader> header = read_delta_header(datagram);
  if (!header) return header.error();
  out.header = *header;
  out.body = datagram.subspan(delta_header_size);
  out.entries.clear();
  out.all_parts.clear();
  out.values.clear();
  return Decoder(context, out).run();
}

}  // namespace mobula::wire
