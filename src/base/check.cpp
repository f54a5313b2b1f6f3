#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace graphmend::base {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: internal check failed: %s\n", file, line, condition);
  std::abort();
}

}  // namespace graphmend::base
