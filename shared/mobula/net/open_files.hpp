// The process's limit of open files: each socket and file takes one.
#pragma once

#include <mobula/core/result.hpp>

namespace mobula::net {

/// Raises the soft limit, often 1024, to the hard one. Errors: "few files" if that is below 64, of which a server needs
/// more than a dozen before its first client.
core::Status raise_open_files_limit();

}  // namespace mobula::net
