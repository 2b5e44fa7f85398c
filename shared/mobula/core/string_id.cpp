#include <mobula/core/format.hpp>
#include <mobula/core/string_id.hpp>

namespace mobula::core {

std::string to_string(StringId32 id) { return core::format("{:08x}", id.value); }

}  // namespace mobula::core
