// `graphmend dump VIEW FILE`: the views, one file each, listed in one table (dump.cpp).
#ifndef GRAPHMEND_DRIVER_DUMP_H_
#define GRAPHMEND_DRIVER_DUMP_H_

#include "base/json.h"
#include "diag/diagnostic.h"
#include "driver/host.h"
#include "source/source_file.h"
#include "syntax/version.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::driver {

// Units of the columns in dumps of tokens and trees.
enum class ColumnUnit : std::uint8_t { Bytes, CodePoints, Utf16 };

struct DumpRequest {
  source::SourceFile file;
  syntax::PythonVersion version = syntax::kNewestVersion;
  ColumnUnit columns = ColumnUnit::Bytes;
  bool json = false;
  std::vector<std::string> search_paths;  // where imports are looked up
};

// Prints one file. Errors of the source are told by report_errors.
using DumpView = ExitStatus (*)(const DumpRequest&, Console&);

ExitStatus dump_tokens(const DumpRequest& request, Console& console);
ExitStatus dump_tree(const DumpRequest& request, Console& console);
ExitStatus dump_ast(const DumpRequest& request, Console& console);
ExitStatus dump_types(const DumpRequest& request, Console& console);
ExitStatus dump_scopes(const DumpRequest& request, Console& console);

// Prints the first errors of a source with their lines, and how to go on. Status Found if there are
// any.
ExitStatus report_errors(std::span<const diag::Diagnostic> errors, const DumpRequest& request,
                         Console& console);

// Starts the JSON document of a dump: an object with the file, its version and its errors. The view
// adds its own members and ends it.
void begin_document(base::JsonWriter& json, std::span<const diag::Diagnostic> errors,
                    const DumpRequest& request);

// Turns offsets into lines and columns of the unit asked for. A table of every few hundred bytes
// keeps long lines cheap.
class Columns {
 public:
  Columns(const source::SourceFile& file, ColumnUnit unit);
  [[nodiscard]] source::Position position(std::uint32_t offset) const;

 private:
  // Units before an offset.
  [[nodiscard]] std::uint32_t units(std::uint32_t offset) const;

  std::string_view text_;
  const source::LineIndex* lines_;
  std::uint32_t bom_size_;
  ColumnUnit unit_;
  std::vector<std::uint32_t> before_;  // units before each piece of the text
};

}  // namespace graphmend::driver

#endif  // GRAPHMEND_DRIVER_DUMP_H_
