#include <gtest/gtest.h>

#include <deque>
#include <mobula/wire/entity_codec.hpp>
#include <reflect/compile_schema.hpp>
#include <wire/codec_world.hpp>

namespace mobula::wire {
namespace {

constexpr const char* schema_text = R"(
    enum Mood:ubyte { calm = 0, angry }
    struct Inner { far:ulong (cut); near:ubyte; }
    struct Seat (component) { of:mobula.engine.EntityRef (cut); height:float; inner:Inner; }
    struct Look (component) { mood:Mood (cut); glad:bool (cut); size:float (range:"0 8", step:"0.5"); }
    struct Plain (component) { count:ubyte; })";

class EntityLayoutTest : public testing::Test {
 protected:
  const RowCodec& codec(std::string_view name) const {
    return name == "Seat" ? seat_ : name == "Look" ? look_ : plain_;
  }
  EntityLayout layout(std::initializer_list<std::string_view> names) const {
    EntityLayout made;
    for (const std::string_view name : names) made.add(codec(name));
    return made;
  }

 private:
  std::shared_ptr<const reflect::Schema> schema_ = mobula::test::load_schema(schema_text);
  RowCodec seat_{*schema_->find("Seat")};
  RowCodec look_{*schema_->find("Look")};
  RowCodec plain_{*schema_->find("Plain")};
};

// Returns the words that are cuts, each by changing it alone.
std::vector<std::uint32_t> cut_words(const EntityLayout& layout) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t word = 0; word < layout.words; ++word) {
    std::vector<std::uint32_t> changed = layout.defaults;
    ++changed[word];
    const bool cut = is_cut({&layout, layout.defaults.data()}, {&layout, changed.data()});
    EXPECT_EQ(cut, is_cut({&layout, changed.data()}, {&layout, layout.defaults.data()})) << word;
    if (cut) found.push_back(word);
  }
  return found;
}

TEST_F(EntityLayoutTest, ExactlyTheWordsOfMarkedFieldsAreCuts) {
  EXPECT_EQ(cut_words(layout({"Plain"})), std::vector<std::uint32_t>());
  EXPECT_EQ(cut_words(layout({"Seat"})), (std::vector<std::uint32_t>{0, 1, 3, 4})) << "index, generation; far";
  EXPECT_EQ(cut_words(layout({"Plain", "Look", "Seat"})), (std::vector<std::uint32_t>{1, 2, 4, 5, 7, 8}));
}

TEST_F(EntityLayoutTest, AComponentWithCutsThatComesOrGoesIsACut) {
  const EntityLayout plain = layout({"Plain"});
  const EntityLayout seated = layout({"Seat", "Plain"});
  const EntityLayout other = layout({"Plain", "Seat"});
  const EntityLayout looking = layout({"Look", "Seat"});
  EXPECT_TRUE(is_cut({&plain, plain.defaults.data()}, {&seated, seated.defaults.data()}));
  EXPECT_TRUE(is_cut({&seated, seated.defaults.data()}, {&plain, plain.defaults.data()}));
  EXPECT_TRUE(is_cut({&seated, seated.defaults.data()}, {&looking, looking.defaults.data()}));
  EXPECT_FALSE(is_cut({&seated, seated.defaults.data()}, {&other, other.defaults.data()}));
  std::vector<std::uint32_t> moved = other.defaults;
  moved[1] = 5;  // the seat's entity
  EXPECT_TRUE(is_cut({&seated, seated.defaults.data()}, {&other, moved.data()}));
}

// A delta in which nothing else of the component changes has one bit for it.
TEST_F(EntityLayoutTest, AnUnchangedCutCostsAtMostOneBit) {
  const auto schema = mobula::test::load_schema("struct Jumps (component) { count:ubyte (cut); }");
  const RowCodec jumps(*schema->find("Jumps"));
  const RowCodec transform(*schema->find("Transform"));
  EntityLayout without;
  without.add(transform);
  EntityLayout with = without;
  with.add(jumps);
  const auto bits_of = [](const EntityLayout& layout, std::uint32_t moved) {
    std::vector<std::uint32_t> now = layout.defaults;
    now[0] += moved;
    std::array<std::byte, 256> bytes{};
    core::BitWriter writer(bytes);
    EntityCodec(layout, false, test::tick)
        .write_delta(now.data(), {.baseline = layout.defaults.data(), .time = {.age = 1}}, writer);
    return writer.bits();
  };
  for (const std::uint32_t moved : {1u, 7u, 300u}) EXPECT_EQ(bits_of(with, moved), bits_of(without, moved) + 1);
}

}  // namespace
}  // namespace mobula::wire
