// File functions of the operating system.
#pragma once

#include <string>

namespace mobula::process {

/// Writes a file's data to disk (fsync). Returns false on an error. Succeeds for files that cannot be synced, such as
/// pipes.
bool sync_file(int descriptor);

/// Writes the data of a closed file to disk. Returns false on an error.
bool sync_file_at(const std::string& path);

/// Writes the folder of a file to disk, so that the file's name is durable.
void sync_folder_of(const std::string& path);

/// Returns whether users other than the owner may read the file: deserves a warning for a secret.
bool others_may_read(const std::string& path);

}  // namespace mobula::process
