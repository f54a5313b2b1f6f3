// The code of a notebook (.ipynb) as one Python text, and where each of its lines stands.
#ifndef GRAPHMEND_SOURCE_NOTEBOOK_H_
#define GRAPHMEND_SOURCE_NOTEBOOK_H_

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::source {

// Where a line of the text stands. All count from 1.
struct NotebookLine {
  std::uint32_t cell = 0;       // among all cells of the notebook, of text too
  std::uint32_t line = 0;       // in the cell
  std::uint32_t file_line = 0;  // in the file
};

struct Notebook {
  // The lines of all cells of code, one cell after the other. Magics are replaced, line by line:
  // `%matplotlib inline`, `!pip install x`, `name?` by `pass`, `x = !ls` by a value of which
  // nothing is known; a cell in another language (`%%bash`) by empty lines.
  std::string text;
  std::vector<NotebookLine> lines;  // of each line of the text

  // Empties the lines of a cell.
  void clear_cell(std::uint32_t cell);
};

[[nodiscard]] bool is_notebook(std::string_view path);

// Reads the JSON of a notebook. A failure says what is wrong with it; a notebook in another
// language than Python has no lines.
[[nodiscard]] base::Result<Notebook, std::string> read_notebook(std::string_view json);

}  // namespace graphmend::source

#endif  // GRAPHMEND_SOURCE_NOTEBOOK_H_
