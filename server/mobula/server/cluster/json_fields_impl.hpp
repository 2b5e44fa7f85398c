// Fields of a JSON object that others wrote, for the sources of this folder. A missing field has its type's default
// value. After a field of another form good() is false, and all further fields are missing.
#pragma once

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace mobula::cluster {

class JsonFields {
 public:
  using Json = nlohmann::json;

  explicit JsonFields(const Json& object) : object_(object), good_(object.is_object()) {}

  [[nodiscard]] bool good() const { return good_; }

  std::string text(const char* name) {
    const Json* const field = find(name, Json::value_t::string);
    return field == nullptr ? std::string() : field->get_ref<const std::string&>();
  }
  bool flag(const char* name) {
    const Json* const field = find(name, Json::value_t::boolean);
    return field != nullptr && field->get<bool>();
  }
  /// Returns a number that is written as text, as JSON's numbers have 53 bits.
  template <class Number>
  Number number(const char* name) {
    const Json* const field = find(name, Json::value_t::string);
    if (field == nullptr) return 0;
    const auto& text = field->get_ref<const std::string&>();
    const char* const end = text.data() + text.size();
    Number value = 0;
    const std::from_chars_result result = std::from_chars(text.data(), end, value);
    if (result.ec == std::errc() && result.ptr == end) return value;
    good_ = false;
    return 0;
  }
  std::uint32_t count(const char* name) {
    const Json* const field = find(name, Json::value_t::number_unsigned);
    if (field == nullptr) return 0;
    const auto value = field->get<std::uint64_t>();
    good_ = value <= ~std::uint32_t{0};
    return good_ ? static_cast<std::uint32_t>(value) : 0;
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> all;
    const Json* const field = find(name, Json::value_t::array);
    if (field == nullptr) return all;
    for (const Json& each : *field) {
      if (!each.is_string()) return good_ = false, std::vector<std::string>();
      all.push_back(each.get_ref<const std::string&>());
    }
    return all;
  }
  std::map<std::string, std::string> text_map(const char* name) {
    std::map<std::string, std::string> all;
    const Json* const field = find(name, Json::value_t::object);
    if (field == nullptr) return all;
    for (const auto& [key, each] : field->items()) {
      if (!each.is_string()) return good_ = false, std::map<std::string, std::string>();
      all.emplace(key, each.get_ref<const std::string&>());
    }
    return all;
  }
  /// Returns a field of a type. Null if there is none.
  const Json* find(const char* name, Json::value_t type) {
    if (!good_) return nullptr;
    const auto found = object_.find(name);
    if (found == object_.end()) return nullptr;
    good_ = found->type() == type;
    return good_ ? &*found : nullptr;
  }

 private:
  const Json& object_;
  bool good_;
};

}  // namespace mobula::cluster
