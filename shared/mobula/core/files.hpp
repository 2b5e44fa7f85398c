// What the system is asked about files here and there.
#pragma once

#include <string>

namespace mobula::core {

// Whether it is on the disk now. What is no disk cannot be synced, and is.
bool sync_file(int descriptor);

// A file's name is in its folder when that is on the disk.
void sync_folder_of(const std::string& path);

// Others than its owner: worth a warning for a secret.
bool others_may_read(const std::string& path);

}  // namespace mobula::core
