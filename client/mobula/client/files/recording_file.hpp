// Recordings in files.
#pragma once

#include <mobula/client/connection/recording.hpp>
#include <string>

namespace mobula::client {

/// Creates a file, readable by its owner only; replaces an existing one. Reason: "not written".
core::Result<std::unique_ptr<RecordingWriter>> create_recording(const std::string& path);
/// Opens a file. Reasons: "missing", and those of RecordingReader::read.
core::Result<std::unique_ptr<RecordingReader>> open_recording(const std::string& path);

}  // namespace mobula::client
