// docs/protocol.md agrees with the code: its tables are the code's, and its vectors encode and decode.
#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <fstream>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/prediction/predicted_world.hpp>
#include <mobula/wire/delta.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <mobula/wire/residual_code.hpp>
#include <sstream>
#include <tuple>
#include <wire/codec_world.hpp>

namespace mobula::wire {
namespace {

using test::Words;

// Returns the code blocks of a section.
std::vector<std::string> blocks(std::string_view title) {
  std::ifstream file(MOBULA_SOURCE_DIR "/docs/protocol.md");
  std::vector<std::string> found;
  std::string line;
  bool section = false;
  bool inside = false;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) section = line.substr(3) == title;
    if (!section) continue;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) found.emplace_back();
    } else if (inside) {
      found.back() += line + "\n";
    }
  }
  return found;
}

std::string block_that_begins(std::string_view begin, std::string_view title = "Rows and entities") {
  for (const std::string& block : blocks(title))
    if (block.starts_with(begin)) return block;
  ADD_FAILURE() << "no block begins with " << begin;
  return {};
}

// Returns the lines of a block by their first word, without it.
using Lines = std::map<std::string, std::string>;
std::vector<Lines> records(const std::string& block) {
  std::vector<Lines> found;
  std::istringstream lines(block);
  bool between = true;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && between) found.emplace_back();
    between = line.empty();
    if (between) continue;
    std::istringstream words(line);
    std::string key;
    words >> key >> std::ws;
    std::getline(words, found.back()[key]);
  }
  return found;
}

struct Vector {
  std::vector<std::string> components;
  bool owner = false;
  bool whole = false;
  std::map<std::string, Words> states;  // by the name in the page
  Interval time;
  ecs::Tick tick = test::tick;
  std::size_t bits = 0;
  core::Bytes bytes;
};

// Words of velocities, accelerations and turns have signs.
Words words_of(std::istream& line) {
  Words words;
  for (std::int64_t word = 0; line >> word;) words.push_back(static_cast<std::uint32_t>(word));
  return words;
}

void read_line(const std::string& key, const std::string& line, Vector& vector) {
  std::istringstream words(line);
  if (key == "entity") {
    for (std::string name; words >> name;) vector.components.push_back(name);
  } else if (key == "to") {
    vector.owner = true;
  } else if (key == "whole") {
    vector.whole = true;
  } else if (key == "tick") {
    words >> vector.tick;
  } else if (key == "age") {
    words >> vector.time.age;
  } else if (key == "span") {
    words >> vector.time.span;
  } else if (key == "early") {
    words >> vector.time.early;
  } else if (key == "bits") {
    words >> vector.bits;
  } else if (key == "bytes") {
    std::string hex;
    for (std::string byte; words >> byte;) hex += byte;
    vector.bytes = *core::from_hex(hex);
  } else {
    vector.states[key] = words_of(words);
  }
}

std::vector<Vector> vectors() {
  std::vector<Vector> all;
  for (const Lines& lines : records(block_that_begins("entity"))) {
    all.emplace_back();
    for (const auto& [key, line] : lines) read_line(key, line, all.back());
  }
  return all;
}

// The only block of digits and letters alone.
std::string table_block() {
  for (const std::string& block : blocks("Rows and entities"))
    if (block.find_first_not_of("0123456789abc\n") == std::string::npos) return block;
  ADD_FAILURE() << "no block of tables";
  return {};
}

TEST(WireMd, TablesAreTheCodes) {
  std::string tables = table_block();
  std::erase(tables, '\n');
  EXPECT_EQ(tables, residual_lengths());
}

TEST(WireMd, VectorsAreWhatTheCodeWritesAndReads) {
  const auto schema = mobula::test::load_schema(block_that_begins("enum Mood"));
  ASSERT_EQ(vectors().size(), 26u);
  std::size_t which = 0;
  for (const Vector& vector : vectors()) {
    SCOPED_TRACE("vector " + std::to_string(which++));
    EntityLayout layout;
    std::deque<RowCodec> codecs;
    for (const std::string& name : vector.components) layout.add(codecs.emplace_back(*schema->find(name)));
    for (const auto& [name, words] : vector.states) ASSERT_EQ(words.size(), layout.words) << name;
    const Words& now = vector.states.at("now");
    const Words& b1 = vector.whole ? layout.defaults : vector.states.at("b1");
    const Words* b2 = vector.states.contains("b2") ? &vector.states.at("b2") : nullptr;
    const Words* b3 = vector.states.contains("b3") ? &vector.states.at("b3") : nullptr;
    const Baselines baselines{.baseline = b1.data(),
                              .previous_baseline = b2 != nullptr ? b2->data() : nullptr,
                              .early_baseline = b3 != nullptr ? b3->data() : nullptr,
                              .time = vector.time};
    const EntityCodec codec(layout, vector.owner, vector.tick);

    const test::Bits bits = test::written(layout.bits_max, [&](core::BitWriter& writer) {
      vector.whole ? codec.write_full(now.data(), writer) : codec.write_delta(now.data(), baselines, writer);
    });
    EXPECT_EQ(bits.bits, vector.bits);
    EXPECT_EQ(core::to_hex(bits.bytes), core::to_hex(vector.bytes));

    core::BitReader reader(vector.bytes);
    Words read(layout.words);
    EXPECT_TRUE(vector.whole ? codec.read_full(reader, read.data()) : codec.read_delta(baselines, reader, read.data()));
    EXPECT_EQ(reader.position(), vector.bits);
    EXPECT_EQ(read, now);
    core::Bytes component(reflect::Limits::component_bytes);
    for (const EntityLayout::Row& row : layout.rows)
      EXPECT_TRUE(row.codec->to_component(now.data() + row.first, vector.owner, vector.tick, component.data()))
          << "are words of a value";
  }
}

TEST(WireMd, ACourseHasTheValuesOfTheExample) {
  const auto schema = mobula::test::load_schema(block_that_begins("enum Mood"));
  const RowCodec codec(*schema->find("Ship"));
  Lines example = records(block_that_begins("words  ")).at(0);
  std::istringstream line(example["words"]);
  const Words words = words_of(line);
  ASSERT_EQ(words.size(), codec.words());
  std::array<std::uint32_t, 8> values{};
  const auto tick = static_cast<ecs::Tick>(std::stoul(example["tick"]));
  ASSERT_TRUE(codec.to_component(words.data(), false, tick, reinterpret_cast<std::byte*>(values.data())));
  std::string shown;
  for (const std::uint32_t value : values) shown += (shown.empty() ? "" : " ") + core::format("{:08x}", value);
  EXPECT_EQ(shown, example["values"]);
}

DeltaHeader header_of(Lines& lines) {
  DeltaHeader header;
  std::istringstream(lines["numbers"]) >> header.sequence >> header.tick >> header.ack;
  const auto has = [&](std::string_view flag) { return lines["flags"].find(flag) != std::string::npos; };
  header.complete = has("complete");
  header.verifies = has("hash");
  header.short_numbers = !has("long");
  header.without_early = has("no_early");
  header.lost_continue = has("lost_continue");
  if (header.verifies) header.hash = std::stoull(lines["hash"], nullptr, 16);
  int held = 0;
  int margin = 0;
  if (has("feedback")) std::istringstream(lines["feedback"]) >> header.commands.done >> held >> margin;
  header.commands.held = static_cast<std::uint8_t>(held);
  header.commands.margin = static_cast<std::int8_t>(margin);
  std::istringstream outcomes(lines["outcomes"]);
  std::size_t next = 0;
  for (std::uint32_t number = 0, late = 0; outcomes >> number >> late;) {
    header.commands.unusual |= std::uint64_t{1} << (header.commands.done - number);
    header.commands.late[next++] = static_cast<std::uint8_t>(late);
  }
  return header;
}

TEST(WireMd, HeadersAreThoseOfTheExamples) {
  std::vector<Lines> examples = records(block_that_begins("header", "Deltas: server to client, unreliable"));
  ASSERT_EQ(examples.size(), 4u);
  for (Lines& lines : examples) {
    const DeltaHeader header = header_of(lines);
    std::string hex = lines["header"];
    std::erase(hex, ' ');
    core::Bytes bytes(header_size(header));
    write_header(header, bytes);
    EXPECT_EQ(core::to_hex(bytes), hex);
    KnownNumbers known;
    std::istringstream(lines["reached"]) >> known.sequence >> known.tick >> known.ack;
    const core::Result<DeltaHeader> read = read_delta_header(bytes, known);
    ASSERT_TRUE(read.ok()) << hex << ": " << read.error().message;
    EXPECT_EQ(std::tuple(read->sequence, read->tick, read->ack), std::tuple(header.sequence, header.tick, header.ack));
    EXPECT_EQ(std::tuple(read->complete, read->verifies, read->hash, read->commands, read->short_numbers),
              std::tuple(header.complete, header.verifies, header.hash, header.commands, header.short_numbers));
    EXPECT_EQ(std::tuple(read->without_early, read->lost_continue),
              std::tuple(header.without_early, header.lost_continue));
  }
}

// Returns the page's example of hashes: a hexadecimal number at the end of each line.
std::map<std::string, std::uint64_t> hashes() {
  std::map<std::string, std::uint64_t> found;
  std::istringstream lines(block_that_begins("hash of no bytes", "Verification"));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t space = line.rfind(' ');
    found[line.substr(0, line.find("  "))] = std::stoull(line.substr(space + 1), nullptr, 16);
  }
  return found;
}

TEST(WireMd, HashesAreThoseOfTheExample) {
  const auto schema = mobula::test::load_schema(block_that_begins("enum Mood"));
  const RowCodec codec(*schema->find("Wide"));
  const ecs::Entity entity{5, 1048577};
  const core::StringId32 name("Wide");
  const Words words{997, 942, 979, 994, 0, 0, 392075840, 200};
  core::Bytes twice(512);
  for (std::size_t i = 0; i < twice.size(); ++i) twice[i] = static_cast<std::byte>(i);
  const std::array components{index::ComponentRef{name, name}};
  const std::uint64_t prototype = index::prototype_hash(components);
  const std::uint64_t seed = row_seed(entity, std::uint64_t{name.value} << 32 | name.value);
  const std::uint64_t row = public_hash(codec, words.data(), seed);
  const std::uint64_t own = owner_hash(codec, words.data(), seed);
  const std::uint64_t base = base_hash(entity, prototype);
  const std::map<std::string, std::uint64_t> ours{{"hash of no bytes", core::hash64({})},
                                                  {"hash of no bytes, seed 1", core::hash64({}, 1)},
                                                  {"hash of 0 to 255, twice", core::hash64(twice)},
                                                  {"the same, seed 1", core::hash64(twice, 1)},
                                                  {"type and instance", name.value},
                                                  {"prototype", prototype},
                                                  {"entity without rows", base},
                                                  {"seed of the row", seed},
                                                  {"row", row},
                                                  {"owner_only words of it", own},
                                                  {"entity, for others", base + row},
                                                  {"entity, for its owner", base + row + own}};
  EXPECT_EQ(hashes(), ours);
}

// A registry of the page's schema, whose steps draw random numbers.
class Drawing {
 public:
  Drawing() {
    const auto schema = mobula::test::load_schema(block_that_begins("enum Mood"));
    EXPECT_TRUE(reflect::register_components(registry_, *schema).ok());
  }
  // Returns the generator of an example's key.
  core::Random random(Lines example) {
    const prediction::StepContext context{.registry = &registry_, .seed = std::stoull(example["seed"])};
    const prediction::PredictedWorld world(context, static_cast<ecs::Tick>(std::stoul(example["tick"])));
    if (example.contains("key")) return world.random(std::stoull(example["key"]));
    return world.random(example.contains("spawned") ? spawned(example["spawned"]) : handle(example["entity"]));
  }

 private:
  static ecs::Entity handle(const std::string& text) {
    ecs::Entity entity;
    std::istringstream(text) >> entity.index >> entity.generation;
    return entity;
  }
  ecs::Entity spawned(const std::string& text) {
    engine::SpawnKey key;
    int ordinal = 0;
    std::istringstream(text) >> key.tick >> key.player >> key.command >> ordinal;
    key.ordinal = static_cast<std::uint8_t>(ordinal);
    const ecs::Entity entity = registry_.create();
    registry_.add(entity, key);
    return entity;
  }

  ecs::Registry registry_;
};

std::string next_three(core::Random random) {
  std::string text;
  for (int i = 0; i < 3; ++i) text += (text.empty() ? "" : " ") + core::format("{:016x}", random.next());
  return text;
}

TEST(WireMd, RandomNumbersAreThoseOfTheExamples) {
  const std::vector<Lines> examples = records(block_that_begins("key ", "Keyed random numbers"));
  ASSERT_EQ(examples.size(), 3u);
  Drawing drawing;
  for (Lines example : examples) {
    SCOPED_TRACE(example["words"]);
    core::Bytes words(24);
    std::istringstream line(example["words"]);
    for (std::size_t at = 0; at < words.size(); at += 8) {
      std::string hex;
      line >> hex;
      core::store(&words[at], std::uint64_t{std::stoull(hex, nullptr, 16)});
    }
    const std::uint64_t hash = core::hash64(words, std::stoull(example["seed"]));
    EXPECT_EQ(core::format("{:016x}", hash), example["hash"]);
    EXPECT_EQ(next_three(core::Random(hash)), example["next"]);
    EXPECT_EQ(next_three(drawing.random(example)), example["next"]);
    std::uint32_t bound = 0;
    std::uint32_t below = 0;
    std::istringstream(example["below"]) >> bound >> below;
    EXPECT_EQ(drawing.random(example).below(bound), below);
    float low = 0;
    float high = 0;
    float uniform = 0;
    std::istringstream(example["uniform"]) >> low >> high >> uniform;
    EXPECT_EQ(drawing.random(example).uniform(low, high), uniform);
  }
}

}  // namespace
}  // namespace mobula::wire
