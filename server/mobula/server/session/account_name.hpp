// Form of accounts that logs, files and URLs can hold: printable UTF-8 as it is, and all else as 0x with hex digits.
// Text that starts with 0x is in hex too, so that two accounts never have the same form. Text is not normalised: two
// spellings of a letter in Unicode are two accounts.
#pragma once

#include <string>
#include <string_view>

namespace mobula::server {

/// Returns the form of an account that Game::account returned.
std::string account_name(std::string account);

/// Returns whether account_name() can return the text.
bool is_account_name(std::string_view text);

}  // namespace mobula::server
