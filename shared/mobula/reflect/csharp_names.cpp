#include <mobula/reflect/csharp_names.hpp>

namespace mobula::reflect {
namespace {

constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string pascal_case(std::string_view name) {
  std::string text;
  bool begins = true;
  for (const char c : name) {
    if (c == '_') {
      begins = true;
      continue;
    }
    text += begins && is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    begins = false;
  }
  if (text.empty() || is_digit(text.front())) text.insert(0, "_");
  return text;
}

std::string csharp_namespace(std::string_view dotted) {
  std::string text;
  while (true) {
    const std::size_t dot = dotted.find('.');
    text += pascal_case(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return text;
    text += '.';
    dotted.remove_prefix(dot + 1);
  }
}

NameScope struct_scope(std::string_view struct_name) {
  NameScope scope;
  scope.add(std::string(struct_name));
  for (const char* name :
       {"Default", "Equals", "Finalize", "GetHashCode", "GetType", "MemberwiseClone", "ReferenceEquals", "ToString"}) {
    scope.add(name);
  }
  return scope;
}

}  // namespace mobula::reflect
