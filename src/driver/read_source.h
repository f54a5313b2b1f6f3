// Sources as users name them: files, or `-` for standard input.
#ifndef GRAPHMEND_DRIVER_READ_SOURCE_H_
#define GRAPHMEND_DRIVER_READ_SOURCE_H_

#include "base/result.h"
#include "driver/host.h"
#include "source/source_file.h"

#include <string>

namespace graphmend::driver {

// Why a source can't be read: one line that names the file, the place in it where there is one, and
// what to do.
struct InputError {
  std::string message;
};

// Reads and decodes a file. Errors: missing, a directory, not readable, binary, in an encoding that
// is unknown or not the one that it declares.
base::Result<source::SourceFile, InputError> read_source(const std::string& path, const Host& host);

}  // namespace graphmend::driver

#endif  // GRAPHMEND_DRIVER_READ_SOURCE_H_
