#include "syntax/character_names.h"

#include "syntax/identifiers.h"
#include "syntax/unicode_tables.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace graphmend::syntax {

namespace {

#include "syntax/character_names.inc"

constexpr unsigned kHashShift = 25;

std::uint32_t hangul_syllable(std::string_view name) {
  constexpr std::array<std::string_view, 19> kLeads = {"G", "GG", "N", "D",  "DD", "R", "M",
                                                       "B", "BB", "S", "SS", "",   "J", "JJ",
                                                       "C", "K",  "T", "P",  "H"};
  constexpr std::array<std::string_view, 21> kVowels = {"A",   "AE", "YA", "YAE", "EO", "E",  "YEO",
                                                        "YE",  "O",  "WA", "WAE", "OE", "YO", "U",
                                                        "WEO", "WE", "WI", "YU",  "EU", "YI", "I"};
  constexpr std::array<std::string_view, 28> kTails = {
      "",   "G",  "GG", "GS", "N",  "NJ", "NH", "D",  "L", "LG", "LM", "LB", "LS", "LT",
      "LP", "LH", "M",  "B",  "BS", "S",  "SS", "NG", "J", "C",  "K",  "T",  "P",  "H"};
  // The longest part that fits, each time.
  auto take = [&name](const auto& parts) {
    std::size_t best = parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (name.starts_with(parts[i]) &&
          (best == parts.size() || parts[i].size() > parts[best].size())) {
        best = i;
      }
    }
    if (best != parts.size()) {
      name.remove_prefix(parts[best].size());
    }
    return best;
  };
  std::size_t lead = take(kLeads);
  std::size_t vowel = take(kVowels);
  std::size_t tail = take(kTails);
  if (!name.empty() || lead == kLeads.size() || vowel == kVowels.size() || tail == kTails.size()) {
    return kBadCodePoint;
  }
  return static_cast<std::uint32_t>(0xac00 + (lead * 21 + vowel) * 28 + tail);
}

std::uint32_t ideograph(std::string_view digits, PythonVersion version) {
  if (digits.size() != 4 && digits.size() != 5) {
    return kBadCodePoint;
  }
  std::uint32_t value = 0;
  for (char c : digits) {
    bool decimal = c >= '0' && c <= '9';
    if (!decimal && (c < 'A' || c > 'F')) {
      return kBadCodePoint;
    }
    value = value << 4 | static_cast<std::uint32_t>(decimal ? c - '0' : c - 'A' + 10);
  }
  for (const CodePointRange& range : kIdeographs) {
    if (range.first <= value && value <= range.last && range.minor <= version.minor) {
      return value;
    }
  }
  return kBadCodePoint;
}

}  // namespace

std::uint32_t code_point_of_name(std::string_view name, PythonVersion version) {
  constexpr std::string_view kHangul = "HANGUL SYLLABLE ";
  constexpr std::string_view kIdeograph = "CJK UNIFIED IDEOGRAPH-";
  if (name.starts_with(kHangul)) {
    return hangul_syllable(name.substr(kHangul.size()));
  }
  if (name.starts_with(kIdeograph)) {
    return ideograph(name.substr(kIdeograph.size()), version);
  }
  // FNV-1a of the name in upper case.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : name) {
    unsigned char byte = static_cast<unsigned char>(c >= 'a' && c <= 'z' ? c - 32 : c);
    hash = (hash ^ byte) * 0x100000001b3;
  }
  std::uint64_t key = hash >> kHashShift << kHashShift;
  const std::uint64_t* found = std::lower_bound(std::begin(kNames), std::end(kNames), key);
  if (found == std::end(kNames) || *found >> kHashShift != key >> kHashShift) {
    return kBadCodePoint;
  }
  std::uint32_t minor = 8 + (static_cast<std::uint32_t>(*found >> 21) & 15);
  return minor <= version.minor ? static_cast<std::uint32_t>(*found & 0x1fffff) : kBadCodePoint;
}

}  // namespace graphmend::syntax
