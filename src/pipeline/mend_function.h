// From the source of a module and the place of one function to the function's mended text.
#ifndef GRAPHMEND_PIPELINE_MEND_FUNCTION_H_
#define GRAPHMEND_PIPELINE_MEND_FUNCTION_H_

#include "mends/mend.h"
#include "types/global_facts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::pipeline {

// The text of a module in UTF-8 and its lines: made once, asked for many functions.
class Source {
 public:
  explicit Source(std::string text) : text_(std::move(text)), lines_(text_) {}
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] const source::LineIndex& lines() const { return lines_; }

 private:
  std::string text_;
  source::LineIndex lines_;
};

// One function of a source, as its live code object tells of it.
struct FunctionRequest {
  std::string path;                       // for messages and site ids
  std::uint32_t line = 1;                 // co_firstlineno: of `def` or of the first decorator
  std::string name;                       // co_name
  std::vector<std::string> free_names;    // co_freevars
  std::optional<std::string> class_name;  // the class whose body holds it
  bool asserts = true;                    // assertions are compiled (no -O)
  types::GlobalFacts facts;               // what its globals hold
};

// One site of a function.
struct Site {
  std::string
      id;  // 16 hexadecimal digits, from the text of the function and the site's place in it
  std::string kind;
  std::string gb;
  std::string certainty;
  std::string mend;    // empty when declined
  std::string reason;  // empty when mended
  std::string advice;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;
  std::uint32_t last_line = 0;  // of the whole statement; the range above ends with a branch's test
  mends::Outline outline;
};

enum class Status : std::uint8_t {
  Mended,     // `mended` holds a text with at least one mended site
  Unchanged,  // nothing to mend; sites may hold what was declined
  Missing,    // there is no such function at that line
  Error,      // the source can't be parsed
};

struct MendedFunction {
  Status status = Status::Unchanged;
  std::string message;          // for Missing and Error: what, where, and what to do
  mends::WrittenText original;  // the `def` statement as it is, at column 0
  mends::WrittenText mended;
  std::vector<Site> sites;
};

// Mends one function of `source`. Never fails: errors are a status.
//
// At each site the mended function asks the run time whether it is being traced; if not, it runs
// the original's statement, else the mended one.
[[nodiscard]] MendedFunction mend_function(const Source& source, const FunctionRequest& request);

// Whether a function does nothing but compute: binds only its own variables and calls only what is
// known to be pure. An empty answer is yes, else the reason why not.
[[nodiscard]] std::string impurity_of_function(const Source& source,
                                               const FunctionRequest& request);

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_MEND_FUNCTION_H_
