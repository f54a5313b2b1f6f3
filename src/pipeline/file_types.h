// What is known of the values of a file's functions, for people who ask about a name.
#ifndef GRAPHMEND_PIPELINE_FILE_TYPES_H_
#define GRAPHMEND_PIPELINE_FILE_TYPES_H_

#include "source/source_file.h"
#include "syntax/version.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace graphmend::pipeline {

// An expression, parameter or target, with what it may be over all calls that were analysed.
// Lines count from 1, columns from 0 in code points.
struct TypedPlace {
  std::string text;  // of the source: "self.scale"
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t end_line = 0;
  std::uint32_t end_column = 0;
  std::string type;                      // "Tensor[bool, rank 0] | None"
  std::vector<std::string_view> may_be;  // "Tensor", "None", ...; empty when nothing is known
  std::string_view dtype;                // of a tensor: "bool", "int", "float", "complex" or empty
  int rank = -1;                         // of a tensor; -1 when not known
  bool is_binding = false;               // a parameter, or a target of an assignment
  bool is_test = false;                  // decides a branch, a loop or an assertion
  bool is_decided = false;               // surely a tensor, or surely none
};

struct FunctionTypes {
  std::string name;  // "Model.forward"
  std::uint32_t line = 0;
  // A forward of the file, or a function given to torch.compile, leads to it. The others are
  // analysed as if called from outside.
  bool is_reached = false;
  std::string returns;
  std::vector<TypedPlace> places;  // in order
};

struct FileTypesRequest {
  std::vector<std::string> search_paths;
  syntax::PythonVersion version = syntax::kNewestVersion;
  source::Decoder decode;
};

// The functions of a file in the order of their text. Empty when the file has a syntax error.
[[nodiscard]] std::vector<FunctionTypes> types_of_file(const source::SourceFile& file,
                                                       const FileTypesRequest& request);

}  // namespace graphmend::pipeline

#endif  // GRAPHMEND_PIPELINE_FILE_TYPES_H_
