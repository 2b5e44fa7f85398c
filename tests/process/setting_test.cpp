#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mobula/process/setting.hpp>

namespace mobula::process {
namespace {

struct Program {
  bool quiet = false;
  std::uint16_t port = 7777;
  std::uint64_t seed = 1;
  std::int64_t shift = 0;
  double share = 0.5;
  std::string level;
  std::vector<std::string> addresses;
  std::optional<std::uint16_t> tcp_port;
};

// Assigns a text and returns the value as TOML, or the error message.
std::string assigned(const Setting& setting, std::string_view text) {
  const core::Result<SettingValue> value = read_setting(setting, text);
  const core::Status checked = value ? check_setting(setting, *value) : value.error();
  if (!checked) return checked.error().message;
  assign_setting(setting, *value);
  return to_toml(setting);
}

TEST(Setting, KeyDeterminesFlagAndVariable) {
  EXPECT_EQ(flag_of("tick_rate"), "--tick-rate");
  EXPECT_EQ(variable_of("tick_rate"), "MOBULA_TICK_RATE");
}

TEST(Setting, AcceptsValuesOfItsTarget) {
  Program program;
  EXPECT_EQ(assigned({"quiet", &program.quiet, ""}, "true"), "true");
  EXPECT_EQ(assigned({"quiet", &program.quiet, ""}, "0"), "false");
  EXPECT_EQ(assigned({"port", &program.port, ""}, "65535"), "65535");
  EXPECT_EQ(assigned({"seed", &program.seed, ""}, "9223372036854775807"), "9223372036854775807");
  EXPECT_EQ(assigned({"shift", &program.shift, ""}, "-3"), "-3");
  EXPECT_EQ(assigned({"share", &program.share, ""}, "2"), "2.0");
  EXPECT_EQ(assigned({"share", &program.share, ""}, "1e-3"), "0.001");
  EXPECT_EQ(assigned({"level", &program.level, ""}, "a \"b\" \\ \t \x7F ä"), R"("a \"b\" \\ \u0009 \u007f ä")");
  EXPECT_EQ(assigned({"level", &program.level, ""}, ""), "\"\"");
  EXPECT_EQ(assigned({"address", &program.addresses, ""}, "a:1,b:2"), R"(["a:1", "b:2"])");
  const Setting tcp{"tcp_port", &program.tcp_port, ""};
  EXPECT_EQ(to_toml(tcp), "");
  EXPECT_EQ(assigned(tcp, "0"), "0");
}

TEST(Setting, ReportsWhyAValueIsRefused) {
  Program program;
  const Setting port{"port", &program.port, ""};
  EXPECT_EQ(assigned(port, "70000"), "70000 is not within 0 to 65535");
  EXPECT_EQ(assigned(port, "-1"), "-1 is not within 0 to 65535");
  EXPECT_EQ(assigned(port, "many"), "'many' is not a whole number");
  EXPECT_EQ(assigned(port, "1.5"), "'1.5' is not a whole number");
  EXPECT_EQ(assigned(port, ""), "'' is not a whole number");
  EXPECT_EQ(assigned(port, "99999999999999999999999"), "'99999999999999999999999' is not within 0 to 65535");
  EXPECT_EQ(assigned({"seed", &program.seed, ""}, "-5"), "-5 is less than 0");
  EXPECT_EQ(assigned({"seed", &program.seed, ""}, "9223372036854775808"),
            "'9223372036854775808' is not within 0 to 9223372036854775807");
  EXPECT_EQ(assigned({"share", &program.share, "", {.least = 0, .most = 1}}, "1.5"), "1.5 is not within 0 to 1");
  EXPECT_EQ(assigned({"share", &program.share, ""}, "nan"), "'nan' is not a number");
  EXPECT_EQ(assigned({"quiet", &program.quiet, ""}, "maybe"), "'maybe' is not true or false");
  EXPECT_EQ(assigned({"address", &program.addresses, ""}, "a,,b"), "a list item is empty");
  EXPECT_EQ(assigned({"level", &program.level, ""}, "\xFF"), "'\uFFFD' is not UTF-8 text");
  EXPECT_EQ(program.port, 7777) << "a refused value changes nothing";
}

TEST(Setting, FileValueMustHaveTheTargetsType) {
  Program program;
  const auto refusal = [](const Setting& setting, const SettingValue& value) {
    const core::Status checked = check_setting(setting, value);
    return checked ? "" : checked.error().message;
  };
  const std::vector<std::string> list{"a"};
  EXPECT_EQ(refusal({"port", &program.port, ""}, std::string("1")), "expected a whole number, not a text");
  EXPECT_EQ(refusal({"port", &program.port, ""}, 1.0), "expected a whole number, not a number with a fraction");
  EXPECT_EQ(refusal({"quiet", &program.quiet, ""}, std::int64_t{1}), "expected true or false, not a whole number");
  EXPECT_EQ(refusal({"level", &program.level, ""}, list), "expected a text in quotes, not a list");
  EXPECT_EQ(refusal({"address", &program.addresses, ""}, std::string("a")),
            "expected a list of texts, such as [\"a\", \"b\"], not a text");
  EXPECT_EQ(refusal({"share", &program.share, ""}, std::int64_t{1}), "") << "a whole number is accepted as a number";
  EXPECT_EQ(refusal({"level", &program.level, ""}, std::string("a\0b", 3)), "'a\uFFFDb' is not UTF-8 text");
}

TEST(Setting, CallsItsCheckForTextsAndListItems) {
  Program program;
  const SettingRules rules{.check = one_of({"auto", "json"})};
  EXPECT_EQ(assigned({"level", &program.level, "", rules}, "json"), "\"json\"");
  EXPECT_EQ(assigned({"level", &program.level, "", rules}, "jsn"), "'jsn' is not one of auto, json");
  EXPECT_EQ(assigned({"address", &program.addresses, "", rules}, "json,xml"), "'xml' is not one of auto, json");
}

// A program may fill its targets by code.
TEST(Setting, ANumberOfItsTargetIsChecked) {
  Program program;
  const auto refusal = [](const Setting& setting) {
    const core::Status good = check_target(setting);
    return good ? "" : good.error().message;
  };
  const SettingRules rules{.least = 1024, .most = 2048};
  program.port = 1024;
  EXPECT_EQ(refusal({"port", &program.port, "", rules}), "");
  program.port = 0;
  EXPECT_EQ(refusal({"port", &program.port, "", rules}), "0 is not within 1024 to 2048");
  std::optional<std::uint16_t> other;
  EXPECT_EQ(refusal({"other", &other, "", rules}), "");
  other = 4096;
  EXPECT_EQ(refusal({"other", &other, "", rules}), "4096 is not within 1024 to 2048");
  program.share = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({"share", &program.share, ""}), "not a number");
  program.level = "";
  EXPECT_EQ(refusal({"level", &program.level, "", {.check = one_of({"auto"})}}), "") << "texts are not checked";
}

TEST(Setting, HelpHasTypeAndRange) {
  Program program;
  EXPECT_EQ(type_of({"port", &program.port, ""}), "N");
  EXPECT_EQ(type_of({"level", &program.level, "", {.type = "FILE"}}), "FILE");
  EXPECT_EQ(type_of({"address", &program.addresses, "", {.type = "HOST:PORT"}}), "HOST:PORT ...");
  EXPECT_EQ(range_of({"port", &program.port, ""}), "") << "the range of a port type is not shown";
  EXPECT_EQ(range_of({"port", &program.port, "", {.least = 1024}}), "(1024 to 65535)");
  EXPECT_EQ(range_of({"seed", &program.seed, "", {.least = 1}}), "(at least 1)");
}

TEST(Setting, HasADefinitionThatCannotSpoilTheHelp) {
  bool on = false;
  const auto reason = [](const Setting& setting) {
    const core::Status checked = check_definition(setting);
    return checked ? "" : checked.error().reason;
  };
  EXPECT_STREQ(reason({"a_key2", &on, "works – with “UTF-8”", {.former_key = "old", .group = "Group"}}), "");
  for (const char* const key : {"", "2a", "_a", "a-b", "a b", "Ab", "a\n", "a=b", "ä"})
    EXPECT_STREQ(reason({key, &on, "x"}), "bad setting") << key;
  EXPECT_STREQ(reason({"a", &on, "x", {.former_key = "a b"}}), "bad setting");
  EXPECT_STREQ(reason({"a", &on, "\xff"}), "bad setting");
  EXPECT_STREQ(reason({"a", &on, "two\nlines"}), "bad setting");
  EXPECT_STREQ(reason({"a", &on, "x", {.type = "\x1b[2J"}}), "bad setting");
  EXPECT_STREQ(reason({"a", &on, "x", {.group = "G\n"}}), "bad setting");
}

}  // namespace
}  // namespace mobula::process
