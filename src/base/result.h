// A value or an error. Errors of users are values: nothing in the core throws.
#ifndef GRAPHMEND_BASE_RESULT_H_
#define GRAPHMEND_BASE_RESULT_H_

#include "base/check.h"

#include <utility>
#include <variant>

namespace graphmend::base {

// Wraps an error so that it converts to a failed Result.
template <class E>
struct Failure {
  E error;
};

template <class E>
Failure<std::decay_t<E>> failure(E&& error) {
  return {std::forward<E>(error)};
}

// Either a T or an E. Asking for the one that is not there is an internal error.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit
  Result(Failure<E> failed)                                              // NOLINT: implicit
      : state_(std::in_place_index<1>, std::move(failed.error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& { return *checked(std::get_if<0>(&state_)); }
  T& value() & { return *checked(std::get_if<0>(&state_)); }
  T&& value() && { return std::move(*checked(std::get_if<0>(&state_))); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }
  const E& error() const { return *checked(std::get_if<1>(&state_)); }

 private:
  template <class P>
  static P* checked(P* pointer) {
    GM_CHECK(pointer != nullptr);
    return pointer;
  }
  std::variant<T, E> state_;
};

}  // namespace graphmend::base

#endif  // GRAPHMEND_BASE_RESULT_H_
