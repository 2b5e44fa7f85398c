#include <algorithm>
#include <array>
#include <mobula/reflect/cpp_names.hpp>

namespace mobula::reflect {
namespace {

// Keywords of C++20 with alternative tokens, and members of generated structs. Sorted.
constexpr std::array reserved = std::to_array<std::string_view>({"alignas",
                                                                 "alignof",
                                                                 "and",
                                                                 "and_eq",
                                                                 "asm",
                                                                 "auto",
                                                                 "bitand",
                                                                 "bitor",
                                                                 "bool",
                                                                 "break",
                                                                 "case",
                                                                 "catch",
                                                                 "char",
                                                                 "char16_t",
                                                                 "char32_t",
                                                                 "char8_t",
                                                                 "class",
                                                                 "co_await",
                                                                 "co_return",
                                                                 "co_yield",
                                                                 "compl",
                                                                 "component_layout",
                                                                 "component_name",
                                                                 "concept",
                                                                 "const",
                                                                 "const_cast",
                                                                 "consteval",
                                                                 "constexpr",
                                                                 "constinit",
                                                                 "continue",
                                                                 "decltype",
                                                                 "default",
                                                                 "delete",
                                                                 "do",
                                                                 "double",
                                                                 "dynamic_cast",
                                                                 "else",
                                                                 "enum",
                                                                 "explicit",
                                                                 "export",
                                                                 "extern",
                                                                 "false",
                                                                 "float",
                                                                 "for",
                                                                 "friend",
                                                                 "goto",
                                                                 "has_predicted_fields",
                                                                 "if",
                                                                 "inline",
                                                                 "int",
                                                                 "long",
                                                                 "mutable",
                                                                 "namespace",
                                                                 "new",
                                                                 "noexcept",
                                                                 "not",
                                                                 "not_eq",
                                                                 "nullptr",
                                                                 "operator",
                                                                 "or",
                                                                 "or_eq",
                                                                 "private",
                                                                 "protected",
                                                                 "public",
                                                                 "register",
                                                                 "reinterpret_cast",
                                                                 "requires",
                                                                 "return",
                                                                 "short",
                                                                 "signed",
                                                                 "sizeof",
                                                                 "static",
                                                                 "static_assert",
                                                                 "static_cast",
                                                                 "struct",
                                                                 "switch",
                                                                 "template",
                                                                 "this",
                                                                 "thread_local",
                                                                 "throw",
                                                                 "true",
                                                                 "try",
                                                                 "typedef",
                                                                 "typeid",
                                                                 "typename",
                                                                 "union",
                                                                 "unsigned",
                                                                 "using",
                                                                 "virtual",
                                                                 "void",
                                                                 "volatile",
                                                                 "wchar_t",
                                                                 "while",
                                                                 "xor",
                                                                 "xor_eq"});
static_assert(std::ranges::is_sorted(reserved));

}  // namespace

std::string cpp_name(std::string_view name) {
  const std::string_view word = name.substr(0, name.find_last_not_of('_') + 1);
  return std::string(name) + (std::ranges::binary_search(reserved, word) ? "_" : "");
}

std::string cpp_namespace(std::string_view dotted) {
  std::string text;
  while (true) {
    const std::size_t dot = dotted.find('.');
    text += cpp_name(dotted.substr(0, dot));
    if (dot == std::string_view::npos) return text;
    text += "::";
    dotted.remove_prefix(dot + 1);
  }
}

}  // namespace mobula::reflect
