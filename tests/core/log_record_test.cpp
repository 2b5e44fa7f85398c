#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/core/log_record.hpp>
#include <mobula/core/random.hpp>
#include <mobula/core/text.hpp>
#include <nlohmann/json.hpp>

namespace mobula::core {
namespace {

constexpr std::uint64_t noon = 1'795'348'800'123;  // 2026-11-22, 12:00

TEST(LogRecord, TimesAreIsoInUtcWithMilliseconds) {
  EXPECT_EQ(to_iso_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(to_iso_time(noon), "2026-11-22T12:00:00.123Z");
  EXPECT_EQ(to_iso_time(1'709'164'799'999), "2024-02-28T23:59:59.999Z");
  EXPECT_EQ(to_iso_time(1'709'164'800'000), "2024-02-29T00:00:00.000Z");
}

TEST(LogRecord, IsAJsonObjectWithItsFields) {
  EXPECT_EQ(to_json({.unix_ms = noon, .level = LogLevel::warn, .module = "server", .text = "late"}),
            R"({"time":"2026-11-22T12:00:00.123Z","level":"warn","module":"server","message":"late"})");
  EXPECT_EQ(to_json({.unix_ms = noon,
                     .module = "server",
                     .text = "late",
                     .fields = {.tick = 7, .session = 0, .entity = {12, 1}}}),
            R"({"time":"2026-11-22T12:00:00.123Z","level":"info","module":"server","message":"late",)"
            R"("tick":7,"session":0,"entity":"12.1"})");
}

TEST(LogRecord, NamesItsWorld) {
  EXPECT_EQ(to_json({.unix_ms = noon, .module = "server", .text = "late", .fields = {.world = "\"a\"", .tick = 7}}),
            R"({"time":"2026-11-22T12:00:00.123Z","level":"info","module":"server","message":"late",)"
            R"("world":"\"a\"","tick":7})");
  EXPECT_EQ(to_text({.module = "server", .text = "late", .fields = {.world = "room\n1", .tick = 7}}),
            "server    late  world=room\uFFFD1 tick=7");
}

TEST(LogRecord, IsALineOfText) {
  EXPECT_EQ(to_text({.module = "net", .text = "late"}), "net       late");
  EXPECT_EQ(to_text({.module = "server", .text = "late", .fields = {.tick = 7, .session = 3, .entity = {12, 1}}}),
            "server    late  tick=7 session=3 entity=12.1");
}

TEST(LogRecord, EscapesAnyText) {
  EXPECT_EQ(nlohmann::json::parse(to_json({.text = "\"\\\n\t\x1b\x7F\u0085ä\xFF"}))["message"],
            "\"\\\n\t\x1b\x7F\u0085ä\uFFFD");
  EXPECT_THAT(to_json({.text = "\u2028\u202E"}), testing::HasSubstr(R"("\u2028\u202e")"));
  EXPECT_EQ(to_text({.module = "a", .text = "b\n\x1b[1m\xFF"}), "a         b\uFFFD\uFFFD[1m\uFFFD");
}

TEST(LogRecord, AnyBytesBecomeOnePrintableLineAndJson) {
  Random random(5);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::uint32_t i = random.below(30); i > 0; --i)
      text += static_cast<char>(random.chance(1, 3) ? random.below(256) : 0x20 + random.below(0x60));
    const LogRecord record{.module = "m", .text = text};
    const std::string json = to_json(record);
    EXPECT_TRUE(is_printable(json));
    EXPECT_TRUE(is_printable(to_text(record)));
    const nlohmann::json parsed = nlohmann::json::parse(json, nullptr, false);
    ASSERT_FALSE(parsed.is_discarded()) << json;
    if (is_utf8(text)) {
      EXPECT_EQ(parsed["message"], text);
    }
  }
}

TEST(LogRecord, TruncatesALongText) {
  const std::string text(100'000, 'x');
  EXPECT_LT(to_json({.text = text}).size(), log_text_bytes_max + 200);
  EXPECT_LT(to_text({.text = text}).size(), log_text_bytes_max + 200);
  EXPECT_FALSE(nlohmann::json::parse(to_json({.text = text}), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace mobula::core
