// The rules of a game of skaters, which its server and its client link.
#pragma once

#include <mobula/prediction/rules.hpp>

namespace skate {

extern const mobula::prediction::Rules rules;

}  // namespace skate
