// Names of one scope of generated code, which are unique.
#pragma once

#include <set>
#include <string>

namespace mobula::reflect {

class NameScope {
 public:
  /// Makes a name part of the scope. If it is taken, appends underscores until it is not. Returns the name.
  std::string add(std::string name);

 private:
  std::set<std::string, std::less<>> taken_;
};

}  // namespace mobula::reflect
