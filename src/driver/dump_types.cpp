// `graphmend dump types`.
#include "driver/dump.h"
#include "pipeline/file_types.h"
#include "syntax/parser.h"

#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace graphmend::driver {

namespace {

using pipeline::FunctionTypes;
using pipeline::TypedPlace;

void write_place(const TypedPlace& place, base::JsonWriter& json) {
  json.begin_object();
  json.member("text", place.text);
  json.member("line", place.line);
  json.member("column", place.column);
  json.member("end_line", place.end_line);
  json.member("end_column", place.end_column);
  json.member("type", place.type);
  json.key("may_be");
  if (place.may_be.empty()) {
    json.null();
  } else {
    json.begin_array();
    for (const std::string_view kind : place.may_be) {
      json.value(kind);
    }
    json.end_array();
  }
  if (!place.dtype.empty()) {
    json.member("dtype", place.dtype);
  }
  if (place.rank >= 0) {
    json.member("rank", place.rank);
  }
  json.member("binding", place.is_binding);
  if (place.is_test) {
    json.member("decided", place.is_decided);
  }
  json.end_object();
}

void write_text(const std::vector<FunctionTypes>& functions, Console& console) {
  for (const FunctionTypes& function : functions) {
    console.out.write(fmt::format("{}, line {}{} -> {}\n", function.name, function.line,
                                  function.is_reached ? "" : " (no forward leads to it)",
                                  function.returns));
    for (const TypedPlace& place : function.places) {
      if (place.is_binding) {
        console.out.write(
            fmt::format("  {}:{} {}: {}\n", place.line, place.column + 1, place.text, place.type));
      }
    }
  }
}

}  // namespace

ExitStatus dump_types(const DumpRequest& request, Console& console) {
  const syntax::Tree tree = syntax::parse_module(request.file.text(), request.version);
  const std::vector<FunctionTypes> functions = pipeline::types_of_file(
      request.file, {request.search_paths, request.version, console.host.decode});
  if (!request.json) {
    write_text(functions, console);
    return report_errors(tree.errors(), request, console);
  }
  base::JsonWriter json(console.out.buffer());
  begin_document(json, tree.errors(), request);
  json.key("functions");
  json.begin_array();
  for (const FunctionTypes& function : functions) {
    json.begin_object();
    json.member("name", function.name);
    json.member("line", function.line);
    json.member("reached", function.is_reached);
    json.member("returns", function.returns);
    json.key("places");
    json.begin_array();
    for (const TypedPlace& place : function.places) {
      write_place(place, json);
    }
    json.end_array();
    json.end_object();
    console.out.drain();
  }
  json.end_array();
  json.end_object();
  console.out.write("\n");
  return report_errors(tree.errors(), request, console);
}

}  // namespace graphmend::driver
