#include "property.h"

#include <cstdio>
#include <cstdlib>

namespace graphmend::fuzz {

namespace {

std::uint32_t hash_of(std::string_view bytes) {
  std::uint32_t hash = 2166136261U;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  return hash ^ hash >> 15;
}

}  // namespace

void require(bool holds, std::string_view property) {
  if (!holds) {
    std::fprintf(stderr, "property does not hold: %.*s\n", static_cast<int>(property.size()),
                 property.data());
    std::abort();
  }
}

Input::Input(const std::uint8_t* data, std::size_t size)
    : bytes(reinterpret_cast<const char*>(data), size),
      file(source::SourceFile::from_text("", "")) {
  constexpr std::uint32_t kVersions =
      syntax::kNewestVersion.minor - syntax::kOldestVersion.minor + 1;
  version = {static_cast<std::uint8_t>(syntax::kOldestVersion.minor + hash_of(bytes) % kVersions)};
  auto read = source::SourceFile::from_bytes("input.py", bytes);
  if (read) {
    file = std::move(read.value());
    is_utf8 = true;
    text = file.text();
  } else {
    text = bytes;
  }
}

void require_tiling(std::string_view text, const syntax::TokenBuffer& tokens) {
  const auto comments = tokens.comments();
  std::size_t comment = 0;
  std::size_t at = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  const auto skip_to = [&](std::size_t end) {
    while (at < end) {
      if (comment < comments.size() && comments[comment].start == at) {
        const base::TextRange range = comments[comment++];
        require(text[range.start] == '#' && range.start < range.end && range.end <= end,
                "comments lie between tokens");
        at = range.end;
        continue;
      }
      const char c = text[at];
      const bool line_end_follows =
          at + 1 < text.size() && (text[at + 1] == '\n' || text[at + 1] == '\r');
      require(c == ' ' || c == '\t' || c == '\f' || c == '\r' || c == '\n' ||
                  (c == '\\' && line_end_follows),
              "only trivia lies between tokens");
      ++at;
    }
  };
  for (const base::TextRange range : tokens.ranges()) {
    require(range.start >= at && range.end >= range.start && range.end <= text.size(),
            "tokens are in order");
    skip_to(range.start);
    at = range.end;
  }
  skip_to(text.size());
  require(comment == comments.size(), "comments are in order");
}

}  // namespace graphmend::fuzz
