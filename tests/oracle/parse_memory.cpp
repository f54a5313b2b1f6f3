// The peak of heap memory while each of some texts is parsed. Reads lines of paths; prints one line
// of JSON: the sum of all peaks over the sum of all sizes, and the worst file of over 4 kB.
//
//   oracle_parse_memory < paths
//
// Counts what every allocation of this process really takes. While a block is moved to grow, both
// places count.
#include "syntax/parser.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include <malloc.h>

namespace {

std::size_t live = 0;
std::size_t peak = 0;

[[maybe_unused]] void grown(std::size_t bytes) {
  live += bytes;
  peak = std::max(peak, live);
}

}  // namespace

// A sanitizer has allocators of its own, whose blocks hold more than what was asked for.
#ifndef __SANITIZE_ADDRESS__
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size) {
  void* block = __libc_malloc(size);
  grown(malloc_usable_size(block));
  return block;
}
void* calloc(std::size_t count, std::size_t size) {
  void* block = __libc_calloc(count, size);
  grown(malloc_usable_size(block));
  return block;
}
void* realloc(void* block, std::size_t size) {
  const std::size_t before = malloc_usable_size(block);
  void* moved = __libc_realloc(block, size);
  const std::size_t after = malloc_usable_size(moved);
  // Large blocks are remapped, not copied.
  constexpr std::size_t kRemapped = 128 * 1024;
  if (moved != block && before < kRemapped) {
    grown(after);
    live -= before;
  } else {
    live -= before;
    grown(after);
  }
  return moved;
}
void free(void* block) {
  live -= malloc_usable_size(block);
  __libc_free(block);
}
}
#endif

int main() {
  std::ios::sync_with_stdio(false);
  std::string path;
  std::size_t bytes = 0;
  std::size_t peaks = 0;
  double worst = 0;
  std::string worst_path;
  while (std::getline(std::cin, path)) {
    std::ifstream stream(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream),
                           std::istreambuf_iterator<char>()};
    peak = live;
    const std::size_t before = live;
    {
      const auto tree = graphmend::syntax::parse_module(text);
      if (tree.size() == 0) {
        return 1;
      }
    }
    const std::size_t taken = peak - before;
    bytes += text.size();
    peaks += taken;
    const double ratio = static_cast<double>(taken) / static_cast<double>(text.size() + 1);
    if (text.size() > 4096 && ratio > worst) {
      worst = ratio;
      worst_path = path;
    }
  }
  std::printf("{\"peak_per_byte\": %.2f, \"worst\": %.2f, \"worst_path\": \"%s\"}\n",
              static_cast<double>(peaks) / static_cast<double>(bytes), worst, worst_path.c_str());
  return 0;
}
