#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <map>
#include <mobula/core/format.hpp>
#include <mobula/core/from_chars.hpp>
#include <mobula/core/text.hpp>
#include <mobula/process/settings_file.hpp>

namespace mobula::process {
namespace {

constexpr std::size_t shown_text_bytes = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_key(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-'; }
bool is_control(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7F; }

std::string quoted_text(std::string_view text) { return "'" + core::shown(text, shown_text_bytes) + "'"; }

void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xC0 | point >> 6);
  } else {
    if (point < 0x10000) {
      put(0xE0 | point >> 12);
    } else {
      put(0xF0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3F));
    }
    put(0x80 | (point >> 6 & 0x3F));
  }
  put(0x80 | (point & 0x3F));
}

// Returns whether the text is a TOML integer: digits, optionally underscores between two digits, no leading zero.
bool is_whole(std::string_view text, bool leading_zeros = false) {
  if (text.empty() || (!leading_zeros && text.size() > 1 && text[0] == '0')) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) continue;
    const bool between = i > 0 && i + 1 < text.size() && is_digit(text[i - 1]) && is_digit(text[i + 1]);
    if (text[i] != '_' || !between) return false;
  }
  return true;
}

std::string_view without_sign(std::string_view text) {
  return !text.empty() && (text[0] == '+' || text[0] == '-') ? text.substr(1) : text;
}

// Returns whether the text is a TOML float: an integer, then a fraction, an exponent or both.
bool is_real(std::string_view text) {
  text = without_sign(text);
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != std::string_view::npos) {
    if (!is_whole(without_sign(text.substr(exponent + 1)), true)) return false;
    text = text.substr(0, exponent);
  }
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return exponent != std::string_view::npos && is_whole(text);
  return is_whole(text.substr(0, point)) && is_whole(text.substr(point + 1), true);
}

template <class Number>
core::Result<SettingValue> convert(std::string_view text) {
  std::string digits(text.substr(text[0] == '+' ? 1 : 0));
  std::erase(digits, '_');
  Number number{};
  const auto converted = core::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (converted.ec != std::errc())
    return core::Error{
        "number", core::format("{} is not within {} to {}", quoted_text(text), std::numeric_limits<Number>::lowest(),
                               std::numeric_limits<Number>::max())};
  return SettingValue(number);
}

// Parses the text from front to end. An error is recorded, and the rest of its line is skipped.
class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  SettingsFile parse() {
    if (rest_.starts_with("\xEF\xBB\xBF")) {
      file_.problems.push_back({line_, "the file begins with a byte order mark: save it as UTF-8 without one"});
      rest_.remove_prefix(3);
    }
    while (!rest_.empty() && file_.problems.size() < settings_problems_max) {
      in_list_ = false;
      const std::uint32_t line = line_;
      if (const core::Status read = parse_line(); !read) {
        file_.problems.push_back({in_list_ ? line_ : line, read.error().message});
        skip_rest_of_entry();
      }
    }
    if (!rest_.empty())
      file_.problems.push_back({line_, core::format("after {} errors the rest of the file was not read: correct these",
                                                    settings_problems_max)});
    return std::move(file_);
  }

 private:
  [[nodiscard]] char peek() const { return rest_.empty() ? '\n' : rest_[0]; }
  bool accept(char c) {
    const bool matches = !rest_.empty() && rest_[0] == c;
    if (matches) rest_.remove_prefix(1);
    return matches;
  }
  void skip_blanks() {
    while (accept(' ') || accept('\t')) {
    }
  }
  template <class Predicate>
  std::string_view read_while(Predicate&& wanted) {
    const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), wanted);
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view skip_raw_line() {
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_;
    return line;
  }

  // Skips the rest of the line after an error, and of a list as far as it is recognisable.
  void skip_rest_of_entry() {
    const auto begins_entry = [&] {
      return rest_.substr(0, rest_.find_first_of("\n\"'#")).find('=') != std::string_view::npos;
    };
    for (bool ended = false; !ended && !rest_.empty();) {
      if (in_list_ && begins_entry()) return;
      ended = skip_raw_line().find(']') != std::string_view::npos || !in_list_;
    }
  }

  core::Status parse_line() {
    skip_blanks();
    if (!core::is_utf8(rest_.substr(0, rest_.find('\n')))) return core::Error{"encoding", "not UTF-8"};
    return peek() == '#' || peek() == '\n' || peek() == '\r' ? parse_end_of_line() : parse_entry();
  }

  core::Status parse_end_of_line() {
    skip_blanks();
    if (accept('#')) read_while([](char c) { return !is_control(c); });
    if (rest_.empty()) return core::Done{};
    if (rest_.starts_with("\r\n")) accept('\r');
    if (peek() != '\n') return core::Error{"stray", core::format("unexpected {}", next_text())};
    rest_.remove_prefix(1);
    ++line_;
    return core::Done{};
  }

  [[nodiscard]] std::string next_text() const {
    return quoted_text(rest_.substr(0, std::min(rest_.find('\n'), shown_text_bytes * 2)));
  }

  core::Status parse_entry() {
    const std::uint32_t line = line_;
    if (peek() == '[') return core::Error{"table", "tables are not supported: write one key = value per line"};
    if (peek() == '"' || peek() == '\'') return core::Error{"key", "keys are written without quotes"};
    const std::string key(read_while(is_key));
    if (key.empty()) return core::Error{"key", core::format("{} is not a key", next_text())};
    skip_blanks();
    if (peek() == '.') return core::Error{"key", core::format("{}: keys have no dots", quoted_text(key))};
    if (!accept('=')) return core::Error{"key", core::format("{}: the = after the key is missing", quoted_text(key))};
    skip_blanks();
    core::Result<SettingValue> value = parse_value();
    if (!value)
      return core::Error{value.error().reason,
                         core::format("{}: {}", core::shown(key, shown_text_bytes), value.error().message)};
    if (const auto [first, is_new] = lines_.emplace(key, line); !is_new)
      return core::Error{"twice", core::format("{} is given twice, first in line {}",
                                               core::shown(key, shown_text_bytes), first->second)};
    if (const core::Status ended = parse_end_of_line(); !ended) return ended;
    file_.entries.push_back({key, std::move(*value), line});
    return core::Done{};
  }

  core::Result<SettingValue> parse_value() {
    if (peek() == '"' || peek() == '\'') {
      core::Result<std::string> text = parse_text();
      return text ? core::Result<SettingValue>(SettingValue(std::move(*text))) : text.error();
    }
    if (peek() == '[') return parse_list();
    if (peek() == '{') return core::Error{"table", "tables are not supported"};
    const std::string_view word = read_while([](char c) { return is_key(c) || c == '+' || c == '.' || c == ':'; });
    if (word == "true") return SettingValue(true);
    if (word == "false") return SettingValue(false);
    if (is_whole(without_sign(word))) return convert<std::int64_t>(word);
    if (is_real(word)) return convert<double>(word);
    if (word.empty() && (peek() == '\n' || peek() == '\r' || peek() == '#'))
      return core::Error{"value", "the value is missing"};
    if (word.empty()) return core::Error{"value", core::format("{} is not a value", next_text())};
    return core::Error{"value",
                       core::format("{} is not a number, true or false; texts need quotes", quoted_text(word))};
  }

  core::Result<std::string> parse_text() {
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    if (rest_.starts_with(std::string(2, quote)))
      return core::Error{"text", "multi-line texts are not supported: use one quote at each end"};
    std::string text;
    while (!accept(quote)) {
      if (rest_.empty() || peek() == '\n' || rest_.starts_with("\r\n"))
        return core::Error{"text", "the closing quote is missing"};
      if (is_control(peek())) return core::Error{"text", "control character in a text: write it as \\u00XX"};
      if (quote == '"' && accept('\\')) {
        if (const core::Status escaped = parse_escape(text); !escaped) return escaped.error();
        continue;
      }
      text += peek();
      rest_.remove_prefix(1);
    }
    return text;
  }

  core::Status parse_escape(std::string& text) {
    constexpr std::string_view letters = "btnfr\"\\";
    constexpr std::string_view meant = "\b\t\n\f\r\"\\";
    const char letter = peek();
    if (const std::size_t place = letters.find(letter); place != std::string_view::npos) {
      text += meant[place];
    } else {
      const std::size_t digits = letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
      const std::string_view hex = rest_.substr(std::min<std::size_t>(1, rest_.size()), digits);
      std::uint32_t point = 0;
      const auto [end, failed] = core::from_chars(hex.data(), hex.data() + hex.size(), point, 16);
      const bool is_point = digits != 0 && hex.size() == digits && end == hex.data() + digits &&
                            failed == std::errc() && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
      if (!is_point)
        return core::Error{"text", R"(unknown escape: after \ only b t n f r " \ uXXXX UXXXXXXXX are allowed)"};
      append_utf8(text, point);
      rest_.remove_prefix(digits);
    }
    rest_.remove_prefix(1);
    return core::Done{};
  }

  // Skips blanks, ends of lines and comments between the items of a list.
  core::Status skip_between_items() {
    for (;;) {
      skip_blanks();
      if (rest_.empty() || (peek() != '#' && peek() != '\n' && peek() != '\r')) return core::Done{};
      if (const core::Status ended = parse_end_of_line(); !ended) return ended;
      if (!core::is_utf8(rest_.substr(0, rest_.find('\n')))) return core::Error{"encoding", "not UTF-8"};
    }
  }

  core::Result<SettingValue> parse_list() {
    in_list_ = true;
    rest_.remove_prefix(1);
    std::vector<std::string> items;
    for (;;) {
      if (const core::Status skipped = skip_between_items(); !skipped) return skipped.error();
      if (accept(']')) break;
      if (rest_.empty()) return core::Error{"list", "the closing ] is missing"};
      if (peek() != '"' && peek() != '\'')
        return core::Error{"list", core::format("{}: list items are texts in quotes", next_text())};
      core::Result<std::string> item = parse_text();
      if (!item) return item.error();
      items.push_back(std::move(*item));
      if (const core::Status skipped = skip_between_items(); !skipped) return skipped.error();
      if (!accept(',') && peek() != ']')
        return core::Error{"list", "a comma between items or the closing ] is missing"};
    }
    in_list_ = false;
    return SettingValue(std::move(items));
  }

  std::string_view rest_;
  std::uint32_t line_ = 1;
  bool in_list_ = false;
  std::map<std::string, std::uint32_t, std::less<>> lines_;  // line of each key
  SettingsFile file_;
};

}  // namespace

SettingsFile parse_settings(std::string_view text) { return Parser(text).parse(); }

core::Result<std::string> read_settings_file(const std::string& path) {
  const auto failed = [&] { return core::Error{"cannot read", core::format("{}: {}", path, std::strerror(errno))}; };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return failed();
  std::string text;
  std::array<char, 16384> part;
  ssize_t got = 0;
  while ((got = ::read(file, part.data(), part.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 || text.size() > settings_file_bytes_max) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  const core::Error error = failed();
  ::close(file);
  if (got < 0) return error;
  if (text.size() > settings_file_bytes_max)
    return core::Error{"too large", core::format("{}: the file exceeds {} bytes", path, settings_file_bytes_max)};
  return text;
}

}  // namespace mobula::process
