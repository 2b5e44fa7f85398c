// A string of JSON. What is_control() says is written \uXXXX in it, which JSON leaves free for most: a terminal that
// shows it obeys nobody, and nothing is lost.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mobula::core {

// In quotes. U+FFFD stands for each byte that is no UTF-8, and "..." for what is beyond so many bytes.
std::string json_text(std::string_view text, std::size_t bytes_max = ~std::size_t{0});

}  // namespace mobula::core
