// Names of generated C++. A schema may use words that C++ reserves.
#pragma once

#include <string>
#include <string_view>

namespace mobula::reflect {

/// Returns a name that C++ accepts: that of the schema, with "_" behind a reserved word. Reserved are keywords, and the
/// constants of generated structs. Reserved words with underscores behind them get one more, so names stay different.
std::string cpp_name(std::string_view name);

/// Returns a namespace with dots as one of C++.
std::string cpp_namespace(std::string_view dotted);

}  // namespace mobula::reflect
