// Values as CPython's repr() writes them.
#ifndef GRAPHMEND_SYNTAX_PYTHON_REPR_H_
#define GRAPHMEND_SYNTAX_PYTHON_REPR_H_

#include "syntax/version.h"

#include <string>
#include <string_view>

namespace graphmend::syntax {

// repr() of a str whose UTF-8 (surrogates in their three-byte form) is `value`. What is printable
// depends on the version's Unicode.
std::string repr_str(std::string_view value, PythonVersion version);
// repr() of a bytes object.
std::string repr_bytes(std::string_view value);
// repr() of the int, float or complex that a literal stands for.
std::string repr_int(std::string_view literal);
std::string repr_float(std::string_view literal);
std::string repr_imaginary(std::string_view literal);

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_PYTHON_REPR_H_
