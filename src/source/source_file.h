// The text of one source, in UTF-8, whatever its encoding on disk.
#ifndef GRAPHMEND_SOURCE_SOURCE_FILE_H_
#define GRAPHMEND_SOURCE_SOURCE_FILE_H_

#include "base/result.h"
#include "base/text_range.h"
#include "source/line_index.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace graphmend::source {

enum class ReadErrorKind : std::uint8_t {
  UnknownEncoding,
  InvalidUtf8,
  UndecodableSource,  // bytes that the declared encoding does not have
  EncodingConflict,   // byte order mark and cookie disagree
  SourceTooLarge,
};

// Why bytes could not be read as a source; the range is in those bytes.
struct ReadError {
  ReadErrorKind kind;
  base::TextRange range;
  std::string message;
};

// Decodes bytes of an encoding that is not built in to UTF-8; nothing when the encoding is unknown
// or the bytes are not valid in it.
using Decoder =
    std::function<std::optional<std::string>(std::string_view encoding, std::string_view bytes)>;

// Texts are addressed by 32-bit offsets, with room for sentinels.
inline constexpr std::size_t kMaxSourceSize = 0x7fff'fff0;

// One source. Offsets everywhere are offsets into text(), which holds the file's bytes unchanged
// when it is UTF-8 (a byte order mark included), else its decoded form. Moving it keeps views
// valid.
class SourceFile {
 public:
  // Reads bytes as Python does: byte order mark, then a PEP 263 cookie in the first two lines, else
  // UTF-8. Built in: utf-8, ascii, latin-1 and their aliases; all others go to `decoder`.
  static base::Result<SourceFile, ReadError> from_bytes(std::string path, std::string bytes,
                                                        const Decoder& decoder = {});
  // Takes text that is UTF-8 already, cookies not looked at and nothing checked.
  static SourceFile from_text(std::string path, std::string text);

  const std::string& path() const { return data_->path; }
  std::string_view text() const { return data_->text; }
  std::string_view text(base::TextRange range) const {
    return text().substr(range.start, range.size());
  }
  // The name of the encoding as the file declares it, normalised; "utf-8" when it declares none.
  const std::string& encoding() const { return data_->encoding; }
  // Bytes of the byte order mark at the start of text(): 0 or 3.
  std::uint32_t bom_size() const { return data_->bom_size; }
  // Built at first use; not safe to be called first from two threads at once.
  const LineIndex& lines() const;

 private:
  struct Data {
    std::string path;
    std::string text;
    std::string encoding = "utf-8";
    std::uint32_t bom_size = 0;
    std::optional<LineIndex> lines;
  };
  std::unique_ptr<Data> data_ = std::make_unique<Data>();
};

}  // namespace graphmend::source

#endif  // GRAPHMEND_SOURCE_SOURCE_FILE_H_
