// Writes JSON for people: a short value on one line, a long one member by member, indented by two spaces.
#pragma once

#include <mobula/core/json_text.hpp>
#include <mobula/reflect/json_value.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::resource {

class JsonWriter {
 public:
  void open_object() { open('{'); }
  void open_list() { open('['); }
  void close();
  /// Sets the key of the next value in an object.
  JsonWriter& key(std::string_view name) {
    key_ = core::json_text(name) + ": ";
    return *this;
  }
  void text(std::string_view text) { add(core::json_text(text)); }
  /// Writes a number, true, false or null, as given.
  void literal(std::string_view literal) { add(std::string(literal)); }
  void number(std::uint64_t number) { add(std::to_string(number)); }
  void boolean(bool flag) { literal(flag ? "true" : "false"); }
  void value(const reflect::JsonValue& value);
  /// Returns the document with the end of its last line. Everything opened must be closed.
  [[nodiscard]] std::string take();

 private:
  struct Open {
    char bracket;
    std::string key;
    std::vector<std::string> items;
    std::size_t width = 0;    // sum of all items on one line
    bool many_lines = false;  // an item has several lines
  };

  void open(char bracket);
  void add(std::string value);

  std::string key_;  // key of the next value
  std::vector<Open> open_;
  std::string root_;
};

}  // namespace mobula::resource
