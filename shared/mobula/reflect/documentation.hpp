// Doc comments of a schema. flatc keeps them with --bfbs-comments. They are not part of a component schema's .bfbs,
// whose bytes are its identity, so generators read them from a second one.
#pragma once

#include <map>
#include <mobula/core/bytes.hpp>
#include <mobula/core/result.hpp>
#include <string>
#include <vector>

namespace mobula::reflect {

/// Lines of a comment, by the full name of what it describes: "demo.Health", or "demo.Health.current" for a field or a
/// value of an enum.
using Documentation = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Reads the comments of a .bfbs. Empty bytes have none. Errors: "bad schema".
core::Result<Documentation> read_documentation(core::ByteView bfbs);

}  // namespace mobula::reflect
