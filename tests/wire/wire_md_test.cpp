// docs/protocol.md agrees with the code: its tables are the code's, and its vectors encode and decode.
#include <gtest/gtest.h>

#include <deque>
#include <fstream>
#include <map>
#include <mobula/core/hex.hpp>
#include <mobula/index/prototype_hash.hpp>
#include <mobula/wire/entity_hash.hpp>
#include <mobula/wire/residual_code.hpp>
#include <sstream>
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

struct Vector {
  std::vector<std::string> components;
  bool owner = false;
  bool whole = false;
  std::map<std::string, Words> states;  // by the name in the page
  Interval time;
  std::size_t bits = 0;
  core::Bytes bytes;
};

void read_line(const std::string& line, Vector& vector) {
  std::istringstream words(line);
  std::string key;
  words >> key;
  if (key == "entity") {
    for (std::string name; words >> name;) vector.components.push_back(name);
  } else if (key == "to") {
    vector.owner = true;
  } else if (key == "whole") {
    vector.whole = true;
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
    for (std::uint32_t word = 0; words >> word;) vector.states[key].push_back(word);
  }
}

std::vector<Vector> vectors() {
  std::vector<Vector> all;
  std::istringstream lines(block_that_begins("entity"));
  bool between = true;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && between) all.emplace_back();
    between = line.empty();
    if (!line.empty()) read_line(line, all.back());
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
  ASSERT_EQ(vectors().size(), 18u);
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
    const EntityCodec codec(layout, vector.owner, test::tick);

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
      EXPECT_TRUE(row.codec->to_component(now.data() + row.first, true, test::tick, component.data()))
          << "are words of a value";
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

}  // namespace
}  // namespace mobula::wire
