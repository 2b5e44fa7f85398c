#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mobula/core/bytes.hpp>
#include <mobula/core/format.hpp>
#include <mobula/core/hex.hpp>
#include <mobula/core/random.hpp>
#include <mobula/process/settings_file.hpp>

namespace mobula::process {
namespace {

using testing::ElementsAre;

std::string as_text(const SettingValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return core::format("{}", *whole);
  if (const auto* real = std::get_if<double>(&value)) return core::format("real {}", *real);
  if (const auto* text = std::get_if<std::string>(&value)) return "text " + *text;
  std::string list = "list";
  for (const std::string& item : std::get<std::vector<std::string>>(value)) list += " " + item;
  return list;
}

// Returns "key: value" per entry, then "line: message" per problem.
std::vector<std::string> parsed(std::string_view text) {
  const SettingsFile file = parse_settings(text);
  std::vector<std::string> lines;
  for (const SettingsFile::Entry& entry : file.entries) lines.push_back(entry.key + ": " + as_text(entry.value));
  for (const SettingsFile::Problem& problem : file.problems)
    lines.push_back(core::format("{}: {}", problem.line, problem.message));
  return lines;
}

TEST(SettingsFile, HasNumbersBooleansTextsListsAndComments) {
  EXPECT_THAT(
      parsed("# of a server\n"
             "port = 9_000 # taken\n"
             "\tquiet=true\r\n"
             "\n"
             "shift = -3\n"
             "share = 0.25\n"
             "few = 1e-3\n"
             "level = \"a \\\"b\\\" \\\\ \\t\\u00e4\\U0001F600\"\n"
             "path = 'C:\\levels'\n"
             "address = [ # two\n"
             "  \"a:1\",\n"
             "  'b:2', # and\n"
             "  ]\n"
             "none = []"),
      ElementsAre("port: 9000", "quiet: true", "shift: -3", "share: real 0.25", "few: real 0.001",
                  "level: text a \"b\" \\ \tä😀", "path: text C:\\levels", "address: list a:1 b:2", "none: list"));
}

TEST(SettingsFile, AcceptsAnEmptyFile) {
  EXPECT_THAT(parsed(""), ElementsAre());
  EXPECT_THAT(parsed("\n \n#"), ElementsAre());
}

TEST(SettingsFile, ReportsEveryErrorWithItsLine) {
  EXPECT_THAT(parsed("port = \n"
                     "[server]\n"
                     "good = 1\n"
                     "a.b = 1\n"
                     "\"quoted\" = 1\n"
                     "level = village.level\n"
                     "open = \"abc\n"
                     "octal = 0o7\n"
                     "zero = 01\n"
                     "point = 1.\n"
                     "good = 2\n"
                     "two = 1 2\n"
                     "= 3\n"
                     "alone\n"
                     "far = 99999999999999999999\n"
                     "day = 1979-05-27\n"
                     "inline = {a = 1}\n"
                     "control = \"\x01\"\n"
                     "escape = \"\\x\"\n"
                     "long = \"\"\"x\"\"\"\n"
                     "mixed = [\"a\", 1]\n"
                     "latin = \"\xE4\"\n"
                     "more = 3\n"),
              ElementsAre("good: 1", "more: 3",                                                           //
                          "1: port: the value is missing",                                                //
                          "2: tables are not supported: write one key = value per line",                  //
                          "4: 'a': keys have no dots",                                                    //
                          "5: keys are written without quotes",                                           //
                          "6: level: 'village.level' is not a number, true or false; texts need quotes",  //
                          "7: open: the closing quote is missing",                                        //
                          "8: octal: '0o7' is not a number, true or false; texts need quotes",            //
                          "9: zero: '01' is not a number, true or false; texts need quotes",              //
                          "10: point: '1.' is not a number, true or false; texts need quotes",            //
                          "11: good is given twice, first in line 3",                                     //
                          "12: unexpected '2'",                                                           //
                          "13: '= 3' is not a key",                                                       //
                          "14: 'alone': the = after the key is missing",                                  //
                          "15: far: '99999999999999999999' is not within -9223372036854775808 to "
                          "9223372036854775807",                                                                    //
                          "16: day: '1979-05-27' is not a number, true or false; texts need quotes",                //
                          "17: inline: tables are not supported",                                                   //
                          "18: control: control character in a text: write it as \\u00XX",                          //
                          "19: escape: unknown escape: after \\ only b t n f r \" \\ uXXXX UXXXXXXXX are allowed",  //
                          "20: long: multi-line texts are not supported: use one quote at each end",                //
                          "21: mixed: '1]': list items are texts in quotes",                                        //
                          "22: not UTF-8"));
}

TEST(SettingsFile, ReportsAnErrorInAListOnce) {
  EXPECT_THAT(parsed("a = [\n \"x\",\n 7,\n \"y\",\n]\nb = 1\n"),
              ElementsAre("b: 1", "3: a: '7,': list items are texts in quotes"));
  EXPECT_THAT(parsed("a = [\n \"x\"\nb = 1\n"),
              ElementsAre("b: 1", "3: a: a comma between items or the closing ] is missing"));
  EXPECT_THAT(parsed("a = [\n \"x\","), ElementsAre("2: a: the closing ] is missing"));
}

TEST(SettingsFile, RefusesAByteOrderMark) {
  EXPECT_THAT(parsed("\xEF\xBB\xBFport = 1\n"),
              ElementsAre("port: 1", "1: the file begins with a byte order mark: save it as UTF-8 without one"));
}

TEST(SettingsFile, StopsAfterTooManyErrors) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "?\n";
  const SettingsFile file = parse_settings(text);
  ASSERT_EQ(file.problems.size(), settings_problems_max + 1);
  EXPECT_EQ(file.problems.back().message, "after 50 errors the rest of the file was not read: correct these");
}

TEST(SettingsFile, RefusesATooLargeOrMissingFile) {
  const std::string path = std::filesystem::temp_directory_path() / core::format("mobula_settings.{}", ::getpid());
  EXPECT_STREQ(read_settings_file(path).error().reason, "cannot read");
  std::ofstream(path) << "port = 1\n";
  EXPECT_EQ(read_settings_file(path).value(), "port = 1\n");
  std::ofstream(path) << std::string(settings_file_bytes_max + 1, '\n');
  EXPECT_STREQ(read_settings_file(path).error().reason, "too large");
  std::filesystem::remove(path);
  EXPECT_STREQ(read_settings_file(std::filesystem::temp_directory_path()).error().reason, "cannot read");
}

// --- Comparison with another TOML parser ---------------------------------------------------------------------------

std::string hex_of(std::string_view text) { return core::to_hex(core::as_bytes(text.data(), text.size())); }

// Compared form: the text, then each entry as TYPE:KEY:VALUE, all in hex except the types.
std::string comparison(std::string_view text, const SettingsFile& file) {
  std::string line = "." + hex_of(text);
  for (const SettingsFile::Entry& entry : file.entries) {
    line += core::format(" {}:{}:", "bifsl"[entry.value.index()], hex_of(entry.key));
    if (const auto* real = std::get_if<double>(&entry.value)) {
      line += hex_of(core::format("{:.17g}", *real));
    } else if (const auto* list = std::get_if<std::vector<std::string>>(&entry.value)) {
      for (const std::string& item : *list) line += hex_of(item) + ",";
    } else {
      const auto* string = std::get_if<std::string>(&entry.value);
      line += hex_of(string != nullptr ? *string : as_text(entry.value));
    }
  }
  return line + '\n';
}

std::string mutated(std::string text, core::Random& random) {
  constexpr std::string_view pieces = "\n\r\t #=[]{}\"'\\,.:_+-eE0179azA\x7F\xC3\xA4\xFF";
  for (std::uint32_t changes = random.below(4); changes > 0; --changes) {
    const std::size_t at = random.below(static_cast<std::uint32_t>(text.size()));
    const char piece = pieces[random.below(static_cast<std::uint32_t>(pieces.size()))];
    switch (random.below(3)) {
      case 0: text[at] = piece; break;
      case 1: text.insert(at, 1, piece); break;
      default: text.erase(at, 1); break;
    }
  }
  return text;
}

TEST(SettingsFile, AcceptedFilesAgreeWithPythonsTomllib) {
  if (std::system("python3 -c 'import tomllib' 2>/dev/null") != 0) GTEST_SKIP() << "no python3 with tomllib";
  const std::vector<std::string> seeds = {
      "port = 9_000 # x\nquiet = true\r\nb=false\n", "share = -0.25e+1_0\nfew = 1E-3\nn = +17\nz = -0\n",
      "level = \"a\\\"\\\\\\t\\u00e4\\U0001F600\"\n", "path = 'C:\\x'\nempty = ''\ne2 = \"\"\n",
      "address = [ # two\n  \"a:1\",\n  'b:2' ,# and\n ]\nnone = []\n1-_ = 5"};
  const std::string path = std::filesystem::temp_directory_path() / core::format("mobula_toml.{}", ::getpid());
  core::Random random(7);
  std::size_t accepted = 0;
  {
    std::ofstream out(path);
    for (int round = 0; round < 20'000; ++round) {
      const std::string text = mutated(seeds[random.below(static_cast<std::uint32_t>(seeds.size()))], random);
      const SettingsFile file = parse_settings(text);
      if (!file.problems.empty()) continue;
      ++accepted;
      out << comparison(text, file);
    }
  }
  EXPECT_GT(accepted, 5'000u);
  const std::string command = "python3 " MOBULA_SOURCE_DIR "/tests/process/settings_by_tomllib.py " + path;
  EXPECT_EQ(std::system(command.c_str()), 0);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mobula::process
