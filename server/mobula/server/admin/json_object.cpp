#include <mobula/core/format.hpp>
#include <mobula/core/json_text.hpp>
#include <mobula/server/admin/json_object.hpp>
#include <set>
#include <vector>

namespace mobula::server::admin {
namespace {

using nlohmann::json;

// Accepts JSON whose objects have no member twice, and describes what is none.
class MistakeReader final : public nlohmann::json_sax<json> {
 public:
  explicit MistakeReader(std::string_view text) : text_(text) {}

  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(number_integer_t /*value*/) override { return true; }
  bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
  bool string(string_t& /*text*/) override { return true; }
  bool binary(binary_t& /*bytes*/) override { return true; }
  bool start_object(std::size_t /*size*/) override {
    names_.emplace_back();
    return true;
  }
  bool start_array(std::size_t /*size*/) override { return true; }
  bool key(string_t& name) override {
    if (names_.back().insert(name).second) return true;
    mistake_ = core::format("the member {} is given twice", core::json_text(name, shown_bytes_max));
    return false;
  }
  bool end_object() override {
    names_.pop_back();
    return true;
  }
  bool end_array() override { return true; }
  bool parse_error(std::size_t end, const std::string& /*token*/, const json::exception& error) override {
    const bool overflows = error.id == number_overflow;
    mistake_ = core::describe_json_mistake(text_, end,
                                           overflows ? core::JsonMistake::number_too_large : core::JsonMistake::syntax);
    return false;
  }

  [[nodiscard]] const std::string& mistake() const { return mistake_; }

 private:
  static constexpr int number_overflow = 406;  // id of the parser's error
  static constexpr std::size_t shown_bytes_max = 100;

  std::string_view text_;
  std::vector<std::set<std::string>> names_;  // in the open objects
  std::string mistake_;
};

}  // namespace

core::Result<json> parse_object(std::string_view text, std::string_view example) {
  MistakeReader reader(text);
  if (!text.empty() && !json::sax_parse(text, &reader)) return core::Error{"bad request", reader.mistake()};
  json value = json::parse(text, nullptr, false);
  if (value.is_object()) return value;
  return core::Error{"bad request",
                     core::format("expected a JSON object{}{}", example.empty() ? "" : " such as ", example)};
}

}  // namespace mobula::server::admin
