#include "diag/diagnostic.h"

namespace graphmend::diag {

std::string_view code_name(Code code) {
  switch (code) {
#define GM_DIAGNOSTIC(number, name, title) \
  case Code::name:                         \
    return #name;
#include "diag/codes.def"
#undef GM_DIAGNOSTIC
  }
  return "Unknown";
}

std::string_view code_title(Code code) {
  switch (code) {
#define GM_DIAGNOSTIC(number, name, title) \
  case Code::name:                         \
    return title;
#include "diag/codes.def"
#undef GM_DIAGNOSTIC
  }
  return "unknown";
}

}  // namespace graphmend::diag
