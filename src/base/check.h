// Checks for our own bugs. The user's errors are values (result.h), never checks.
#ifndef GRAPHMEND_BASE_CHECK_H_
#define GRAPHMEND_BASE_CHECK_H_

namespace graphmend::base {

// Prints where a check failed and ends the process.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace graphmend::base

// Always on: for cheap checks whose failure would corrupt results.
#define GM_CHECK(condition)               \
  (static_cast<bool>(condition) ? (void)0 \
                                : ::graphmend::base::check_failed(#condition, __FILE__, __LINE__))

// On in debug builds only.
#ifdef NDEBUG
#define GM_DCHECK(condition) (void)sizeof(static_cast<bool>(condition))
#else
#define GM_DCHECK(condition) GM_CHECK(condition)
#endif

#endif  // GRAPHMEND_BASE_CHECK_H_
