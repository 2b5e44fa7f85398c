// Checks values against the part of JSON Schema that openapi.json uses. An unknown keyword is a failure.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace mobula::test {

class JsonSchema {
 public:
  explicit JsonSchema(const nlohmann::json& document) : document_(document) {}

  // Returns the first mistake of the value, empty if there is none.
  [[nodiscard]] std::string check(const nlohmann::json& value, const nlohmann::json& schema,
                                  const std::string& at = "$") const {
    if (const auto ref = schema.find("$ref"); ref != schema.end())
      return check(value, document_.at(nlohmann::json::json_pointer(ref->get<std::string>().substr(1))), at);
    for (const auto& [keyword, rule] : schema.items()) {
      const std::string wrong = check(value, schema, keyword, rule, at);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  using Json = nlohmann::json;

  static bool is(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == (value.is_number() ? "number" : value.type_name());
  }

  [[nodiscard]] std::string check(const Json& value, const Json& schema, const std::string& keyword, const Json& rule,
                                  const std::string& at) const {
    const auto wrong = [&] {
      return at + " does not match " + keyword + ' ' + rule.dump() + ": " + value.dump().substr(0, 200);
    };
    if (keyword == "description" || keyword == "deprecated") return {};
    if (keyword == "type" && rule.is_string()) return is(value, rule) ? "" : wrong();
    if (keyword == "type") {
      for (const Json& type : rule)
        if (is(value, type)) return {};
      return wrong();
    }
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end() ? "" : wrong();
    if (keyword == "oneOf") {
      int fit = 0;
      for (const Json& each : rule) fit += check(value, each, at).empty() ? 1 : 0;
      return fit == 1 ? "" : wrong();
    }
    if (keyword == "pattern")
      return !value.is_string() || std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()))
                 ? ""
                 : wrong();
    if (keyword == "minimum") return !value.is_number() || value >= rule ? "" : wrong();
    if (keyword == "maximum") return !value.is_number() || value <= rule ? "" : wrong();
    if (keyword == "minLength") return !value.is_string() || value.get<std::string>().size() >= rule ? "" : wrong();
    if (keyword == "maxLength") return !value.is_string() || value.get<std::string>().size() <= rule ? "" : wrong();
    if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
        if (std::string wrong_part = check(value[i], rule, at + '[' + std::to_string(i) + ']'); !wrong_part.empty())
          return wrong_part;
      return {};
    }
    if (keyword == "required") {
      for (const Json& name : rule)
        if (value.is_object() && !value.contains(name.get<std::string>())) return at + " lacks " + name.dump();
      return {};
    }
    if (keyword == "properties") {
      for (const auto& [name, each] : rule.items())
        if (value.is_object() && value.contains(name))
          if (std::string wrong_part = check(value[name], each, at + '.' + name); !wrong_part.empty())
            return wrong_part;
      return {};
    }
    if (keyword == "additionalProperties") {
      for (const auto& [name, each] : value.items()) {
        if (!value.is_object() || (schema.contains("properties") && schema["properties"].contains(name))) continue;
        if (rule == false) return at + " has a " + name + ", which the schema does not";
        if (std::string wrong_part = check(each, rule, at + '.' + name); !wrong_part.empty()) return wrong_part;
      }
      return {};
    }
    return "the keyword " + keyword + " of the schema is not checked";
  }

  const Json& document_;
};

}  // namespace mobula::test
