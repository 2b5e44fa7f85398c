// Commands from JSON, compared with those of flatbuffers::Parser, which is the reference.
#include <flatbuffers/idl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <c/command_json.hpp>
#include <mobula/core/random.hpp>
#include <reflect/compile_schema.hpp>

namespace mobula::c {
namespace {

using testing::HasSubstr;

constexpr const char* kinds = R"(
  namespace game;
  enum Mood:short { calm = -3, even = 0, wild = 200 }
  struct Point { x:float; y:short; }
  struct Box { low:Point; mood:Mood; sizes:[ubyte:3]; }
  table Say { text:string (required); }
  table Go { to:Point; path:[Point]; then:Go; }
  union Body { Say, Go }
  table Command {
    body:Body;
    flag:bool = true;
    tiny:byte;
    count:uint = 7;
    big:ulong;
    small:long;
    real:double = 1.5;
    ratio:float;
    mood:Mood = calm;
    box:Box;
    numbers:[int];
    names:[string];
    says:[Say];
    moods:[Mood];
    maybe:int = null;
  }
  root_type Command;
)";

class CommandJson : public testing::Test {
 protected:
  CommandJson() {
    const auto loaded = CommandSchema::load(test::compile_schema(kinds));
    EXPECT_TRUE(loaded.ok()) << loaded.error().message;
    schema_.emplace(*loaded);
    EXPECT_TRUE(reference_.Parse(kinds));
    reference_.opts.strict_json = true;
    reference_.opts.indent_step = -1;
  }
  // Returns a command as flatc prints it; the message of an error with "error: " before it.
  std::string print(std::string_view json) {
    const core::Result<core::Bytes> command = write_command(*schema_, json);
    return command ? text_of(*command) : "error: " + command.error().message;
  }
  std::string text_of(core::ByteView command) {
    flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(command.data()), command.size());
    const core::Bytes bfbs = test::compile_schema(kinds);
    const reflection::Schema& schema = *reflection::GetSchema(bfbs.data());
    EXPECT_TRUE(flatbuffers::Verify(schema, *schema.root_table(), reinterpret_cast<const std::uint8_t*>(command.data()),
                                    command.size()));
    std::string text;
    EXPECT_TRUE(flatbuffers::GenerateText(reference_, command.data(), &text));
    return text;
  }
  // Returns what the reference makes of the same text.
  std::string reference(const std::string& json) {
    EXPECT_TRUE(reference_.Parse(json.c_str())) << reference_.error_;
    const auto* const begin = reinterpret_cast<const std::byte*>(reference_.builder_.GetBufferPointer());
    const core::Bytes command(begin, begin + reference_.builder_.GetSize());
    return text_of(command);
  }

  std::optional<CommandSchema> schema_;
  flatbuffers::Parser reference_;
};

TEST_F(CommandJson, NamesWithAZeroAreRefused) {
  EXPECT_THAT(print(R"({"count\u0000": 1})"), HasSubstr("has no such field"));
  EXPECT_THAT(print(R"({"count\u0000more": 1})"), HasSubstr("has no such field"));
  EXPECT_THAT(print(R"({"box": {"mood\u0000": 1}})"), HasSubstr("has no such field"));
}

TEST_F(CommandJson, EveryKindOfValueIsThatOfTheReference) {
  for (const std::string json : {
           R"({})",
           R"({"flag": false, "tiny": -128, "count": 7, "big": 18446744073709551615, "small": -9223372036854775808})",
           R"({"flag": true, "tiny": 127, "count": 0, "real": 1.5, "ratio": -0.25, "mood": "wild"})",
           R"({"real": 1e300, "mood": 200, "maybe": 0})",
           R"({"box": {"low": {"x": 1.5, "y": -2}, "mood": "wild", "sizes": [1, 2, 255]}})",
           R"({"numbers": [1, -2, 3], "names": ["a", "", "\u00e4\n"], "moods": ["calm", "wild"]})",
           R"({"numbers": [], "says": [{"text": "one"}, {"text": "two"}]})",
           R"({"body_type": "Say", "body": {"text": "hello"}})",
           R"({"body": {"to": {"x": 1, "y": 2}, "path": [{"x": 3, "y": 4}], "then": {}}, "body_type": "Go"})",
       })
    EXPECT_EQ(print(json), reference(json)) << json;
}

TEST_F(CommandJson, DefaultsAreLeftOut) {
  const core::Result<core::Bytes> empty = write_command(*schema_, "{}");
  const core::Result<core::Bytes> defaults = write_command(*schema_, R"({"flag": true, "count": 7, "mood": "calm"})");
  const core::Result<core::Bytes> optional = write_command(*schema_, R"({"maybe": 0})");
  EXPECT_EQ(*empty, *defaults);
  EXPECT_NE(*empty, *optional) << "a value that may be absent is there";
}

TEST_F(CommandJson, AbsentAndNullMembersAreTheSame) {
  EXPECT_EQ(print(R"({"body": null, "names": null})"), print("{}"));
}

TEST_F(CommandJson, MistakesAreNamedWithTheirPath) {
  const std::pair<const char*, const char*> mistakes[] = {
      {R"({"boddy": 1})", "boddy: game.Command has no such field"},
      {R"({"body": {"text": "x"}})", R"(body: needs its type, in "body_type")"},
      {R"({"body_type": "Fly", "body": {}})", R"(body_type: game.Body has no value "Fly")"},
      {R"({"body_type": "Say", "body": {}})", "body: field text is missing"},
      {R"({"body_type": "Say", "body": {"text": 1}})", "body.text: is a number; expected a text"},
      {R"({"box": {"low": {"y": 32768}}})", "box.low.y: 32768 is out of range"},
      {R"({"box": {"sizes": [1, 2, 3, 4]}})", "box.sizes: is an array; expected an array of at most 3"},
      {R"({"tiny": 128})", "tiny: 128 is out of range"},
      {R"({"count": -1})", "count: -1 is out of range"},
      {R"({"big": 18446744073709551616})", "big: 18446744073709551616 is out of range"},
      {R"({"small": 1.5})", "small: 1.5 is not a whole number"},
      {R"({"ratio": 1e39})", "ratio: 1e39 is out of range"},
      {R"({"real": "x"})", "real: is text; expected a number"},
      {R"({"mood": "sad"})", R"(mood: game.Mood has no value "sad")"},
      {R"({"flag": 1})", "flag: is a number; expected true or false"},
      {R"({"numbers": 5})", "numbers: is a number; expected an array"},
      {"[]", "is an array; expected an object"},
  };
  for (const auto& [json, message] : mistakes) EXPECT_THAT(print(json), HasSubstr(message)) << json;
}

TEST_F(CommandJson, TextThatIsNoJsonIsRefused) {
  for (const char* text : {"", "{", "{]", "nothing", R"({"count": 1} x)", R"({"count": 1, "count": 2})", "\xff"})
    EXPECT_THAT(print(text), HasSubstr("error: ")) << text;
  EXPECT_THAT(print(std::string(40, '[')), HasSubstr("nested too deep"));
}

TEST_F(CommandJson, ACommandThatIsTooLargeIsRefused) {
  const auto reason = [&](const std::string& json) {
    const core::Result<core::Bytes> command = write_command(*schema_, json);
    return command ? std::string_view("none") : std::string_view(command.error().reason);
  };
  const std::string fits(300, 'x');
  EXPECT_EQ(reason(R"({"names": [")" + fits + R"("]})"), "none");
  EXPECT_EQ(reason(R"({"names": [")" + fits + R"(", ")" + fits + R"("]})"), "too large");
  EXPECT_EQ(reason(R"({"names": [")" + std::string(60'000, 'x') + R"("]})"), "too large");
  std::string list = "0";
  for (int i = 0; i < 10'000; ++i) list += ",0";
  EXPECT_EQ(reason(R"({"numbers": [)" + list + "]}"), "too large");
  EXPECT_EQ(reason(R"({"moods": [)" + list + "]}"), "too large");
}

// Cut and altered texts: refused, or a command that is valid.
TEST_F(CommandJson, AlteredTextsMakeValidCommandsOrErrors) {
  const std::string whole =
      R"({"body_type": "Go", "body": {"to": {"x": 1, "y": 2}, "path": [{"x": 3}]}, "count": 9, "names": ["a"]})";
  core::Random random(5);
  int valid = 0;
  for (int i = 0; i < 3'000; ++i) {
    std::string text = whole;
    for (std::uint32_t changes = random.below(3); changes > 0; --changes)
      text[random.below(static_cast<std::uint32_t>(text.size()))] = "{}[]\",:019.-eab"[random.below(15)];
    valid += print(text).starts_with("error") ? 0 : 1;  // verifies what was written
  }
  EXPECT_GT(valid, 100);
}

}  // namespace
}  // namespace mobula::c
