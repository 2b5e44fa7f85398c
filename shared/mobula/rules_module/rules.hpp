// The rules of a module. CMake's mobula_rules() writes the function, which returns those that it is given by name.
#pragma once

#include <mobula/prediction/rules.hpp>

namespace mobula::rules_module {

const prediction::Rules& rules();

}  // namespace mobula::rules_module
