// Characters by name, for `\N{...}` escapes.
#ifndef GRAPHMEND_SYNTAX_CHARACTER_NAMES_H_
#define GRAPHMEND_SYNTAX_CHARACTER_NAMES_H_

#include "syntax/version.h"

#include <cstdint>
#include <string_view>

namespace graphmend::syntax {

// The code point of a name or alias as `\N{...}` takes it, in any case; kBadCodePoint
// (identifiers.h) when the version's Unicode has none. Names are stored as hashes of 39 bits,
// without collisions among themselves.
std::uint32_t code_point_of_name(std::string_view name, PythonVersion version);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_CHARACTER_NAMES_H_
