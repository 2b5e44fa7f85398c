// Writes JSON for people: what is short stands on one line, all else member by member, two spaces in.
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
  // Of the value that comes next, in an object.
  JsonWriter& key(std::string_view name) {
    key_ = core::json_text(name) + ": ";
    return *this;
  }
  void text(std::string_view text) { add(core::json_text(text)); }
  // A number, true, false or null, as it is written.
  void literal(std::string_view literal) { add(std::string(literal)); }
  void number(std::uint64_t number) { add(std::to_string(number)); }
  void boolean(bool flag) { literal(flag ? "true" : "false"); }
  void value(const reflect::JsonValue& value);
  // The document, with the end of its last line. All that was opened is closed.
  [[nodiscard]] std::string take();

 private:
  struct Open {
    char bracket;
    std::string key;
    std::vector<std::string> items;
    std::size_t width = 0;    // of all items on one line
    bool many_lines = false;  // an item has more than one
  };

  void open(char bracket);
  void add(std::string value);

  std::string key_;  // of the next value
  std::vector<Open> open_;
  std::string root_;
};

}  // namespace mobula::resource
