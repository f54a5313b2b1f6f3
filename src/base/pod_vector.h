// A growable array of trivially copyable elements: realloc growth, no zero filling.
#ifndef GRAPHMEND_BASE_POD_VECTOR_H_
#define GRAPHMEND_BASE_POD_VECTOR_H_

#include "base/check.h"

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>
#include <type_traits>

namespace graphmend::base {

// Like std::vector for trivially copyable T, without initialising reserved space and with growth in
// place where the allocator can. Running out of memory is fatal.
template <class T>
class PodVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  PodVector() = default;
  PodVector(PodVector&& other) noexcept
      : data_(std::move(other.data_)), size_(other.size_), capacity_(other.capacity_) {
    other.size_ = 0;
    other.capacity_ = 0;
  }
  PodVector& operator=(PodVector&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = other.size_;
    capacity_ = other.capacity_;
    other.size_ = 0;
    other.capacity_ = 0;
    return *this;
  }
  PodVector(const PodVector&) = delete;
  PodVector& operator=(const PodVector&) = delete;
  ~PodVector() = default;

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t index) {
    GM_DCHECK(index < size_);
    return data_.get()[index];
  }
  const T& operator[](std::size_t index) const {
    GM_DCHECK(index < size_);
    return data_.get()[index];
  }
  T& back() { return (*this)[size_ - 1]; }
  const T& back() const { return (*this)[size_ - 1]; }

  void push_back(T value) {
    if (size_ == capacity_) [[unlikely]] {
      grow(size_ + 1);
    }
    data_.get()[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  // Drops elements from the end; `size` is at most the current size.
  void truncate(std::size_t size) {
    GM_DCHECK(size <= size_);
    size_ = size;
  }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) {
      reallocate(capacity);
    }
  }
  // Makes room for `count` more elements and returns where they go; they are not initialised.
  T* extend(std::size_t count) {
    if (capacity_ - size_ < count) [[unlikely]] {
      grow(size_ + count);
    }
    T* place = data_.get() + size_;
    size_ += count;
    return place;
  }
  // Gives back unused capacity.
  void shrink_to_fit() {
    if (size_ < capacity_ && size_ > 0) {
      reallocate(size_);
    }
  }
  operator std::span<const T>() const { return {data(), size_}; }  // NOLINT: implicit

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }  // NOLINT: pairs with realloc
  };
  [[gnu::noinline]] void grow(std::size_t needed) {
    std::size_t capacity = capacity_ + capacity_ / 2 + 16;
    reallocate(capacity < needed ? needed : capacity);
  }
  void reallocate(std::size_t capacity) {
    void* memory = std::realloc(data_.release(), capacity * sizeof(T));  // NOLINT
    GM_CHECK(memory != nullptr);
    data_.reset(static_cast<T*>(memory));
    capacity_ = capacity;
  }

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace graphmend::base

#endif  // GRAPHMEND_BASE_POD_VECTOR_H_
