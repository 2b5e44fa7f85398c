// One callable of several, for std::visit.
#pragma once

namespace mobula::core {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace mobula::core
