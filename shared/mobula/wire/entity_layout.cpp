#include <mobula/wire/entity_layout.hpp>

namespace mobula::wire {

void EntityLayout::add(const RowCodec& codec) {
  rows.push_back({&codec, words});
  words += codec.words();
  defaults.insert(defaults.end(), codec.default_words().begin(), codec.default_words().end());
  bits_max += codec.bits_max();
}

}  // namespace mobula::wire
