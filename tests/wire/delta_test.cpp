#include <gtest/gtest.h>

#include <mobula/core/random.hpp>
#include <string>
#include <wire/delta_world.hpp>

namespace mobula::wire {
namespace {

using test::World;
using Kind = DecodedDelta::Kind;

constexpr std::size_t datagram_bytes = 16 * 1024;

// What one entry must come out as: values are what a codec makes of the server's.
struct Expected {
  Kind kind;
  ecs::Entity entity;
  std::vector<std::pair<ecs::PoolId, core::Bytes>> values;  // by the server's pools, in canonical order
};

core::Bytes snapped(World& server, ecs::Entity entity, ecs::PoolId pool) {
  const std::byte* value = server.registry.try_read(entity, pool);
  core::Bytes bytes(value, value + server.registry.pool(pool).type().size);
  server.rows.codec(pool)->snap(bytes.data());
  return bytes;
}

// The server's side of one perfect client: everything that is newer than `since`, which the client has.
struct Sender {
  World& server;
  const World& mirror;
  ecs::Tick since = 0;
  std::uint32_t sequence = 0;
  std::vector<Expected> expected = {};

  void append(DeltaWriter& writer, std::uint32_t index, bool again) {
    const EntityRow& now = server.rows.entity(index);
    const ecs::Entity known = mirror.rows.entity(index).entity;
    const auto pools = server.registry.prototypes().pools(now.prototype);
    const std::size_t size = writer.size();
    if (!now.entity) {
      if (!known && !again) return;
      expected.push_back({Kind::despawn, {index, 0}, {}});
      writer.despawn(index);
      EXPECT_LE((writer.size() - size) * 8, DeltaWriter::despawn_bits + 7);
    } else if (known != now.entity || now.structure_tick > since || again) {
      expected.push_back({Kind::spawn, now.entity, {}});
      for (const ecs::PoolId pool : pools) expected.back().values.emplace_back(pool, snapped(server, now.entity, pool));
      const std::size_t bound = writer.spawn_bits(now);
      writer.spawn(now, now.prototype);
      EXPECT_LE((writer.size() - size) * 8, bound + 7);
    } else if (const std::size_t bound = writer.update_bits(now, since); bound > 0) {
      expected.push_back({Kind::update, now.entity, {}});
      for (const ecs::PoolId pool : pools)
        if (server.rows.row(index, pool).tick > since)
          expected.back().values.emplace_back(pool, snapped(server, now.entity, pool));
      writer.update(now, since);
      EXPECT_LE((writer.size() - size) * 8, bound + 7);
    }
  }

  // `again`: chances in ten that an entity is told although the client has it.
  core::Bytes delta(core::Random& random, std::uint32_t again = 1) {
    expected.clear();
    core::Bytes datagram(datagram_bytes, std::byte{0xee});
    DeltaWriter writer(datagram, server.registry, server.rows);
    for (std::uint32_t index = 0; index < server.rows.index_end(); ++index)
      append(writer, index, random.chance(again, 10));
    EXPECT_TRUE(writer.ok());
    EXPECT_EQ(writer.entities(), expected.size());
    write_header({.sequence = ++sequence,
                  .tick = server.registry.tick(),
                  .verified_ack = 5,
                  .entities = writer.entities(),
                  .complete = true,
                  .verified_hash = 0x0123456789abcdefull},
                 datagram);
    datagram.resize(writer.size());
    since = server.registry.tick();
    return datagram;
  }
};

// Bytes of it that do not travel are the mirror's own business.
bool same_where_sent(const World& server, ecs::PoolId pool, const core::Bytes& expected, const std::byte* value) {
  const reflect::Component& component = *test::demo_schema().find(server.registry.pool(pool).type().id);
  for (const reflect::Field& field : component.fields)
    for (std::uint32_t i = 0; i < field.count && !field.owner_only; ++i) {
      const std::size_t at = field.offset + std::size_t{i} * field.stride;
      if (std::memcmp(&expected[at], value + at, field.size) != 0) return false;
    }
  return true;
}

void expect_decoded(const DecodedDelta& decoded, const Sender& sender) {
  ASSERT_EQ(decoded.entries.size(), sender.expected.size());
  for (std::size_t i = 0; i < decoded.entries.size(); ++i) {
    const DecodedDelta::Entry& entry = decoded.entries[i];
    const Expected& expected = sender.expected[i];
    ASSERT_EQ(entry.kind, expected.kind);
    ASSERT_EQ(entry.entity, expected.entity);
    const auto parts = decoded.parts_of(entry);
    ASSERT_EQ(parts.size(), expected.values.size());
    for (std::size_t part = 0; part < parts.size(); ++part) {
      const auto& [pool, value] = expected.values[part];
      const ecs::Pool& ours = sender.mirror.registry.pool(parts[part].pool);
      ASSERT_EQ(ours.type().id, sender.server.registry.pool(pool).type().id);
      ASSERT_EQ(ours.instance(), sender.server.registry.pool(pool).instance());
      ASSERT_EQ(parts[part].bits, sender.server.rows.row(entry.entity.index, pool).bits);
      ASSERT_TRUE(same_where_sent(sender.server, pool, value, &decoded.values[parts[part].value])) << ours.type().name;
    }
  }
}

// Whatever was let through can be applied and leaves everything in order.
void expect_harmless(const DecodedDelta& decoded, World& mirror) {
  std::int64_t last = -1;
  for (const DecodedDelta::Entry& entry : decoded.entries) {
    ASSERT_GT(std::int64_t{entry.entity.index}, last);
    last = entry.entity.index;
    ASSERT_LT(entry.entity.index, World::index_limit);
    ASSERT_TRUE(entry.kind == Kind::despawn || entry.entity);
    for (const DecodedDelta::Part& part : decoded.parts_of(entry)) {
      ASSERT_LE(part.bit + part.bits, decoded.body.size() * 8);
      ASSERT_LE(part.value + mirror.registry.pool(part.pool).type().size, decoded.values.size());
    }
  }
  mirror.apply(decoded);
  mirror.check();
}

void fill(World& server, core::Random& random, int changes) {
  std::vector<ecs::Entity> alive;
  for (int i = 0; i < changes; ++i) test::change_something(server, alive, random);
  server.publish();
}

TEST(Delta, RandomHistoriesArriveAsTheNaiveExpectationSays) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    core::Random random(seed);
    World server(ecs::Recycling::queue);
    World mirror(ecs::Recycling::given);
    Sender sender{server, mirror};
    std::vector<ecs::Entity> alive;
    DecodedDelta decoded;
    for (ecs::Tick tick = 1; tick <= 80; ++tick) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", tick " << tick);
      server.registry.set_tick(tick);
      for (std::uint32_t changes = random.below(30); changes > 0; --changes)
        test::change_something(server, alive, random);
      server.publish();
      mirror.announce(server);
      const core::Bytes datagram = sender.delta(random);
      const core::Status status = decode_delta(datagram, mirror.context(), decoded);
      ASSERT_TRUE(status) << status.error().message;
      EXPECT_EQ(decoded.header.sequence, sender.sequence);
      EXPECT_EQ(decoded.header.tick, tick);
      EXPECT_EQ(decoded.header.verified_ack, 5u);
      EXPECT_TRUE(decoded.header.complete);
      EXPECT_EQ(decoded.header.verified_hash, 0x0123456789abcdefull);
      expect_decoded(decoded, sender);
      if (HasFatalFailure()) return;
      mirror.apply(decoded);
      mirror.check();
      server.rows.check();
      ASSERT_EQ(mirror.rows.hash(), server.rows.hash());
      ASSERT_EQ(mirror.rows.size(), server.rows.size());
    }
    EXPECT_GT(server.rows.size(), 10u);
  }
}

// Golden bytes -----------------------------------------------------------------------------

core::Bytes bytes_of_bits(std::string_view text) {
  core::Bytes bytes;
  std::size_t bits = 0;
  for (const char c : text) {
    if (c == ' ') continue;
    if (bits % 8 == 0) bytes.push_back(std::byte{0});
    if (c == '1') bytes.back() |= static_cast<std::byte>(1u << (bits % 8));
    ++bits;
  }
  return bytes;
}

core::Bytes bytes_of_hex(std::string_view text) {
  core::Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 3)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  return bytes;
}

// Entities 2 (spawned: Team blue, Velocity 0 0 0.01), 3 (gone), 20 (of its Health only `current` changed).
TEST(Delta, GoldenBytes) {
  World server(ecs::Recycling::given);
  server.open({"Team", "Team"});
  server.open({"Health", "Health"});
  server.registry.set_tick(6);
  const ecs::Entity two{2, 0x00100001u};
  const ecs::Entity twenty{20, 0x00100002u};
  for (const ecs::Entity entity : {two, twenty}) server.registry.create_given(entity);
  server.registry.add<demo::Team>(two).color = demo::TeamColor::blue;
  server.registry.add<demo::Velocity>(two).linear.z = 0.01f;
  server.registry.add<demo::Health>(twenty);
  server.publish();
  server.registry.set_tick(7);
  server.registry.get<demo::Health>(twenty).current = 258;
  server.publish();

  core::Bytes datagram(200);
  DeltaWriter writer(datagram, server.registry, server.rows);
  const EntityRow& spawned = server.rows.entity(2);
  writer.spawn(spawned, spawned.prototype);
  writer.despawn(3);
  writer.update(server.rows.entity(20), 6);
  write_header({.sequence = 9, .tick = 7, .verified_ack = 4, .entities = 3, .complete = true, .verified_hash = 0xab},
               datagram);
  datagram.resize(writer.size());

  core::Bytes expected = bytes_of_hex(
      "09 00 00 00 "                // sequence
      "07 00 00 00 "                // tick
      "04 00 00 00 "                // verified_ack
      "03 00 "                      // entities
      "01 00 "                      // complete
      "ab 00 00 00 00 00 00 00 ");  // verified_hash
  // What the bits below take for granted.
  ASSERT_LT(core::StringId32(std::string_view("Team")), core::StringId32(std::string_view("Velocity")));
  ASSERT_EQ(spawned.prototype, 2u);
  const core::Bytes body = bytes_of_bits(
      "1 010 "                                      // gap 2: no zeros, one, 3 bits of 2
      "10 "                                         // spawn
      "10000000 00000000 00001000 00000000 "        // generation 0x00100001
      "1 0100 "                                     // prototype 2: no zeros, one, 4 bits of 2
      "01 "                                         // Team: blue is 2
      "0000000100110 0000000100110 1000000100110 "  // Velocity: 3200, 3200, 3201 steps of 0.01 from -32
      "1 000 "                                      // gap 0
      "01 "                                         // despawn
      "01 0001 "                                    // gap 16: shifted by 8 it is 24: one zero, one, 4 bits of 24 - 16
      "00 "                                         // update
      "1 "                                          // mask: Health, its only component
      "0100000010000000 0010011000000000");         // 258, 100
  expected.insert(expected.end(), body.begin(), body.end());
  EXPECT_EQ(datagram, expected);
}

// Malformed, by name -----------------------------------------------------------------------

struct DeltaRefused : testing::Test {
  World server{ecs::Recycling::queue};
  World mirror{ecs::Recycling::given};
  core::Random random{1};
  core::Bytes full;
  DecodedDelta decoded;

  DeltaRefused() {
    fill(server, random, 400);
    mirror.announce(server);
    Sender sender{server, mirror};
    full = sender.delta(random);
    EXPECT_TRUE(decode_delta(full, mirror.context(), decoded));
    mirror.apply(decoded);
  }
  // A delta of `entities` entries that `write` writes.
  template <class Write>
  std::string refusal(std::uint16_t entities, Write&& write, std::size_t more_bytes = 0) {
    core::Bytes datagram(400);
    core::BitWriter writer(core::MutableBytes(datagram).subspan(delta_header_size));
    write(writer);
    datagram.resize(delta_header_size + writer.bytes() + more_bytes);
    write_header({.sequence = 1, .tick = 9, .entities = entities}, datagram);
    return refusal_of(datagram);
  }
  std::string refusal_of(core::ByteView datagram) {
    const core::Status status = decode_delta(datagram, mirror.context(), decoded);
    if (status) return "";
    EXPECT_STREQ(status.error().reason, "malformed delta");
    return status.error().message;
  }
  [[nodiscard]] std::uint32_t present() const {
    for (std::uint32_t index = 0;; ++index)
      if (mirror.rows.entity(index).entity && mirror.rows.entity(index).prototype != ecs::empty_prototype) return index;
  }
  static void entry(core::BitWriter& writer, std::uint32_t gap, std::uint64_t kind) {
    writer.write_golomb(gap, 3);
    writer.write(kind, 2);
  }
};

TEST_F(DeltaRefused, NothingIsWrongWithAnEmptyDelta) {
  EXPECT_EQ(refusal(0, [](core::BitWriter&) {}), "");
  EXPECT_TRUE(decoded.entries.empty());
}

TEST_F(DeltaRefused, AHeaderThatSaysNonsense) {
  EXPECT_EQ(refusal_of(core::ByteView(full).first(delta_header_size - 1)), "shorter than its header");
  core::Bytes other = full;
  core::store(other.data(), std::uint32_t{0});
  EXPECT_EQ(refusal_of(other), "header out of range") << "sequence 0";
  other = full;
  core::store(&other[14], std::uint16_t{2});
  EXPECT_EQ(refusal_of(other), "header out of range") << "complete is 0 or 1";
}

TEST_F(DeltaRefused, AnIndexBeyondTheLimit) {
  EXPECT_EQ(refusal(1, [](core::BitWriter& writer) { entry(writer, World::index_limit - 1, 2); }), "");
  EXPECT_EQ(refusal(1, [](core::BitWriter& writer) { entry(writer, World::index_limit, 2); }),
            "an index beyond the limit");
  EXPECT_EQ(refusal(1, [](core::BitWriter& writer) { entry(writer, 0xffffffffu, 2); }), "an index beyond the limit");
  EXPECT_EQ(refusal(2,
                    [](core::BitWriter& writer) {
                      entry(writer, World::index_limit - 1, 2);
                      entry(writer, 0xffffffffu, 2);
                    }),
            "an index beyond the limit")
      << "the sum of gaps does not wrap round";
}

TEST_F(DeltaRefused, AnUpdateOfAnEntityThatIsNotThere) {
  EXPECT_EQ(refusal(1, [](core::BitWriter& writer) { entry(writer, World::index_limit - 1, 0); }),
            "an update of an entity that is not there");
}

TEST_F(DeltaRefused, APrototypeThatWasNotAnnounced) {
  const auto unknown = static_cast<std::uint32_t>(mirror.announced.size());
  const auto spawn = [](std::uint32_t prototype) {
    return [=](core::BitWriter& writer) {
      entry(writer, 0, 1);
      writer.write(1, 32);
      writer.write_golomb(prototype, 4);
    };
  };
  EXPECT_EQ(refusal(1, spawn(0)), "") << "the empty prototype is always known";
  EXPECT_EQ(refusal(1, spawn(unknown)), "a prototype that was not announced");
  EXPECT_EQ(refusal(1, spawn(0xffffffffu)), "a prototype that was not announced");
  mirror.announced.push_back(ecs::empty_prototype);
  EXPECT_EQ(refusal(1, spawn(unknown)), "a prototype that was not announced") << "a gap among the announced";
}

TEST_F(DeltaRefused, ASpawnOfNoEntity) {
  EXPECT_EQ(refusal(1,
                    [](core::BitWriter& writer) {
                      entry(writer, 0, 1);
                      writer.write(0, 32);
                      writer.write_golomb(0, 4);
                    }),
            "a spawn of no entity");
}

TEST_F(DeltaRefused, AnEntryOfNoKnownKind) {
  EXPECT_EQ(refusal(1, [](core::BitWriter& writer) { entry(writer, 0, 3); }), "an entry of no known kind");
}

TEST_F(DeltaRefused, BytesOrBitsBehindTheEnd) {
  const auto despawn = [](core::BitWriter& writer) { entry(writer, 0, 2); };
  EXPECT_EQ(refusal(1, despawn), "");
  EXPECT_EQ(refusal(1, despawn, 1), "goes on after its end");
  EXPECT_EQ(refusal(0, despawn), "goes on after its end");
  EXPECT_EQ(refusal(1,
                    [&](core::BitWriter& writer) {
                      despawn(writer);
                      writer.write(2, 2);
                    }),
            "goes on after its end");
}

TEST_F(DeltaRefused, FewerEntriesThanTheHeaderSays) {
  const auto despawn = [](core::BitWriter& writer) { entry(writer, 0, 2); };
  EXPECT_EQ(refusal(2, despawn), "ends too early");
  EXPECT_EQ(refusal(0xffff, despawn), "ends too early");
}

TEST_F(DeltaRefused, AComponentThatNoEncoderWrote) {
  World server_of_one(ecs::Recycling::queue);
  const ecs::Entity entity = server_of_one.registry.create();
  server_of_one.registry.add<demo::Velocity>(entity);
  server_of_one.publish();
  World mirror_of_one(ecs::Recycling::given);
  mirror_of_one.announce(server_of_one);
  core::Bytes datagram(200);
  core::BitWriter writer(core::MutableBytes(datagram).subspan(delta_header_size));
  entry(writer, entity.index, 1);
  writer.write(entity.generation, 32);
  writer.write_golomb(server_of_one.rows.entity(entity.index).prototype, 4);
  writer.write(6401, 13);  // 64 metres are 6400 steps
  writer.write(0, 26);
  datagram.resize(delta_header_size + writer.bytes());
  write_header({.sequence = 1, .entities = 1}, datagram);
  const core::Status status = decode_delta(datagram, mirror_of_one.context(), decoded);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "a component that cannot be read");
}

TEST_F(DeltaRefused, AnUpdateWhoseMaskIsNotThere) {
  const std::uint32_t index = present();
  const auto pools =
      static_cast<unsigned>(mirror.registry.prototypes().pools(mirror.rows.entity(index).prototype).size());
  EXPECT_EQ(refusal(1,
                    [&](core::BitWriter& writer) {
                      entry(writer, index, 0);
                      writer.write(0, pools);
                    }),
            "")
      << "an update of nothing is allowed";
  EXPECT_EQ(decoded.entries.front().parts, 0u);
  core::Bytes cut(delta_header_size);
  write_header({.sequence = 1, .entities = 1}, cut);
  EXPECT_EQ(refusal_of(cut), "ends too early");
}

// Hostile ----------------------------------------------------------------------------------

TEST_F(DeltaRefused, EveryTruncation) {
  for (std::size_t size = 0; size < full.size(); ++size)
    ASSERT_NE(refusal_of(core::ByteView(full).first(size)), "") << size << " of " << full.size();
}

TEST_F(DeltaRefused, OrHarmlessIsEveryFlippedBit) {
  int refused = 0;
  int accepted = 0;
  for (std::size_t bit = 0; bit < full.size() * 8; ++bit) {
    SCOPED_TRACE(testing::Message() << "bit " << bit);
    core::Bytes damaged = full;
    damaged[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    if (!decode_delta(damaged, mirror.context(), decoded)) {
      ++refused;
      continue;
    }
    ++accepted;
    expect_harmless(decoded, mirror);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(accepted, 100);
}

TEST_F(DeltaRefused, OrHarmlessIsAnythingElse) {
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    SCOPED_TRACE(testing::Message() << "round " << round);
    core::Bytes bytes(delta_header_size + random.below(random.chance(1, 4) ? 60 : 6));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
    if (random.chance(1, 2)) bytes = full;
    write_header({.sequence = 1 + random.below(9),
                  .tick = random.below(1000),
                  .entities = static_cast<std::uint16_t>(
                      bytes.size() == full.size() ? core::load<std::uint16_t>(&full[12]) : random.below(5))},
                 bytes);
    const auto body = static_cast<std::uint32_t>(bytes.size() - delta_header_size);
    for (std::uint32_t damage = random.below(3); damage > 0 && body > 0; --damage)
      bytes[delta_header_size + random.below(body)] = static_cast<std::byte>(random.below(256));
    if (!decode_delta(bytes, mirror.context(), decoded)) continue;
    ++accepted;
    expect_harmless(decoded, mirror);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(accepted, 500);
}

TEST(InputHeader, ComesBackAsItWasSent) {
  InputHeader header{.ack = 3, .newest = 0xfffffff0u, .received = {1, 0x8000000000000000ull, 0, 1ull << 63}};
  core::Bytes bytes(input_header_size + 5);
  write_header(header, bytes);
  const auto read = read_input_header(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ack, 3u);
  EXPECT_EQ(read->newest, 0xfffffff0u);
  EXPECT_EQ(read->received, header.received);
  EXPECT_TRUE(read->has(0) && read->has(127) && read->has(255));
  EXPECT_FALSE(read->has(1) || read->has(64) || read->has(254));
  for (std::size_t size = 0; size < input_header_size; ++size) {
    const auto refused = read_input_header(core::ByteView(bytes).first(size));
    ASSERT_FALSE(refused);
    EXPECT_STREQ(refused.error().reason, "truncated");
  }
}

#ifdef MOBULA_ASSERTS
TEST(DeltaDeathTest, EntitiesOutOfOrderAreAMistake) {
  World server(ecs::Recycling::queue);
  core::Bytes datagram(200);
  DeltaWriter writer(datagram, server.registry, server.rows);
  writer.despawn(5);
  EXPECT_DEATH(writer.despawn(5), "ascending");
}
#endif

}  // namespace
}  // namespace mobula::wire
