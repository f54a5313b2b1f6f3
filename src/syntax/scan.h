// Scanning runs of bytes, sixteen at a time where the machine allows. All functions read up to
// kScanPadding bytes past the point where they stop: buffers end with that much padding of zeros.
#ifndef GRAPHMEND_SYNTAX_SCAN_H_
#define GRAPHMEND_SYNTAX_SCAN_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "syntax/byte_class.h"

namespace graphmend::syntax {

inline constexpr std::size_t kScanPadding = 32;

inline std::uint64_t load_u64(const std::uint8_t* p) {
  std::uint64_t word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

#if defined(__SSE2__)

inline __m128i load_16(const std::uint8_t* p) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
}
inline unsigned first_set(int mask) {
  return static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(mask)));
}
// Bytes whose unsigned value is at most `limit`.
inline __m128i at_most(__m128i bytes, char limit) {
  return _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(limit)), bytes);
}

// The first byte at or after p that is not an ASCII letter, digit or underscore.
inline const std::uint8_t* skip_ascii_name(const std::uint8_t* p) {
  for (;;) {
    __m128i bytes = load_16(p);
    __m128i letters =
        at_most(_mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a')), 25);
    __m128i digits = at_most(_mm_sub_epi8(bytes, _mm_set1_epi8('0')), 9);
    __m128i underscores = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_'));
    int mask = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(letters, digits), underscores));
    if (mask != 0xffff) {
      return p + first_set(~mask);
    }
    p += 16;
  }
}

// The first line end or zero byte at or after p.
inline const std::uint8_t* find_line_end(const std::uint8_t* p) {
  for (;;) {
    __m128i bytes = load_16(p);
    __m128i hits = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')),
                                             _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r'))),
                                _mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
    int mask = _mm_movemask_epi8(hits);
    if (mask != 0) {
      return p + first_set(mask);
    }
    p += 16;
  }
}

// The first byte at or after p that is `a`, a backslash or zero.
inline const std::uint8_t* find_in_triple(const std::uint8_t* p, std::uint8_t a) {
  __m128i first = _mm_set1_epi8(static_cast<char>(a));
  for (;;) {
    __m128i bytes = load_16(p);
    __m128i hits = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, first), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
        _mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
    int mask = _mm_movemask_epi8(hits);
    if (mask != 0) {
      return p + first_set(mask);
    }
    p += 16;
  }
}

// The first byte at or after p that is `a`, a backslash, a line end or zero.
inline const std::uint8_t* find_in_single(const std::uint8_t* p, std::uint8_t a) {
  __m128i first = _mm_set1_epi8(static_cast<char>(a));
  for (;;) {
    __m128i bytes = load_16(p);
    __m128i hits = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(bytes, first), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))),
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')),
                                  _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r'))),
                     _mm_cmpeq_epi8(bytes, _mm_setzero_si128())));
    int mask = _mm_movemask_epi8(hits);
    if (mask != 0) {
      return p + first_set(mask);
    }
    p += 16;
  }
}

// True when a byte of [p, p + size) is outside ASCII. Reads up to 15 bytes past the end.
inline bool has_non_ascii(const std::uint8_t* p, std::size_t size) {
  for (; size >= 16; p += 16, size -= 16) {
    if (_mm_movemask_epi8(load_16(p)) != 0) {
      return true;
    }
  }
  return size != 0 && (_mm_movemask_epi8(load_16(p)) & ((1 << size) - 1)) != 0;
}

#else

inline const std::uint8_t* skip_ascii_name(const std::uint8_t* p) {
  while (is_ascii_name_byte(*p)) {
    ++p;
  }
  return p;
}
inline const std::uint8_t* find_line_end(const std::uint8_t* p) {
  while (*p != '\n' && *p != '\r' && *p != 0) {
    ++p;
  }
  return p;
}
inline const std::uint8_t* find_in_triple(const std::uint8_t* p, std::uint8_t a) {
  while (*p != a && *p != '\\' && *p != 0) {
    ++p;
  }
  return p;
}
inline const std::uint8_t* find_in_single(const std::uint8_t* p, std::uint8_t a) {
  while (*p != a && *p != '\\' && *p != '\n' && *p != '\r' && *p != 0) {
    ++p;
  }
  return p;
}
inline bool has_non_ascii(const std::uint8_t* p, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (p[i] >= 0x80) {
      return true;
    }
  }
  return false;
}

#endif

// The first byte at or after p that is not a space.
inline const std::uint8_t* skip_spaces(const std::uint8_t* p) {
  constexpr std::uint64_t kSpaces = 0x2020'2020'2020'2020;
  if constexpr (std::endian::native == std::endian::little) {
    for (;;) {
      std::uint64_t difference = load_u64(p) ^ kSpaces;
      if (difference != 0) {
        return p + std::countr_zero(difference) / 8;
      }
      p += 8;
    }
  } else {
    while (*p == ' ') {
      ++p;
    }
    return p;
  }
}

}  // namespace graphmend::syntax

#endif  // GRAPHMEND_SYNTAX_SCAN_H_
