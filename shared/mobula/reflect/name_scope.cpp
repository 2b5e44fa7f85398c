#include <mobula/reflect/name_scope.hpp>

namespace mobula::reflect {

std::string NameScope::add(std::string name) {
  while (!taken_.insert(name).second) name += '_';
  return name;
}

}  // namespace mobula::reflect
